// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The values that stand for the elements of consecutive ranks.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The values of consecutive ranks: the init of rank 0, the elements as a fragment, and the last element, if a
/// reduction keeps it separate.
template <class Order, class T>
struct joined {
    std::optional<T> init;
    host::fragment<Order, T> part;
    std::optional<T> last;

    /// Creates an empty object before the element `at`.
    explicit joined(offset at) : part(at) {}

    /// Allocates memory for so many values, so that joining those of parts with so few allocates nothing.
    void reserve(offset values) { part.reserve(values); }
    /// Removes all values.
    void clear(offset at)
    {
        init.reset();
        part.clear(at);
        last.reset();
    }
    /// Copies the values of `other`, in the memory that there is. (T need not be assignable.)
    void assign(joined const& other)
    {
        clear(0);
        part.assign(other.part);
        set(init, other.init);
        set(last, other.last);
    }
    /// Appends the values of the ranks behind.
    template <class Op>
    void append(Op& op, joined const& behind)
    {
        set(init, behind.init);
        part.append_part(op, behind.part.end(),
                         [next = behind.part.aggregates().begin()]() mutable -> T { return *next++; });
        set(last, behind.last);
    }
    /// Calls `use` for all values, from left to right.
    template <class Use>
    void for_each(Use use) const
    {
        if (init)
            use(*init);
        for (T const& aggregate : part.aggregates())
            use(aggregate);
        if (last)
            use(*last);
    }

private:
    static void set(std::optional<T>& value, std::optional<T> const& other)
    {
        if (other)
            value.emplace(*other);
    }
};

} // namespace engine
TILEWISE_NAMESPACE_END
