// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Ordinary host memory under the device policy: a copy on the GPU stands for it during a call.
///
/// Copies pass through a few buffers of pinned memory in turn. All cores fill one while the GPU's copy engine empties
/// those before it; one core alone, which is what a copy from pageable memory by CUDA has, is several times slower than
/// the bus.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/workspace.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/host/parallel.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Copies bytes on the host, with all cores where that pays.
inline void copy_on_host(void* to, void const* from, std::size_t bytes)
{
    constexpr std::size_t unit = staging_tuning::bytes_per_task;
    auto const copy = [=](std::size_t begin, std::size_t end) {
        std::memcpy(static_cast<unsigned char*>(to) + begin, static_cast<unsigned char const*>(from) + begin,
                    end - begin);
    };
    if (bytes <= 2 * unit)
        return copy(0, bytes);
    host::parallel_for(static_cast<offset>((bytes + unit - 1) / unit), [&](offset first, offset last) {
        copy(static_cast<std::size_t>(first) * unit, std::min(bytes, static_cast<std::size_t>(last) * unit));
    });
}

/// Buffers of pinned memory that copies take turns with.
class pinned_ring {
public:
    static constexpr std::size_t buffers = staging_tuning::buffers;

    explicit pinned_ring(std::size_t buffer_bytes = staging_tuning::buffer_bytes) : buffer_bytes_(buffer_bytes)
    {
        relaxed_capture const allowed; // others may be capturing
        TILEWISE_CUDA(cudaHostAlloc, &memory_, buffers * buffer_bytes, cudaHostAllocPortable);
        for (cudaEvent_t& event : done_)
            if (cudaError_t const error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
                error != cudaSuccess) {
                release();
                throw_cuda_error(error, "cudaEventCreateWithFlags");
            }
    }
    pinned_ring(pinned_ring const&) = delete;
    pinned_ring& operator=(pinned_ring const&) = delete;
    ~pinned_ring() { release(); }

    /// Whether events tell when each buffer is free.
    bool is_settled() const { return is_settled_; }

    /// Copies host memory to the device, in stream order. The host memory is free to change when this returns.
    void copy_to_device(void* to, void const* from, std::size_t bytes, cudaStream_t stream)
    {
        relaxed_capture const allowed;
        for (std::size_t begin = 0; begin < bytes; begin += buffer_bytes_) {
            std::size_t const part = std::min(bytes - begin, buffer_bytes_), turn = next_++ % buffers;
            TILEWISE_CUDA(cudaEventSynchronize, done_[turn]);
            copy_on_host(buffer(turn), static_cast<unsigned char const*>(from) + begin, part);
            TILEWISE_CUDA(cudaMemcpyAsync, static_cast<unsigned char*>(to) + begin, buffer(turn), part,
                          cudaMemcpyHostToDevice, stream);
            record(turn, stream);
        }
    }

    /// Copies device memory to the host after what is in the stream, and waits for it.
    void copy_to_host(void* to, void const* from, std::size_t bytes, cudaStream_t stream)
    {
        relaxed_capture const allowed;
        std::size_t const first = next_;
        std::size_t asked = 0, arrived = 0; // bytes
        auto const part_at = [&](std::size_t begin) { return std::min(bytes - begin, buffer_bytes_); };
        while (arrived < bytes) {
            while (asked < bytes && asked - arrived < buffers * buffer_bytes_) {
                std::size_t const turn = next_++ % buffers;
                TILEWISE_CUDA(cudaEventSynchronize, done_[turn]);
                TILEWISE_CUDA(cudaMemcpyAsync, buffer(turn), static_cast<unsigned char const*>(from) + asked,
                              part_at(asked), cudaMemcpyDeviceToHost, stream);
                record(turn, stream);
                asked += part_at(asked);
            }
            std::size_t const turn = (first + arrived / buffer_bytes_) % buffers;
            TILEWISE_CUDA(cudaEventSynchronize, done_[turn]);
            copy_on_host(static_cast<unsigned char*>(to) + arrived, buffer(turn), part_at(arrived));
            arrived += part_at(arrived);
        }
    }

private:
    void* buffer(std::size_t turn) const { return static_cast<unsigned char*>(memory_) + turn * buffer_bytes_; }
    /// Notes that a copy from or to a buffer was started.
    void record(std::size_t turn, cudaStream_t stream)
    {
        if (cudaError_t const error = cudaEventRecord(done_[turn], stream); error != cudaSuccess) {
            is_settled_ = is_done_after_waiting(stream);
            throw_cuda_error(error, "cudaEventRecord");
        }
    }
    void release()
    {
        for (cudaEvent_t const event : done_)
            if (event != nullptr)
                static_cast<void>(cudaEventDestroy(event));
        static_cast<void>(cudaFreeHost(memory_));
    }

    std::size_t buffer_bytes_;
    bool is_settled_ = true;
    void* memory_ = nullptr;
    std::array<cudaEvent_t, buffers> done_ = {}; ///< the last copy from or to a buffer
    std::size_t next_ = 0;
};

/// A ring for one call, kept for later ones.
class leased_ring {
public:
    explicit leased_ring(current_device const& device) : own_{device.index(), device.context(), nullptr}
    {
        cache& idle = cache::instance();
        {
            std::lock_guard const lock(idle.mutex);
            std::erase_if(idle.rings, [&](entry const& each) { // of the device before it was reset
                return each.device == own_.device && each.context < own_.context;
            });
            auto const found = std::find_if(idle.rings.begin(), idle.rings.end(),
                                            [&](entry const& each) { return each.context == own_.context; });
            if (found != idle.rings.end()) {
                own_ = *found;
                idle.rings.erase(found);
                return;
            }
        }
        auto made = std::make_unique<pinned_ring>();
        std::lock_guard const lock(idle.mutex);
        idle.rings.reserve(++idle.made); // room for all: giving one back cannot fail
        own_.ring = made.release();
    }
    leased_ring(leased_ring const&) = delete;
    leased_ring& operator=(leased_ring const&) = delete;
    ~leased_ring()
    {
        if (!own_.ring->is_settled()) // a copy may still be at work in its memory, for nobody knows how long
            return;
        std::lock_guard const lock(cache::instance().mutex);
        cache::instance().rings.push_back(own_);
    }
    pinned_ring* operator->() const { return own_.ring; }

private:
    struct entry {
        int device;
        unsigned long long context; ///< see context_id
        pinned_ring* ring;          ///< not to be touched once its context is gone
    };
    struct cache {
        std::mutex mutex;
        std::vector<entry> rings;
        std::size_t made = 0;

        /// It outlives every other object: CUDA may be gone before it.
        static cache& instance()
        {
            static auto* const one = [] {
                auto made = std::make_unique<cache>();
                cache_list::instance().add([] { instance().release(); });
                return made.release();
            }();
            return *one;
        }
        void release()
        {
            std::lock_guard const lock(mutex);
            std::vector<entry> all = rings;
            rings.clear();
            for (entry const& each : release_when_idle(std::move(all), [](entry const& idle) { delete idle.ring; }))
                rings.push_back(each);
        }
    };

    entry own_;
};

/// How many bytes of copies of host memory a call may have on the GPU at once, if it would like so many.
template <class Policy>
std::size_t budget_of(Policy const& policy, std::size_t wanted)
{
    if (policy.budget() != 0)
        return policy.budget();
    if (wanted <= staging_tuning::unasked_bytes)
        return wanted;
    relaxed_capture const allowed;
    std::size_t free = 0, total = 0;
    TILEWISE_CUDA(cudaMemGetInfo, &free, &total);
    return free - free / 8;
}

/// How many of `count` elements a call copies at once, at so many bytes each and `fixed` more, to stay within its
/// budget: all of them, or whole units, and one unit at least.
template <class Policy>
offset elements_at_once(Policy const& policy, offset count, std::size_t bytes_each, offset unit, std::size_t fixed = 0)
{
    if (bytes_each == 0 || count <= unit)
        return count;
    std::size_t const wanted = static_cast<std::size_t>(count) * bytes_each + fixed,
                      budget = gpu::budget_of(policy, wanted);
    if (wanted <= budget)
        return count;
    auto const affordable = static_cast<offset>((budget - std::min(fixed, budget)) / bytes_each);
    return std::min(count, std::max(offset{1}, affordable / unit) * unit);
}

/// One call's stand-ins for host memory: made where the GPU cannot read or write what it is to, and nothing otherwise.
/// Keep it until the call's kernels are in the stream.
template <class Policy>
class stand_ins {
public:
    stand_ins(char const* algorithm, Policy const& policy, current_device const& device, bool captured)
        : algorithm_(algorithm), policy_(policy), device_(device), captured_(captured)
    {}

    /// How many bytes of copies an element of a view takes. Memory that takes none, and cannot be read, is refused.
    template <class View>
    std::size_t bytes_per_element(View& view) const
    {
        view.for_each_hidden([&](void const* memory) {
            memory_kind const kind = kind_of(memory, device_.index());
            if (memory != nullptr && !(kind == memory_kind::pageable && reads_any_memory(device_.index())))
                check_readable(algorithm_, kind);
        });
        std::size_t bytes = 0;
        view.for_each_memory([&](auto& memory) {
            if (memory.size > 0 && needs_stand_in(memory.first, &check_readable))
                bytes += sizeof(*memory.first);
        });
        return bytes;
    }
    /// Likewise a result, in memory that passes `check`.
    template <class Sink>
    std::size_t bytes_per_result([[maybe_unused]] Sink const& sink,
                                 [[maybe_unused]] void (*check)(char const*, memory_kind) = &check_writable) const
    {
        if constexpr (requires { sink.first; })
            return needs_stand_in(sink.first, check) ? sizeof(*sink.first) : 0;
        else
            return 0;
    }

    /// Has a view read copies of the elements that are in host memory.
    template <class View>
    void bring(View& view)
    {
        view.for_each_memory([&](auto& memory) {
            if (memory.size > 0)
                memory.first = readable(memory.first, memory.size);
        });
    }
    /// The same for the first `count` elements of a view.
    template <class View>
    void bring(View& view, offset count)
    {
        view.for_each_memory([&](auto& memory) { memory.size = std::min(memory.size, count); });
        bring(view);
    }
    /// The same for `count` elements from `begin` on, which keep their numbers.
    template <class View>
    void bring_some(View& view, offset begin, offset count)
    {
        view.for_each_memory([&](auto& memory) {
            if (count > 0 && memory.first != nullptr)
                memory.first = readable(memory.first + begin, count) - begin;
        });
    }

    /// `from`, or a copy of the elements there.
    template <class E>
    E const* readable(E const* from, offset count)
    {
        if (!needs_stand_in(from, &check_readable))
            return from;
        auto const bytes = static_cast<std::size_t>(count) * sizeof(E);
        void* const copy = room(bytes);
        ring()->copy_to_device(copy, from, bytes, policy_.stream());
        return static_cast<E const*>(copy);
    }

    /// A copy of two elements of host memory, and of `count` more behind them.
    template <class E>
    E const* readable(std::array<E const*, 2> const& ahead, E const* from, offset count)
    {
        auto* const copy = static_cast<unsigned char*>(room((static_cast<std::size_t>(count) + 2) * sizeof(E)));
        ring()->copy_to_device(copy, ahead[0], sizeof(E), policy_.stream());
        ring()->copy_to_device(copy + sizeof(E), ahead[1], sizeof(E), policy_.stream());
        ring()->copy_to_device(copy + 2 * sizeof(E), from, static_cast<std::size_t>(count) * sizeof(E),
                               policy_.stream());
        return reinterpret_cast<E const*>(copy);
    }

    /// Has a sink write `count` elements to the device, for `deliver`; they are as on the host until then, if `keeps`.
    template <class Sink>
    void take(Sink& sink, offset count, bool keeps = false)
    {
        if constexpr (requires { sink.first; }) {
            if (count == 0 || !needs_stand_in(sink.first, &check_writable))
                return;
            result_ = {sink.first, nullptr, static_cast<std::size_t>(count) * sizeof(*sink.first)};
            result_.there = room(result_.bytes);
            if (keeps)
                ring()->copy_to_device(result_.there, result_.here, result_.bytes, policy_.stream());
            sink.first = static_cast<decltype(sink.first)>(result_.there);
        }
    }

    /// The same for `count` elements from `begin` on, which keep their numbers; those that nobody writes stay.
    template <class Sink>
    void take_some(Sink& sink, offset begin, offset count)
    {
        if constexpr (requires { sink.first; }) {
            sink.first += begin;
            take(sink, count, true);
            sink.first -= begin;
        }
    }

    /// Copies what was written for the host to it, and waits for that.
    void deliver()
    {
        if (result_.bytes > 0)
            ring()->copy_to_host(result_.here, result_.there, result_.bytes, policy_.stream());
    }

private:
    bool needs_stand_in(void const* memory, void (*check)(char const*, memory_kind)) const
    {
        memory_kind const kind = kind_of(memory, device_.index());
        if (kind == memory_kind::pageable && memory != nullptr && Policy::waits && !captured_)
            return true;
        check(algorithm_, kind);
        return false;
    }
    void* room(std::size_t bytes)
    {
        memory_.push_back(std::make_unique<scratch>(policy_, device_, captured_, bytes));
        return memory_.back()->begin();
    }
    leased_ring& ring()
    {
        if (!ring_)
            ring_.emplace(device_);
        return *ring_;
    }

    char const* algorithm_;
    Policy const& policy_;
    current_device const& device_;
    bool captured_;
    std::vector<std::unique_ptr<scratch>> memory_;
    std::optional<leased_ring> ring_;
    struct {
        void *here, *there;
        std::size_t bytes;
    } result_ = {};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
