// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Keeps large accumulators on the heap. The engines keep up to about a hundred values on the stack of a thread, and
/// boxes instead of values of a large type. This does not change any bits: the order depends only on the size of T, and
/// a lane vector of a large T is one value, boxed or not.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/order.hpp>

#include <optional>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Whether values of type T are kept on the heap. A call takes at most 150 KiB of stack for smaller types. For large
/// types it takes at most 16 KiB and five T, one of which is what op returns (measured with g++ 12, -O0 and -O2, under
/// seq and par).
template <class T>
inline constexpr bool is_large = sizeof(T) > 1024;

/// A T on the heap. Copying a box copies its T. T need not be copyable if no box is copied.
template <class T>
class box {
public:
    /// Creates a box with the result of `make()`, which is constructed in place.
    template <class Make>
    static box of(Make&& make)
    {
        return box(::new T(make()));
    }
    box(box const& other) : value_(::new T(*other)) {}
    box(box&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    box& operator=(box other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }
    ~box() { ::delete value_; }

    T& operator*() const { return *value_; }

private:
    explicit box(T* value) : value_(value) {}
    T* value_;
};

template <class T>
inline constexpr bool is_box = false;
template <class T>
inline constexpr bool is_box<box<T>> = true;

template <class T>
std::optional<box<T>> boxed(std::optional<T>&& value)
{
    std::optional<box<T>> result;
    if (value)
        result.emplace(box<T>::of([&]() -> T { return *std::move(value); }));
    return result;
}

/// An operator on boxes.
template <class T, class Op>
struct boxed_op {
    Op op;

    box<T> operator()(box<T>&& left, box<T>&& right)
    {
        return box<T>::of([&]() -> T { return host::combine<T>(op, std::move(*left), std::move(*right)); });
    }
    box<T> operator()(box<T> const& left, box<T> const& right)
    {
        return box<T>::of([&]() -> T { return host::combine_copies<T>(op, *left, *right); });
    }
};

/// An input that yields boxes.
template <class T, class Input>
class boxed_input {
public:
    explicit boxed_input(Input input) : input_(std::move(input)) {}

    box<T> operator*()
    {
        return box<T>::of([&]() -> T { return static_cast<T>(*input_); });
    }
    boxed_input& operator++()
    {
        ++input_;
        return *this;
    }
    template <class Sentinel>
    bool operator==(Sentinel const& last) const
    {
        return input_ == last;
    }
    boxed_input operator+(offset n) const { return boxed_input(input_ + n); }

private:
    Input input_;
};

/// The geometry of an order whose lane vectors are one value: of boxes, as of the values in them, and of lane
/// aggregates.
template <class Geometry>
struct order_of_lanes : Geometry {
    static constexpr int lane_vector_bytes = 0;
};

} // namespace host

/// @cond internals
template <class T, class Input>
inline constexpr bool is_forward_input<host::boxed_input<T, Input>> = is_forward_input<Input>;
template <class T, class Input>
inline constexpr bool is_read_once<host::boxed_input<T, Input>> = is_read_once<Input>;
template <class T, class Input>
inline constexpr bool is_computed<host::boxed_input<T, Input>> = is_computed<Input>;
/// @endcond

TILEWISE_NAMESPACE_END
