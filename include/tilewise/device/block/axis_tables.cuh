// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Copies of the tables of an axis in device memory.

#include <tilewise/axis/product.hpp>
#include <tilewise/axis/variable.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/table_buffers.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

struct ignore_table {
    template <class T>
    TILEWISE_PORTABLE void operator()(T const*, offset) const
    {}
};

/// The view of an axis that has tables.
template <class Bins>
concept has_tables = binning::has_tables_for<Bins, ignore_table>; // nvcc rejects a lambda here

/// @name Owners of tables
/// The owner of all tables of a view, or null. A view of a user's axis has none, also if it is derived from one of the
/// library's: it may have further tables.
/// @{
template <class Bins>
std::weak_ptr<void const> owner_of_tables(Bins const&)
{
    return {};
}
template <class A>
std::weak_ptr<void const> owner_of_tables(binning::variable_bins<A> const& bins)
{
    return bins.owner_of_tables();
}
/// @}

/// Returns the bytes reserved for a table, which is aligned for the widest load.
template <class T>
TILEWISE_PORTABLE constexpr offset room_of_table(offset count)
{
    return (count * offset{sizeof(T)} + vector_bytes - 1) / vector_bytes * vector_bytes;
}

/// Returns the bytes reserved for the tables of an axis.
template <class Bins>
offset room_of_tables(Bins& bins)
{
    offset bytes = 0;
    if constexpr (has_tables<Bins>)
        bins.for_each_table([&]<class T>(T const*, offset count) { bytes += gpu::room_of_table<T>(count); });
    return bytes;
}

/// Copies of the tables of an axis' view in device memory, for the kernels of one call. The constructor makes the view
/// point to them. This object has to live until the kernels are launched. The axis is not needed afterwards, also if
/// the call is captured: the graph has its own copy of the tables.
class tables_on_device {
public:
    template <class View>
    tables_on_device(View& view, device_call const& by)
    {
        if constexpr (has_tables<View>) {
            auto const bytes = static_cast<std::size_t>(gpu::room_of_tables(view));
            if (bytes == 0)
                return;
            memory_.emplace(by, static_cast<offset>(bytes));
            bool const copied = by.is_captured() || bytes > most_staged_by_cuda;
            if (copied) {
                auto const owner = gpu::owner_of_tables(view);
                table_buffer buffer(by.device(), bytes, owner);
                buffer.fill(owner, [&](unsigned char* to) { gather(view, to); });
                if (by.is_captured())
                    buffer.copy_in_graph(memory_->begin(), bytes, by.stream());
                else
                    buffer.copy_to(memory_->begin(), bytes, by.stream());
            }
            auto* copy = memory_->begin();
            view.for_each_table([&]<class T>(T const*& table, offset count) {
                if (count > 0 && !copied)
                    TILEWISE_CUDA(cudaMemcpyAsync, copy, table, static_cast<std::size_t>(count) * sizeof(T),
                                  cudaMemcpyDefault, by.stream());
                table = reinterpret_cast<T const*>(copy);
                copy += gpu::room_of_table<T>(count);
            });
        }
    }

private:
    /// The most bytes of pageable memory that CUDA copies without waiting for the stream.
    static constexpr std::size_t most_staged_by_cuda = 64 * 1024;

    template <class View>
    static void gather(View& view, unsigned char* to)
    {
        view.for_each_table([&]<class T>(T const* table, offset count) {
            auto const bytes = static_cast<std::size_t>(count) * sizeof(T),
                       room = static_cast<std::size_t>(gpu::room_of_table<T>(count));
            std::memcpy(to, table, bytes);
            std::memset(to + bytes, 0, room - bytes);
            to += room;
        });
    }

    std::optional<scratch<unsigned char>> memory_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
