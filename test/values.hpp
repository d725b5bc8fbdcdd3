// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Values, operators, iterators and sizes that several tests share.

#include <tilewise/core/config.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace values {

/// Elements in a tile of the order, for accumulators of a size.
constexpr std::size_t tile_of(std::size_t accumulator_bytes)
{
    return 2048 * std::max<std::size_t>(1, 16 / accumulator_bytes);
}

/// Enough elements for every core to have some, whatever the operator.
constexpr std::size_t many_tiles(std::size_t accumulator_bytes)
{
    return 70 * tile_of(accumulator_bytes) + 13;
}

/// Numbers of elements around the boundaries of the order, for accumulators of a size.
inline std::vector<std::size_t> sizes_around_units(std::size_t accumulator_bytes)
{
    std::size_t const tile = tile_of(accumulator_bytes), prime = 7919;
    std::vector<std::size_t> sizes{0, 1, 2, prime, tile + tile / 8 + 1, many_tiles(accumulator_bytes)};
    for (std::size_t unit : {tile / 2048, tile / 64, tile / 8, tile, 32 * tile})
        sizes.insert(sizes.end(), {unit - 1, unit, unit + 1});
    return sizes;
}

/// Numbers without a pattern that an error could hide behind.
inline std::vector<unsigned> seeds(std::size_t count)
{
    std::vector<unsigned> result(count);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = static_cast<unsigned>(i) * 2654435761U ^ static_cast<unsigned>(i >> 7);
    return result;
}

/// `count` words of memory without a default constructor: an affine map in the first two, whatever `compose` keeps of
/// left and right in the others.
template <class Word, std::size_t count>
struct words {
    Word word[count];

    words(unsigned seed)
    {
        for (std::size_t i = 0; i < count; ++i)
            word[i] = static_cast<Word>((seed >> i % 8) + 2 * i + 1);
    }
    bool operator==(words const&) const = default;
};

/// The first map, then the second: associative, not commutative, exact.
struct compose {
    template <class Word, std::size_t count>
    TILEWISE_PORTABLE words<Word, count> operator()(words<Word, count> const& first,
                                                    words<Word, count> const& second) const
    {
        auto result = first;
        result.word[0] = static_cast<Word>(first.word[0] * second.word[0]);
        result.word[1] = static_cast<Word>(first.word[1] * second.word[0] + second.word[1]);
        for (std::size_t i = 3; i < count; i += 2)
            result.word[i] = second.word[i];
        return result;
    }
};
using map = words<std::uint32_t, 2>;

/// A 2x2 matrix of integers, which wrap.
struct matrix {
    unsigned a, b, c, d;

    bool operator==(matrix const&) const = default;
    TILEWISE_PORTABLE friend matrix operator*(matrix const& x, matrix const& y)
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/// May be neither default constructed nor assigned.
struct constant {
    map const value;

    constant(unsigned seed) : value(seed) {}
    explicit constant(map result) : value(result) {}
    bool operator==(constant const&) const = default;
    friend constant operator*(constant const& x, constant const& y) { return constant(compose{}(x.value, y.value)); }
};

/// May be moved but not copied.
struct move_only {
    std::unique_ptr<map> value;

    move_only(unsigned seed) : value(std::make_unique<map>(seed)) {}
    bool operator==(move_only const& other) const { return *value == *other.value; }
    friend move_only operator*(move_only x, move_only y)
    {
        *x.value = compose{}(*x.value, *y.value);
        return x;
    }
};

/// What a fuse throws.
struct blown : std::runtime_error {
    blown() : std::runtime_error("the fuse has blown") {}
};

/// Throws at the event that it was set to.
class fuse {
public:
    static constexpr long never = 1L << 40;

    static void set(long event) { left_ = event; }
    static long events_since_set_to_never() { return never - left_; }
    static void burn()
    {
        if (left_.fetch_sub(1) == 1)
            throw blown();
    }

private:
    static inline std::atomic<long> left_ = never;
};

/// Knows how many of its kind are alive. Every construction and assignment may blow the fuse.
class tracked {
public:
    static inline std::atomic<long> alive = 0;

    tracked(unsigned seed) : value_(seed) { born(); }
    tracked(tracked const& other) : value_(other.value_) { born(); }
    tracked(tracked&& other) : value_(other.value_) { born(); } // NOLINT(performance-noexcept-move-constructor)
    tracked& operator=(tracked const& other)
    {
        fuse::burn();
        value_ = other.value_;
        return *this;
    }
    ~tracked() { --alive; }
    bool operator==(tracked const& other) const { return value_ == other.value_; }
    friend tracked operator+(tracked const& x, tracked const& y) { return tracked(x.value_ + y.value_); }

private:
    static void born()
    {
        fuse::burn();
        ++alive;
    }
    unsigned value_;
};

/// The elements of a vector, to be read once each by any copy of the iterator, as from a stream.
class single_pass {
public:
    struct state {
        std::vector<unsigned> elements;
        std::size_t position = 0;
        bool read = false;
    };
    using iterator_category = std::input_iterator_tag;
    using value_type = unsigned;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = unsigned;

    single_pass() = default;
    explicit single_pass(state& stream) : stream_(&stream) {}
    unsigned operator*() const
    {
        if (ended() || std::exchange(stream_->read, true))
            throw std::logic_error("read past the end or twice");
        return stream_->elements[stream_->position];
    }
    single_pass& operator++()
    {
        if (ended() || !std::exchange(stream_->read, false))
            throw std::logic_error("stepped past the end or over an element");
        ++stream_->position;
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(single_pass const& a, single_pass const& b) { return a.ended() == b.ended(); }

private:
    bool ended() const { return stream_ == nullptr || stream_->position == stream_->elements.size(); }
    state* stream_ = nullptr;
};

/// Stands where there is no element: throws when it is touched.
template <class Category>
struct untouchable {
    using iterator_category = Category;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = int*;
    using reference = int&;

    int& operator*() const { return touched(), *element; }
    int& operator[](difference_type) const { return touched(), *element; }
    untouchable& operator++() { return touched(), *this; }
    untouchable operator++(int) { return touched(), *this; }
    bool operator==(untouchable const&) const { return true; }
    friend difference_type operator-(untouchable, untouchable)
        requires std::same_as<Category, std::random_access_iterator_tag>
    {
        return 0;
    }
    friend untouchable operator+(untouchable, difference_type)
        requires std::same_as<Category, std::random_access_iterator_tag>
    {
        return touched(), untouchable();
    }

private:
    static inline bool volatile reached = true;
    static inline int* element = nullptr;
    static void touched()
    {
        if (reached) // always, which the compiler shall not know
            throw std::logic_error("an iterator of an empty range was touched");
    }
};

} // namespace values
