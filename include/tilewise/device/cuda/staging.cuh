// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Staging of pageable host memory: elements are copied to the GPU before the kernels of a call read them, and results
/// are copied to the host after its kernels have written them.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <array>
#include <cstddef>
#include <forward_list>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The staging of one call, or of one piece of a call. Memory that the GPU can access is used in place; pageable host
/// memory is copied if the call waits, and rejected otherwise. This object has to live until the kernels are launched.
class staging {
public:
    explicit staging(device_call const& by) : by_(by) {}
    staging(staging const&) = delete;
    staging& operator=(staging const&) = delete;
    [[gnu::noinline]] ~staging() = default; // inlined, it would be compiled with every function that stages

    /// Returns how many bytes per element of a view have to be staged. Throws if memory can be neither read nor staged.
    template <class View>
    std::size_t bytes_per_element(View& view) const
    {
        int const device = by_.device().index();
        view.for_each_hidden([&](void const* memory) {
            memory_kind const kind = kind_of(memory, device);
            if (memory != nullptr && !(kind == memory_kind::pageable && reads_any_memory(device)))
                check_readable(by_.algorithm(), kind);
        });
        std::size_t bytes = 0;
        view.for_each_memory([&](auto& memory) {
            if (memory.size > 0 && is_staged(memory.first, &check_readable))
                bytes += sizeof(*memory.first);
        });
        return bytes;
    }
    /// Returns how many bytes per result of a sink have to be staged. Memory that is not staged has to pass `check`.
    template <class Sink>
    std::size_t bytes_per_result([[maybe_unused]] Sink const& sink,
                                 [[maybe_unused]] void (*check)(char const*, memory_kind) = &check_writable) const
    {
        if constexpr (requires { sink.first; })
            return is_staged(sink.first, check) ? sizeof(*sink.first) : 0;
        else
            return 0;
    }

    /// Returns how many bytes the call may stage at once, if it needs `wanted`.
    std::size_t budget_for(std::size_t wanted) const
    {
        if (by_.budget() != 0)
            return by_.budget();
        if (wanted <= staging_tuning::unchecked_bytes)
            return wanted;
        relaxed_capture const allowed;
        std::size_t free = 0, total = 0;
        TILEWISE_CUDA(cudaMemGetInfo, &free, &total);
        return free - free / 8;
    }
    /// Returns how many of `count` elements the call stages at once, with `bytes_each` per element and `fixed` bytes in
    /// addition: all of them if the budget permits, otherwise a multiple of `unit`, and at least one unit.
    offset elements_at_once(offset count, std::size_t bytes_each, offset unit, std::size_t fixed = 0) const
    {
        if (bytes_each == 0 || count <= unit)
            return count;
        std::size_t const wanted = static_cast<std::size_t>(count) * bytes_each + fixed, budget = budget_for(wanted);
        if (wanted <= budget)
            return count;
        auto const affordable = static_cast<offset>((budget - std::min(fixed, budget)) / bytes_each);
        return std::min(count, std::max(offset{1}, affordable / unit) * unit);
    }

    /// Stages in the memory that a view reads, and makes the view read the copies.
    template <class View>
    void stage_in(View& view)
    {
        view.for_each_memory([&](auto& memory) {
            if (memory.size > 0)
                memory.first = stage_in(memory.first, memory.size);
        });
    }
    /// The same for only the first `count` elements of a view.
    template <class View>
    void stage_in_first(View& view, offset count)
    {
        view.for_each_memory([&](auto& memory) { memory.size = std::min(memory.size, count); });
        stage_in(view);
    }
    /// The same for `count` elements from `begin` on, which keep their positions.
    template <class View>
    void stage_in_part(View& view, offset begin, offset count)
    {
        view.for_each_memory([&](auto& memory) {
            if (count > 0 && memory.first != nullptr)
                memory.first = stage_in(memory.first + begin, count) - begin;
        });
    }
    /// Stages in `count` elements from `from` on, if necessary. \returns where the GPU can read them
    template <class E>
    E const* stage_in(E const* from, offset count)
    {
        if (!is_staged(from, &check_readable))
            return from;
        auto const bytes = static_cast<std::size_t>(count) * sizeof(E);
        void* const copy = allocate(bytes);
        ring()->copy_to_device(copy, from, bytes, by_.stream());
        return static_cast<E const*>(copy);
    }
    /// Stages in the two elements of host memory that `ahead` points to, followed by `count` elements from `from` on.
    template <class E>
    E const* stage_in(std::array<E const*, 2> const& ahead, E const* from, offset count)
    {
        auto* const copy = static_cast<unsigned char*>(allocate((static_cast<std::size_t>(count) + 2) * sizeof(E)));
        ring()->copy_to_device(copy, ahead[0], sizeof(E), by_.stream());
        ring()->copy_to_device(copy + sizeof(E), ahead[1], sizeof(E), by_.stream());
        ring()->copy_to_device(copy + 2 * sizeof(E), from, static_cast<std::size_t>(count) * sizeof(E), by_.stream());
        return reinterpret_cast<E const*>(copy);
    }

    /// Makes a sink write `count` results to device memory, from which `copy_out` copies them. If `keeps`, that memory
    /// is initialised with the values on the host.
    template <class Sink>
    void stage_out(Sink& sink, offset count, bool keeps = false)
    {
        if constexpr (requires { sink.first; }) {
            if (count == 0 || !is_staged(sink.first, &check_writable))
                return;
            result_ = {sink.first, nullptr, static_cast<std::size_t>(count) * sizeof(*sink.first), sizeof(*sink.first)};
            result_.device = allocate(result_.bytes);
            if (keeps)
                ring()->copy_to_device(result_.device, result_.host, result_.bytes, by_.stream());
            sink.first = static_cast<decltype(sink.first)>(result_.device);
        }
    }
    /// The same for `count` results from `begin` on, which keep their positions. Those that no kernel writes are
    /// preserved.
    template <class Sink>
    void stage_out_part(Sink& sink, offset begin, offset count)
    {
        if constexpr (requires { sink.first; }) {
            sink.first += begin;
            stage_out(sink, count, true);
            sink.first -= begin;
        }
    }
    /// Of the results, only the first `count` are copied out.
    void keep_first(offset count)
    {
        result_.bytes = std::min(result_.bytes, static_cast<std::size_t>(count) * result_.bytes_each);
    }
    /// Copies the results to the host, and waits for the copies.
    void copy_out()
    {
        if (result_.bytes > 0)
            ring()->copy_to_host(result_.host, result_.device, result_.bytes, by_.stream());
    }

private:
    [[gnu::noinline]] bool is_staged(void const* memory, void (*check)(char const*, memory_kind)) const
    {
        memory_kind const kind = kind_of(memory, by_.device().index());
        if (kind == memory_kind::pageable && memory != nullptr && by_.waits() && !by_.is_captured())
            return true;
        check(by_.algorithm(), kind);
        return false;
    }
    void* allocate(std::size_t bytes) { return memory_.emplace_front(by_, static_cast<offset>(bytes)).begin(); }
    leased_ring& ring()
    {
        if (!ring_)
            ring_.emplace(by_.device());
        return *ring_;
    }

    device_call const& by_;
    std::forward_list<scratch<unsigned char>> memory_;
    std::optional<leased_ring> ring_;
    struct {
        void *host, *device;
        std::size_t bytes, bytes_each;
    } result_ = {};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
