// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements in memory, for seq and par. Values are reduced as `reduce` does it, in vector
/// registers where the comparison is known by name; only from chunk to chunk an index goes with them. In the end, one
/// chunk is read again for the element.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

using engine::candidate, engine::extremes, engine::kept;

/// The larger of two values, the last of equals; like the known operators, for vector registers.
struct last_maximum : known::operator_base {
    template <class T>
    static constexpr T identity = known::maximum::identity<T>;
    template <class T>
    constexpr T operator()(T a, T b) const
    {
        return b < a ? a : b;
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = right < left ? left : right;
    }
};
/// The smaller of two values, the last of equals.
struct last_minimum : known::operator_base {
    template <class T>
    static constexpr T identity = known::minimum::identity<T>;
    template <class T>
    constexpr T operator()(T a, T b) const
    {
        return a < b ? a : b;
    }
    template <class Vector>
    TILEWISE_INLINE static void append(Vector& left, Vector const& right)
    {
        left = left < right ? left : right;
    }
};

/// A comparison of positions, which chooses between elements.
template <class Better>
struct on_elements {
    Better& better;
    template <class E>
    E operator()(E const& a, E const& b)
    {
        return better(kept<E>(a), kept<E>(b)).value;
    }
};

template <class Less, class E>
inline constexpr bool is_less =
    std::same_as<Less, std::less<>> || std::same_as<Less, std::less<E>> || std::same_as<Less, std::ranges::less>;
template <class Less, class E>
inline constexpr bool is_greater = std::same_as<Less, std::greater<>> || std::same_as<Less, std::greater<E>> ||
                                   std::same_as<Less, std::ranges::greater>;

/// The operator on elements that chooses as `better` does: a known one, where there is one.
template <class E, template <class> class Better, class Less>
constexpr auto operator_on_elements(Better<Less>& better)
{
    using less = std::remove_cvref_t<Less>;
    constexpr bool ascends = is_less<less, E>, is_known = known::arithmetic<E> && (ascends || is_greater<less, E>);
    if constexpr (!is_known)
        return on_elements<Better<Less>>{better};
    else if constexpr (std::same_as<Better<Less>, engine::first_smallest<Less>>)
        return std::conditional_t<ascends, known::minimum, known::maximum>{};
    else if constexpr (std::same_as<Better<Less>, engine::first_largest<Less>>)
        return std::conditional_t<ascends, known::maximum, known::minimum>{};
    else
        return std::conditional_t<ascends, last_maximum, last_minimum>{};
}

/// Its type, for one of the elements looked for.
template <class Better, class E>
struct operator_type {
    using type = decltype(host::operator_on_elements<E>(std::declval<Better&>()));
};
template <class Less, class E>
struct operator_type<engine::widest<Less>, E> : operator_type<engine::first_smallest<Less>, E> {};
template <class Better, class E>
using on_elements_of = typename operator_type<Better, E>::type;

/// The best values of the chunk that begins at `first`.
template <class Order, class E, class Better>
kept<E> best_of_chunk(E const* first, Better& better)
{
    auto op = host::operator_on_elements<E>(better);
    auto reader = host::reader_at<Order, E>(first, op);
    if constexpr (requires { reader.aggregate(Order::chunk); })
        return reader.aggregate(Order::chunk);
    else
        return reader.chunk();
}
template <class Order, class E, class Less>
extremes<kept<E>> best_of_chunk(E const* first, engine::widest<Less>& better)
{
    engine::first_smallest<Less&> smallest{better.less};
    engine::last_largest<Less&> largest{better.less};
    return {host::best_of_chunk<Order>(first, smallest), host::best_of_chunk<Order>(first, largest)};
}

/// Reads candidates: of a whole chunk the best values, which are found somewhere in it.
template <class Order, class Answer, class E, class Better>
class candidate_reader {
public:
    candidate_reader(E const* first, offset index, Better& better) : first_(first), index_(index), better_(better) {}

    Answer elements(int count)
    {
        return one_by_one(count, [&](auto reader) { return reader.elements(count); });
    }
    Answer lanes(int count)
    {
        return one_by_one(count * Order::lane_vector, [&](auto reader) { return reader.lanes(count); });
    }
    Answer rows(int count)
    {
        return one_by_one(count * Order::row, [&](auto reader) { return reader.rows(count); });
    }
    Answer chunk()
    {
        offset const index = std::exchange(index_, index_ + Order::chunk);
        return engine::at_index<E>(host::best_of_chunk<Order>(first_ + index, better_),
                                   candidate<E>::in_unit_at(index));
    }
    Answer tile()
    {
        return host::tree<Answer>(better_, offset{Order::geometry::chunks_per_tile}, [&] { return chunk(); });
    }
    Answer elements_of_chunk()
    {
        return one_by_one(Order::chunk, [](auto reader) { return reader.chunk(); });
    }

private:
    using pointer = E const*;
    using pointers = std::conditional_t<std::same_as<Answer, candidate<E>>, pointer, extremes<pointer>>;

    /// What `read` returns of a reader of the next `count` elements, of which it compares the places.
    template <class Read>
    Answer one_by_one(offset count, Read const& read)
    {
        offset const index = std::exchange(index_, index_ + count);
        return numbered(read(host::element_reader_at<Order, pointers>(positions<pointer>(first_ + index), better_)));
    }
    candidate<E> numbered(pointer found) const { return {*found, found - first_}; }
    extremes<candidate<E>> numbered(extremes<pointer> const& found) const
    {
        return {numbered(found.smallest), numbered(found.largest)};
    }

    E const* first_;
    offset index_;
    Better& better_;
};

/// The best of `count` elements from `first` on, at least one.
template <class Answer, class Policy, class E, class Better>
Answer best_in_memory(Policy, E const* first, offset count, Better better)
{
    using order = tilewise::order<E>;
    using reader = candidate_reader<order, Answer, E, Better>;
    offset const tiles = order::tiles_before_last(count);
    aggregates<Answer> found;
    if constexpr (std::same_as<Policy, parallel_policy>) {
        if (tiles >= host::tiles_that_pay<E, on_elements_of<Better, E>, E const*>()) {
            found.resize(static_cast<std::size_t>(tiles));
            host::parallel_for(tiles, [&](offset begin, offset end) {
                Better own_better = better;
                reader own(first, begin * order::tile, own_better);
                for (offset tile = begin; tile != end; ++tile)
                    found[static_cast<std::size_t>(tile)].emplace(own.tile());
            });
        }
    }
    std::optional<Answer> carry(candidate<E>{*first, 0});
    reader in_turn(first, 0, better);
    host::append_tiles<order, Answer>(better, carry, tiles, [&, tile = found.begin()]() mutable -> Answer {
        return found.empty() ? in_turn.tile() : **tile++;
    });
    reader last(first, tiles * order::tile, better);
    Answer const best =
        host::append_last_tile<order, Answer>(better, std::move(carry), count - tiles * order::tile, last);
    return engine::found_in_units(best, [&](offset chunk) { return reader(first, chunk, better).elements_of_chunk(); });
}

} // namespace host
TILEWISE_NAMESPACE_END
