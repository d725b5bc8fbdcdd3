// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A rank's scan of a part of a range, at the position of the part in the whole range, by the engine of the local
/// policy.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/scan/part.cuh>
#endif

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The order for values of type T, as they are combined.
template <class T, class Geometry>
using order_on_ranks =
    std::conditional_t<host::is_large<T>, order<combined<T>, host::order_of_lanes<Geometry>>, order<T, Geometry>>;

/// An input as the engines of the host read it.
template <class T, class Input>
auto host_input(Input input, offset count)
{
    auto elements = tilewise::unwrap_input(std::move(input), count);
    if constexpr (host::is_large<T>)
        return host::boxed_input<T, decltype(elements)>(std::move(elements));
    else
        return elements;
}
/// An operator as those engines call it.
template <class T, class Op>
auto host_operator(Op op)
{
    if constexpr (host::is_large<T>)
        return host::boxed_op<T, Op>{std::move(op)};
    else
        return op;
}

/// Scans `count` elements, at least one, of a range in which the first of them has the position `begin`. `reduce` is
/// called first, if at all: then the exclusive prefix of the part may come from ranks that have to be asked.
template <class Geometry, scan_form form, class T, class Local, class Elements, class Out, class Op>
class part_scan {
    using order = order_on_ranks<T, Geometry>;

public:
    /// Whether `scan` needs what `reduce` has found.
    static constexpr bool scans_after_reduction = std::same_as<Local, parallel_policy> && !shares_words<Out>;

    part_scan(Local const& local, Elements elements, Out out, offset begin, offset count, Op const&)
        : local_(local), input_(engine::host_input<T>(std::move(elements), count)), out_(std::move(out)), begin_(begin),
          count_(count)
    {}

    /// Returns the part as a fragment.
    template <class HostOp>
    host::fragment<order, combined<T>> reduce(HostOp& host_op)
    {
        return host::fragment_of<order, combined<T>>(local_, input_, begin_, begin_ + count_, host_op, tiles_);
    }
    /// Writes the results, given where the part enters the range, and returns their end. Call `wait` before they are
    /// read.
    template <class HostOp>
    Out scan(host::entry<order, combined<T>> at, HostOp& host_op)
    {
        return host::scan_part<order, form>(std::move(at), std::move(input_), count_, std::move(out_), host_op, tiles_);
    }
    void wait() {}

private:
    Local local_;
    decltype(engine::host_input<T>(std::declval<Elements>(), offset{})) input_;
    Out out_;
    offset begin_, count_;
    host::aggregates<combined<T>> tiles_;
};

/// The same on a GPU: `reduce` always comes first.
template <class Geometry, scan_form form, class T, class Local, class Elements, class Out, class Op>
    requires is_device_policy<Local>
class part_scan<Geometry, form, T, Local, Elements, Out, Op> {
    using order = tilewise::order<T, Geometry>;

public:
    static constexpr bool scans_after_reduction = true;

#ifdef TILEWISE_DEVICE_ENGINE
    part_scan(Local const& local, Elements const& elements, Out const& out, offset begin, offset count, Op const& op)
        : scanner_(local, elements, out, begin, begin + count, gpu::operator_on<T>(op)), out_(out), begin_(begin),
          count_(count)
    {}

    template <class HostOp>
    host::fragment<order, T> reduce(HostOp& host_op)
    {
        host::fragment<order, T> part(begin_);
        scanner_.reduce([&](int level, T const& aggregate) { part.append(host_op, level, aggregate); });
        return part;
    }
    template <class HostOp>
    Out scan(host::entry<order, T> at, HostOp& host_op)
    {
        scanner_.scan(std::move(at), host_op);
        return out_ + count_;
    }
    void wait() { scanner_.wait(); }

private:
    gpu::part_scanner<Geometry, form, T, Local, Elements, Out, decltype(gpu::operator_on<T>(std::declval<Op const&>()))>
        scanner_;
    Out out_;
    offset begin_, count_;
#else
    part_scan(Local const&, Elements const&, Out const&, offset, offset, Op const&) { throw_no_device(); }
    template <class HostOp>
    host::fragment<order, T> reduce(HostOp&)
    {
        throw_no_device();
    }
    template <class HostOp>
    Out scan(host::entry<order, T>, HostOp&)
    {
        throw_no_device();
    }
    void wait() { throw_no_device(); }
#endif
};

} // namespace engine
TILEWISE_NAMESPACE_END
