// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tables of an axis, where kernels can read them.

#include <tilewise/axis/composed.hpp>
#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/runtime.cuh>
#include <tilewise/device/workspace.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

struct ignore_table {
    template <class T>
    TILEWISE_PORTABLE void operator()(T const*, offset) const
    {}
};

/// Axes with tables.
template <class Bins>
concept has_tables = binning::has_tables_for<Bins, ignore_table>; // nvcc would deny it a lambda

/// A table begins where the widest load can.
template <class T>
TILEWISE_PORTABLE constexpr offset room_of_table(offset count)
{
    return (count * offset{sizeof(T)} + granule_bytes - 1) / granule_bytes * granule_bytes;
}

/// What the tables of an axis take.
template <class Bins>
offset room_of_tables(Bins& bins)
{
    offset bytes = 0;
    if constexpr (has_tables<Bins>)
        bins.for_each_table([&]<class T>(T const*, offset count) { bytes += room_of_table<T>(count); });
    return bytes;
}

/// Copies of the tables of an axis' view, in memory of the GPU, for the kernels of one call; the view is made to point
/// to them. Keep it until those kernels are in the stream.
///
/// A captured call copies the tables again whenever its graph is launched, so that the axis has to outlive the graph.
/// Otherwise nobody needs the axis after the call.
class tables_on_device {
public:
    template <class View, class Policy>
    tables_on_device(View& view, Policy const& policy, current_device const& device, bool captured)
    {
        if constexpr (has_tables<View>) {
            offset const bytes = room_of_tables(view);
            if (bytes == 0)
                return;
            memory_.emplace(policy, device, captured, static_cast<std::size_t>(bytes));
            auto* copy = static_cast<unsigned char*>(memory_->begin());
            view.for_each_table([&]<class T>(T const*& table, offset count) {
                if (count > 0)
                    TILEWISE_CUDA(cudaMemcpyAsync, copy, table, static_cast<std::size_t>(count) * sizeof(T),
                                  cudaMemcpyDefault, policy.stream());
                table = reinterpret_cast<T const*>(copy);
                copy += room_of_table<T>(count);
            });
        }
    }

private:
    std::optional<scratch> memory_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
