// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans: checks the arguments and selects the engine.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extent.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/scan.cuh>
#elif defined(TILEWISE_COMPILED)
#include <tilewise/compiled/scan.hpp>
#endif

#include <optional>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Scans an input after `init`, if it has a value, into `out`, and returns the end of the output.
template <scan_form form, class T, class Policy, class Input, class Extent, class Out, class Op>
Out scan(Policy policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    if constexpr (is_engine<Policy>) {
        return policy.template scan<form, T>(std::move(input), std::move(end), std::move(out), std::move(init),
                                             std::move(op));
    } else if constexpr (!tilewise::can_reduce<Policy, T, Op, Input, Extent>() ||
                         !tilewise::can_write<Policy, T, Out>()) {
        return out;
    } else if (tilewise::is_empty_input(input, end)) {
        return out;
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::scan<standard_geometry, form, T>(policy, input, end, out, init, gpu::operator_on<T>(op));
        return out + end;
#elif defined(TILEWISE_COMPILED)
        library::scan<form>(policy, input, end, out, init, op);
        return out + end;
#else
        throw_no_device();
#endif
    } else {
        if (init)
            host::make_opaque(*init);
        return host::scan<standard_geometry, form>(policy, std::move(input), std::move(end), std::move(out),
                                                   std::move(init), known::operator_or_self<T>(std::move(op)));
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
