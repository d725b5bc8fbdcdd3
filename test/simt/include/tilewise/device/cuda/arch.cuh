// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The GPU, simulated by the interpreter. This header has the name and the interface of the library's own arch.cuh and
/// precedes it on the include path, so the library's kernels run on a CPU unchanged.

#include <simt/kernel.hpp>

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#define TILEWISE_DEVICE inline
#ifdef SIMT_STATIC_KERNELS // as nvcc 13 compiles templates
#define TILEWISE_KERNEL(threads, blocks) static void
#else
#define TILEWISE_KERNEL(threads, blocks) void
#endif

/// Declares an object in shared memory. Each block has storage of exactly its size, in which nothing is constructed and
/// every byte is uninitialized.
#define TILEWISE_SHARED(name, ...)                                                                                     \
    static char simt_site_of_##name;                                                                                   \
    using simt_type_of_##name = ::std::type_identity_t<__VA_ARGS__>;                                                   \
    [[maybe_unused]] simt_type_of_##name& name = *static_cast<simt_type_of_##name*>(                                   \
        ::simt::shared_storage(&simt_site_of_##name, sizeof(simt_type_of_##name), alignof(simt_type_of_##name)))

/// Declares an object in dynamic shared memory, of which there is as much as the launch asks for.
#define TILEWISE_LARGE_SHARED(name, ...)                                                                               \
    static char simt_site_of_##name;                                                                                   \
    using simt_type_of_##name = ::std::type_identity_t<__VA_ARGS__>;                                                   \
    [[maybe_unused]] simt_type_of_##name& name = *static_cast<simt_type_of_##name*>(                                   \
        ::simt::shared_storage(&simt_site_of_##name, sizeof(simt_type_of_##name), alignof(simt_type_of_##name), true))

/// Declares an array of exactly `size` elements in dynamic shared memory.
#define TILEWISE_SHARED_ARRAY(name, size, ...)                                                                         \
    static char simt_site_of_##name;                                                                                   \
    using simt_type_of_##name = ::std::type_identity_t<__VA_ARGS__>;                                                   \
    [[maybe_unused]] auto* const name = static_cast<simt_type_of_##name*>(                                             \
        ::simt::shared_storage(&simt_site_of_##name, static_cast<std::size_t>(size) * sizeof(simt_type_of_##name),     \
                               alignof(simt_type_of_##name), true))

#define TILEWISE_UNROLL
#define TILEWISE_UNROLL_BY_4
#define TILEWISE_NO_UNROLL

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline constexpr int warp_size = 32;
inline constexpr int vector_bytes = 16; ///< the widest load

/// Uninitialized storage for an object of any type.
template <class Object>
struct raw_storage {
    alignas(alignof(Object) < 16 ? 16 : alignof(Object)) unsigned char bytes[sizeof(Object)];
    TILEWISE_DEVICE Object& object() { return reinterpret_cast<Object&>(bytes); }
};

/// @name Position of a thread
/// @{
TILEWISE_DEVICE int thread_index()
{
    return simt::thread_index();
}
TILEWISE_DEVICE int lane_index()
{
    return simt::thread_index() % warp_size;
}
/// A shuffle on a GPU, so all lanes of the warp take part.
TILEWISE_DEVICE int warp_index(simt::location where = simt::location::current())
{
    int const own = simt::thread_index() / warp_size;
    int result = own;
    simt::exchange(simt::source::index, &own, &result, sizeof own, 0, where);
    return result;
}
TILEWISE_DEVICE int block_index()
{
    return simt::block_index();
}
TILEWISE_DEVICE int block_count()
{
    return simt::block_count();
}
/// @}

/// Waits for all threads of the block. Their memory accesses before the barrier are visible after it.
TILEWISE_DEVICE void sync_block(simt::location where = simt::location::current())
{
    simt::sync_block(where);
}

/// The same for the threads of the warp.
TILEWISE_DEVICE void sync_warp(simt::location where = simt::location::current())
{
    simt::sync_warp(simt::all_lanes, where);
}

/// @name Exchange in a warp
/// All lanes of the warp take part. Memory accesses are not ordered. A source lane outside the warp yields the caller's
/// own value.
/// @{
template <class T>
TILEWISE_DEVICE T exchange(simt::source from, T const& value, int argument, simt::location where)
{
    T const mine(value); // reads memory, if the value is in memory, before the lane waits
    T result(mine);
    simt::exchange(from, &mine, static_cast<void*>(&result), sizeof(T), argument, where);
    return result;
}
template <class T>
TILEWISE_DEVICE T shuffle(T const& value, int lane, simt::location where = simt::location::current())
{
    return gpu::exchange(simt::source::index, value, lane, where);
}
template <class T>
TILEWISE_DEVICE T shuffle_down(T const& value, int lanes, simt::location where = simt::location::current())
{
    return gpu::exchange(simt::source::down, value, lanes, where);
}
template <class T>
TILEWISE_DEVICE T shuffle_up(T const& value, int lanes, simt::location where = simt::location::current())
{
    return gpu::exchange(simt::source::up, value, lanes, where);
}
template <class T>
TILEWISE_DEVICE T shuffle_xor(T const& value, int mask, simt::location where = simt::location::current())
{
    return gpu::exchange(simt::source::exclusive_or, value, mask, where);
}
/// @}

/// @name Votes in a warp
/// @{
TILEWISE_DEVICE unsigned warp_total(unsigned value, simt::location where = simt::location::current())
{
    for (int mask = warp_size / 2; mask > 0; mask /= 2)
        value += shuffle_xor(value, mask, where);
    return value;
}
TILEWISE_DEVICE unsigned warp_sum_up_to(unsigned value, simt::location where = simt::location::current())
{
    for (int distance = 1; distance < warp_size; distance *= 2) {
        unsigned const before = shuffle_up(value, distance, where);
        value += lane_index() >= distance ? before : 0;
    }
    return value;
}
TILEWISE_DEVICE int warp_max(int value, simt::location where = simt::location::current())
{
    for (int mask = warp_size / 2; mask > 0; mask /= 2)
        value = std::max(value, shuffle_xor(value, mask, where));
    return value;
}
TILEWISE_DEVICE unsigned warp_ballot(bool vote, simt::location where = simt::location::current())
{
    return simt::ballot(simt::all_lanes, vote, where);
}
TILEWISE_DEVICE bool any_lane(bool vote, simt::location where = simt::location::current())
{
    return simt::ballot(simt::all_lanes, vote, where) != 0;
}
TILEWISE_DEVICE unsigned lanes_with_bit_of(unsigned value, int bit, simt::location where = simt::location::current())
{
    bool const is_set = (value >> bit & 1) != 0;
    unsigned const set = simt::ballot(simt::all_lanes, is_set, where);
    return is_set ? set : ~set;
}
TILEWISE_DEVICE unsigned and_of(unsigned a, unsigned b, unsigned c)
{
    return a & b & c;
}
TILEWISE_DEVICE unsigned lanes_with(unsigned value, simt::location where = simt::location::current())
{
    return simt::match_any(simt::all_lanes, value, where);
}
/// @}

TILEWISE_DEVICE int count_bits(unsigned word)
{
    return __builtin_popcount(word);
}
TILEWISE_DEVICE int highest_bit(unsigned word)
{
    return word == 0 ? -1 : 31 - __builtin_clz(word);
}

/// Returns `yes` or `no`. Reads both, as the GPU does.
template <class T>
TILEWISE_DEVICE T select(bool condition, T const& yes, T const& no)
{
    T const chosen(yes), other(no);
    return condition ? chosen : other;
}

/// A 16-byte vector.
struct alignas(vector_bytes) vector16 {
    unsigned word[4];
};

template <class Unit>
Unit load_aligned(Unit const* from)
{
    if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Unit) != 0)
        ::simt::stop_misaligned(from, sizeof(Unit));
    return *from;
}

/// @name Loads that are not kept in the cache
/// @{
TILEWISE_DEVICE vector16 load_once(vector16 const* from)
{
    return gpu::load_aligned(from);
}
TILEWISE_DEVICE unsigned long long load_once(unsigned long long const* from)
{
    return gpu::load_aligned(from);
}
TILEWISE_DEVICE unsigned load_once(unsigned const* from)
{
    return gpu::load_aligned(from);
}
TILEWISE_DEVICE unsigned short load_once(unsigned short const* from)
{
    return gpu::load_aligned(from);
}
TILEWISE_DEVICE unsigned char load_once(unsigned char const* from)
{
    return gpu::load_aligned(from);
}
/// @}

/// Returns the low word of (high, low) shifted right by `bits`, which is less than 32.
TILEWISE_DEVICE unsigned funnel_shift_right(unsigned low, unsigned high, unsigned bits)
{
    unsigned long long const both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both >> (bits & 31));
}

/// Returns the same value, and hides from the compiler how it was computed.
template <class T>
TILEWISE_DEVICE T opaque(T value)
{
    asm("" : "+m"(value));
    return value;
}

/// The built-in arithmetic types.
template <class T>
concept machine_number = std::is_arithmetic_v<T>;

/// Returns a sum that is never fused with a product.
template <class T>
TILEWISE_DEVICE T add_rounded(T const& a, T const& b)
{
    if constexpr (std::is_floating_point_v<T>) {
        T left(a), right(b);
        asm("" : "+m"(left), "+m"(right)); // hides from the compiler that they may be products
        return left + right;
    } else {
        return static_cast<T>(a + b);
    }
}

/// Returns a product that is never fused with a sum.
template <class T>
TILEWISE_DEVICE T multiply_rounded(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        asm("" : "+m"(a), "+m"(b));
    T result = a * b;
    if constexpr (std::is_floating_point_v<T>)
        asm("" : "+m"(result));
    return result;
}

/// @name The floor of a product
/// Where the result is unspecified on the GPU, it is the largest one here.
/// @{
inline constexpr int most_of_floor = 1 << 22;
template <class T>
struct product_floor {
    int floor;
    T next;
};
template <class T>
TILEWISE_DEVICE product_floor<T> floor_of_product(T a, T b)
{
    T const rounded = a * b, nearest = std::floor(rounded);
    T const floor = nearest == rounded && std::fma(a, b, -rounded) < 0 ? nearest - 1 : nearest;
    int const known = std::abs(floor) < most_of_floor ? static_cast<int>(floor) : most_of_floor;
    return {known, static_cast<T>(known + 1)};
}
template <class T>
TILEWISE_DEVICE int floor_or_next(product_floor<T> const& floor, T x, T bound)
{
    return floor.floor + (x >= bound ? 1 : 0);
}
/// @}

/// @name Dependent launches (PDL)
/// @{
TILEWISE_DEVICE void release_dependents()
{
    simt::release_dependents();
}
TILEWISE_DEVICE void wait_for_primary(simt::location where = simt::location::current())
{
    simt::wait_for_primary(where);
}
/// @}

/// @name Clusters
/// @{
TILEWISE_DEVICE void cluster_announce(simt::location where = simt::location::current())
{
    simt::cluster_announce(where); // an arrival that does not order memory accesses
}
TILEWISE_DEVICE void cluster_arrive(simt::location where = simt::location::current())
{
    simt::cluster_arrive(where);
}
TILEWISE_DEVICE void cluster_wait(simt::location where = simt::location::current())
{
    simt::cluster_wait(where);
}

/// Stores `value` in the shared memory of the block with index `block` in the cluster, at the place of `shared`.
template <class T>
TILEWISE_DEVICE void store_in_block(int block, T* shared, T const& value,
                                    simt::location where = simt::location::current())
{
    T const mine(value);
    simt::store_in_block(block, static_cast<void*>(shared), &mine, sizeof(T), where);
}
/// @}

template <bool is_signed>
TILEWISE_DEVICE unsigned char byte_of(unsigned word, int i)
{
    return static_cast<unsigned char>(word >> 8 * i & 0xFF);
}

/// Returns the sum of `sum` and the four bytes of a word, as signed or as unsigned numbers.
TILEWISE_DEVICE int add_bytes(unsigned word, int sum)
{
    for (int i = 0; i < 4; ++i)
        sum += static_cast<signed char>(word >> 8 * i & 0xFF);
    return sum;
}
TILEWISE_DEVICE unsigned add_bytes(unsigned word, unsigned sum)
{
    for (int i = 0; i < 4; ++i)
        sum += word >> 8 * i & 0xFF;
    return sum;
}

template <bool is_least, bool is_signed>
TILEWISE_DEVICE unsigned bounds_of_halfwords(unsigned a, unsigned b)
{
    using halfword = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
    unsigned result = 0;
    for (int i = 0; i < 32; i += 16) {
        auto const of_a = static_cast<halfword>(a >> i & 0xFFFF), of_b = static_cast<halfword>(b >> i & 0xFFFF);
        result |= unsigned{static_cast<std::uint16_t>((of_a < of_b) == is_least ? of_a : of_b)} << i;
    }
    return result;
}

template <bool is_least>
TILEWISE_DEVICE float bound_or_nan(float a, float b)
{
    return a != a || (is_least ? a < b : b < a) ? a : b;
}

inline constexpr float count_base = 8388608;
TILEWISE_DEVICE float plus_one_if(bool condition, float count)
{
    return condition ? count + 1 : count;
}
TILEWISE_DEVICE int count_of(float count)
{
    return static_cast<int>(count - count_base);
}

/// Does nothing: there is no cache.
TILEWISE_DEVICE void prefetch_line(void const*) {}
inline constexpr int line_bytes = 128;

/// @name Words that blocks publish and poll
/// Each access is atomic and does not order other memory accesses.
/// @{
TILEWISE_DEVICE void publish(unsigned long long* word, unsigned long long value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
/// Loads the word to `value` if it is `wanted`; otherwise leaves `value` as it is.
TILEWISE_DEVICE void observe(unsigned long long const* word, bool wanted, unsigned long long& value)
{
    if (!wanted)
        return;
    value = __atomic_load_n(word, __ATOMIC_RELAXED);
}
TILEWISE_DEVICE void pause_briefly()
{
    simt::pause();
}
TILEWISE_DEVICE void poll_again()
{
    simt::pause();
}
/// Returns the next of the tickets 0, 1, 2, ... that the threads of one or several grids take from a counter.
TILEWISE_DEVICE unsigned long long next_ticket(unsigned long long* counter)
{
    return __atomic_fetch_add(counter, 1ull, __ATOMIC_RELAXED);
}
/// @}

/// @name Ordered words that blocks store and poll
/// @{
TILEWISE_DEVICE void store_release(unsigned long long* word, unsigned long long value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
TILEWISE_DEVICE unsigned long long load_acquire(unsigned long long const* word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
/// @}

/// @name Atomic additions
/// @{
TILEWISE_DEVICE void add_one(unsigned* counter)
{
    __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
}
TILEWISE_DEVICE void add(unsigned* counter, unsigned value)
{
    __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}
TILEWISE_DEVICE void add(unsigned long long* counter, unsigned long long value)
{
    __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}
TILEWISE_DEVICE unsigned fetch_add(unsigned* counter, unsigned value)
{
    return __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}
TILEWISE_DEVICE unsigned long long fetch_add(unsigned long long* counter, unsigned long long value)
{
    return __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}
/// @}

/// @name Bulk copies
/// Asynchronous copies from global to shared memory (TMA).
/// @{
struct alignas(8) mbarrier {
    unsigned long long state;

    /// Call it in one thread, before the block synchronises.
    TILEWISE_DEVICE void init(int arrivals, simt::location where = simt::location::current())
    {
        state = 0;
        simt::mbarrier_init(this, arrivals, where);
    }
    TILEWISE_DEVICE void arrive(simt::location where = simt::location::current())
    {
        simt::mbarrier_arrive(this, 0, where);
    }
    /// Arrives, and lets the phase end only when `bytes` bytes have arrived, too.
    TILEWISE_DEVICE void arrive_expect(int bytes, simt::location where = simt::location::current())
    {
        simt::mbarrier_arrive(this, static_cast<std::size_t>(bytes), where);
    }
    /// Waits for the end of the phase with that parity: phases have the parities 0, 1, 0, ...
    TILEWISE_DEVICE void wait(int parity, simt::location where = simt::location::current())
    {
        simt::mbarrier_wait(this, static_cast<unsigned>(parity), where);
    }
};
/// The interpreter's copies see what was written before them.
TILEWISE_DEVICE void fence_bulk_copies() {}
/// Starts a copy to shared memory, in one thread; `barrier` counts the bytes that arrive. Addresses and size are
/// multiples of 16.
TILEWISE_DEVICE void bulk_copy(void* shared, void const* global, int bytes, mbarrier& barrier,
                               simt::location where = simt::location::current())
{
    simt::bulk_copy(shared, global, static_cast<std::size_t>(bytes), &barrier, where);
}
/// @}

/// Returns, in byte i from 0 to 3, the sum of `before` and the bytes 0 to i of a word, modulo 256. Adds all four bytes
/// to `before`.
TILEWISE_DEVICE unsigned scan_bytes(unsigned word, unsigned& before)
{
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        before += word >> 8 * i & 0xFF;
        result |= (before & 0xFF) << 8 * i;
    }
    return result;
}

/// The launch configuration of a kernel.
struct launch_shape {
    int blocks = 1;
    int threads = warp_size;
    int cluster = 1;        ///< blocks per cluster
    bool dependent = false; ///< dependent launch (PDL): may start before the preceding kernel ends
    int shared_bytes = 0;   ///< of dynamic shared memory
};

/// A kernel and its parameters, as plain members: copying them takes no functions, of which a std::tuple has dozens for
/// every launch that is compiled.
template <std::size_t index, class Parameter>
struct kernel_parameter {
    Parameter value;
};
template <class Indices, class... Parameters>
struct kernel_call;
template <std::size_t... indices, class... Parameters>
struct kernel_call<std::index_sequence<indices...>, Parameters...> : kernel_parameter<indices, Parameters>... {
    void (*kernel)(Parameters...);

    static void run(void const* what)
    {
        auto const& call = *static_cast<kernel_call const*>(what);
        call.kernel(static_cast<kernel_parameter<indices, Parameters> const&>(call).value...);
    }
};

/// Starts a kernel in a stream.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream, Arguments&&... arguments)
{
    using call = kernel_call<std::index_sequence_for<Parameters...>, Parameters...>;
    static_assert(std::is_trivially_destructible_v<call>, "a GPU does not destroy the parameters of kernels");
    std::shared_ptr<void> const parameters = simt::parameter_memory(sizeof(call), alignof(call));
    ::new (parameters.get()) call{{static_cast<Parameters>(static_cast<Arguments&&>(arguments))}..., kernel};
    return simt::launch({reinterpret_cast<void const*>(kernel), call::run, parameters, sizeof(call), shape.blocks,
                         shape.threads, shape.cluster, shape.dependent, shape.shared_bytes, stream});
}

/// Finds how many clusters of a kernel can be resident at once in the part of the device that a stream may use.
template <class... Parameters>
cudaError_t resident_clusters(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream, int* clusters)
{
    return simt::resident_clusters(reinterpret_cast<void const*>(kernel), shape.cluster, shape.threads, stream,
                                   clusters);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
