// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reads and writes elements for the engines: one by one, or as arrays.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Elements in memory that is opaque to the compiler, so that no element needs its own optimization barrier.
template <class T>
class opaque_elements {
public:
    explicit opaque_elements(T const* first) : position_(first) {}
    TILEWISE_INLINE T const& operator*() const { return *position_; }
    TILEWISE_INLINE opaque_elements& operator++()
    {
        ++position_;
        return *this;
    }

private:
    T const* position_;
};

template <class T, class Input>
auto opaque_input(Input input)
{
    if constexpr (contiguous_of<Input, T>)
        return opaque_elements<T>(host::opaque_memory(std::to_address(input)));
    else
        return input;
}

/// Returns an input over memory that forget_memory() has already made opaque.
template <class T, class Input>
auto forgotten_input(Input input)
{
    if constexpr (contiguous_of<Input, T>)
        return opaque_elements<T>(std::to_address(input));
    else
        return input;
}

/// Makes the memory behind an iterator opaque to the compiler, if its elements are contiguous.
template <class T, class It>
TILEWISE_INLINE void forget_memory([[maybe_unused]] It const& it)
{
    if constexpr (contiguous_of<It, T>)
        host::opaque_memory(std::to_address(it));
}

/// Returns the next element as a T, and advances the input.
template <class T, class Input>
TILEWISE_INLINE T take(Input& input)
{
    T value = static_cast<T>(*input);
    if constexpr (!std::is_same_v<Input, opaque_elements<T>>)
        host::make_opaque(value);
    ++input;
    return value;
}

/// Writes a value, and advances the output. Values that are written to memory unchanged need no barrier each, only one
/// forget_memory() after all of them.
template <class T, class Out>
TILEWISE_INLINE void put(Out& out, T value)
{
    if constexpr (!contiguous_of<Out, T>)
        host::make_opaque(value);
    if constexpr (is_box<T>)
        tilewise::store(out, std::move(*value));
    else
        tilewise::store(out, std::move(value));
    ++out;
}

/// Yields the elements of an input as arrays: in place, or copied to a buffer. The buffer also prevents the compiler
/// from contracting a transform's products with the additions that follow.
template <class T, std::size_t capacity, class Input>
class array_source {
public:
    static constexpr offset at_once = static_cast<offset>(capacity); ///< the largest size of an array

    explicit array_source(Input input) : input_(std::move(input)) {}
    T const* next(offset count)
    {
        tilewise::for_each_element(input_, count,
                                   [this](offset i, auto&& element) { buffer_[i] = static_cast<T>(element); });
        return host::opaque_memory(buffer_);
    }

private:
    Input input_;
    T buffer_[capacity];
};

template <class T, std::size_t capacity, contiguous_of<T> Input>
class array_source<T, capacity, Input> {
public:
    static constexpr offset at_once = std::numeric_limits<offset>::max();

    explicit array_source(Input input) : position_(host::opaque_memory(std::to_address(input))) {}
    T const* next(offset count) { return std::exchange(position_, position_ + count); }

private:
    T const* position_;
};

/// Provides arrays to write elements to: the output itself, or a buffer that is copied to it.
template <class T, std::size_t capacity, class Out>
class array_sink {
public:
    static constexpr offset at_once = static_cast<offset>(capacity);

    explicit array_sink(Out out) : out_(std::move(out)) {}
    T* room() { return buffer_; }
    void written(offset count)
    {
        T const* element = host::opaque_memory(buffer_);
        for (; count > 0; --count, (void)++element, (void)++out_)
            tilewise::store(out_, *element);
    }
    Out end() { return std::move(out_); }

private:
    Out out_;
    T buffer_[capacity];
};

template <class T, std::size_t capacity, contiguous_of<T> Out>
class array_sink<T, capacity, Out> {
public:
    static constexpr offset at_once = std::numeric_limits<offset>::max();

    explicit array_sink(Out out) : out_(std::move(out)) {}
    T* room() { return std::to_address(out_); }
    void written(offset count)
    {
        host::opaque_memory(std::to_address(out_));
        out_ += count;
    }
    Out end() { return std::move(out_); }

private:
    Out out_;
};

} // namespace host
TILEWISE_NAMESPACE_END
