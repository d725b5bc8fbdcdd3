// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The machine: what a kernel says to the GPU, and how a kernel is declared and started. The only file that names
/// intrinsics; the tests have another of the same name that runs the kernels on a CPU.
///
/// What a GPU before sm_90 lacks (clusters, dependent launches) compiles to nothing there; `launch` knows.

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

/// A function for kernels.
#define TILEWISE_DEVICE __device__ __forceinline__

/// A kernel for blocks of at most `threads` threads, of which `blocks` shall fit a multiprocessor.
#define TILEWISE_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)

/// Declares an object that the threads of a block share. Nothing is constructed.
#define TILEWISE_SHARED(name, ...)                                                                                     \
    __shared__ ::tilewise::gpu::raw_storage<__VA_ARGS__> name##_storage;                                               \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name = name##_storage.object()

/// Declares the one object of a kernel that is too large for that: its launch says how many bytes it takes.
#define TILEWISE_LARGE_SHARED(name, ...)                                                                               \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] ::std::type_identity_t<__VA_ARGS__>& name =                                                       \
        *reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Declares the one array of a kernel whose size is known at its launch, which says how many bytes it takes. It begins
/// where the widest access can.
#define TILEWISE_SHARED_ARRAY(name, size, ...)                                                                         \
    extern __shared__ uint4 tilewise_large_shared[];                                                                   \
    [[maybe_unused]] auto* const name = reinterpret_cast<::std::type_identity_t<__VA_ARGS__>*>(tilewise_large_shared)

/// Unrolls the loop that follows.
#define TILEWISE_UNROLL _Pragma("unroll")
#define TILEWISE_UNROLL_BY_4 _Pragma("unroll 4")
#define TILEWISE_NO_UNROLL _Pragma("unroll 1")

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline constexpr int warp_size = 32;
inline constexpr int vector_bytes = 16; ///< the widest load

/// Room for an object of any type, which is not constructed.
template <class Object>
struct raw_storage {
    alignas(alignof(Object) < 16 ? 16 : alignof(Object)) unsigned char bytes[sizeof(Object)];
    TILEWISE_DEVICE Object& object() { return reinterpret_cast<Object&>(bytes); }
};

/// @name Where a thread is
/// @{
TILEWISE_DEVICE int thread_index()
{
    return static_cast<int>(threadIdx.x);
}
TILEWISE_DEVICE int lane_index()
{
    return static_cast<int>(threadIdx.x) % warp_size;
}
/// Through a shuffle, which tells the compiler that all lanes have the same: code behind it needs no second copy for
/// warps that diverge, and takes half the instructions.
TILEWISE_DEVICE int warp_index()
{
    return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / warp_size, 0);
}
TILEWISE_DEVICE int block_index()
{
    return static_cast<int>(blockIdx.x);
}
TILEWISE_DEVICE int block_count()
{
    return static_cast<int>(gridDim.x);
}
/// @}

/// Waits for all threads of the block, and makes their memory accesses before visible after.
TILEWISE_DEVICE void sync_block()
{
    __syncthreads();
}

/// The same for the threads of the warp.
TILEWISE_DEVICE void sync_warp()
{
    __syncwarp();
}

/// @name Exchange in a warp
/// All lanes of the warp take part. Nothing is said about memory. A lane past either end yields the caller's own value.
/// @{
template <class T, class Exchange>
TILEWISE_DEVICE T exchange_words(T const& value, Exchange exchange)
{
    constexpr int count = (sizeof(T) + 3) / 4;
    unsigned words[count] = {};
    std::memcpy(words, &value, sizeof(T));
    TILEWISE_UNROLL
    for (int i = 0; i < count; ++i)
        words[i] = exchange(words[i]);
    T result(value); // a T may have no default constructor
    std::memcpy(&result, words, sizeof(T));
    return result;
}
template <class T>
TILEWISE_DEVICE T shuffle(T const& value, int lane)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_sync(~0u, word, lane); });
}
template <class T>
TILEWISE_DEVICE T shuffle_down(T const& value, int lanes)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_down_sync(~0u, word, lanes); });
}
template <class T>
TILEWISE_DEVICE T shuffle_up(T const& value, int lanes)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_up_sync(~0u, word, lanes); });
}
template <class T>
TILEWISE_DEVICE T shuffle_xor(T const& value, int mask)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_xor_sync(~0u, word, mask); });
}
/// @}

/// @name Votes in a warp
/// All lanes of the warp take part. Nothing is said about memory.
/// @{
TILEWISE_DEVICE bool any_lane(bool vote)
{
    return __any_sync(~0u, vote) != 0;
}
/// The sum of all lanes' values.
TILEWISE_DEVICE unsigned warp_total(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    TILEWISE_UNROLL
    for (int mask = warp_size / 2; mask > 0; mask /= 2)
        value += gpu::shuffle_xor(value, mask);
    return value;
#endif
}
/// Bit i is the vote of lane i.
TILEWISE_DEVICE unsigned lanes_that(bool vote)
{
    return __ballot_sync(~0u, vote);
}
/// Bit i is set where lane i has the caller's value.
TILEWISE_DEVICE unsigned lanes_with(unsigned value)
{
    return __match_any_sync(~0u, value);
}
/// @}

TILEWISE_DEVICE int count_bits(unsigned word)
{
    return __popc(word);
}

/// `yes` or `no`, word by word and without a branch.
template <class T>
TILEWISE_DEVICE T select(bool condition, T const& yes, T const& no)
{
    constexpr int count = (sizeof(T) + 3) / 4;
    unsigned words[count] = {}, others[count] = {};
    std::memcpy(words, &yes, sizeof(T));
    std::memcpy(others, &no, sizeof(T));
    TILEWISE_UNROLL
    for (int i = 0; i < count; ++i)
        words[i] = condition ? words[i] : others[i];
    T result(yes);
    std::memcpy(&result, words, sizeof(T));
    return result;
}

/// Sixteen bytes.
struct alignas(vector_bytes) vector16 {
    unsigned word[4];
};

/// @name Loads that do not stay in the cache
/// @{
TILEWISE_DEVICE vector16 load_once(vector16 const* from)
{
    uint4 const value = __ldcs(reinterpret_cast<uint4 const*>(from));
    return {{value.x, value.y, value.z, value.w}};
}
TILEWISE_DEVICE unsigned long long load_once(unsigned long long const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned load_once(unsigned const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned short load_once(unsigned short const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned char load_once(unsigned char const* from)
{
    return __ldcs(from);
}
/// @}

/// The low word of (high, low) shifted right by `bits`, fewer than 32.
TILEWISE_DEVICE unsigned funnel_shift_right(unsigned low, unsigned high, unsigned bits)
{
    return __funnelshift_r(low, high, bits);
}

/// The same value, of which the compilers do not know that it was computed: no operation on it is fused with one
/// before. `or`s a zero to each word that only a launch knows, as its grid is one block deep: one LOP3 per word.
/// (Through asm statements, empty ones or moves, ptxas 13.0 fuses.)
template <class T>
TILEWISE_DEVICE T opaque(T const& value)
{
    unsigned const zero = gridDim.z - 1;
    return gpu::exchange_words(value, [=](unsigned word) { return word | zero; });
}

/// Numbers of the machine's: the built-in ones, and half and bfloat16, if their header is there.
template <class T>
concept machine_number = std::is_arithmetic_v<T> || requires(T a) { __hadd_rn(a, a); };

/// A sum that is never fused with a product.
template <class T>
TILEWISE_DEVICE T add_rounded(T const& a, T const& b)
{
    if constexpr (std::is_same_v<T, float>)
        return __fadd_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dadd_rn(a, b);
    else if constexpr (machine_number<T> && !std::is_arithmetic_v<T>)
        return __hadd_rn(a, b);
    else
        return static_cast<T>(a + b);
}

/// A product that is never fused with a sum.
template <class T>
TILEWISE_DEVICE T multiply_rounded(T a, T b)
{
    if constexpr (std::is_same_v<T, float>)
        return __fmul_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dmul_rn(a, b);
    else
        return a * b;
}

/// @name The floor of a product
/// It is added to a number from which on all are 1 apart, and rounded down once: the low bits count. Conversions are
/// slower. Of NaN, and of products that are not below most_of_floor in magnitude, any number is made.
/// @{
inline constexpr int most_of_floor = 1 << 22;
template <class T>
inline constexpr T floor_base = sizeof(T) == 4 ? 12582912 : 6755399441055744; // 1.5 * 2^23 or 2^52
template <class T>
struct product_floor {
    T code; ///< floor_base more than the floor
    T next; ///< one more than the floor
};
TILEWISE_DEVICE product_floor<float> floor_of_product(float a, float b)
{
    float const code = __fmaf_rd(a, b, floor_base<float>);
    return {code, code - (floor_base<float> - 1)};
}
TILEWISE_DEVICE product_floor<double> floor_of_product(double a, double b)
{
    double const code = __fma_rd(a, b, floor_base<double>);
    return {code, code - (floor_base<double> - 1)};
}
/// The floor, or one more if `x` is not below `bound`.
TILEWISE_DEVICE int floor_or_next(product_floor<float> const& floor, float x, float bound)
{
    float one; // or 0: a comparison that leaves a number saves the choice
    asm("set.ge.f32.f32 %0, %1, %2;" : "=f"(one) : "f"(x), "f"(bound));
    return __float_as_int(floor.code + one) - __float_as_int(floor_base<float>);
}
TILEWISE_DEVICE int floor_or_next(product_floor<double> const& floor, double x, double bound)
{
    return __double2loint(floor.code) + (x >= bound ? 1 : 0);
}
/// @}

/// @name Dependent launches
/// A kernel that was launched with `launch_shape::dependent` may start as soon as every block of the kernel before it
/// in the stream called `release_dependents`; only after `wait_for_primary` may it touch what that kernel writes.
/// @{
TILEWISE_DEVICE void release_dependents()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
TILEWISE_DEVICE void wait_for_primary()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// @}

/// @name Clusters
/// The blocks of a cluster run at the same time and can write to each other's shared memory, from the moment that all
/// have arrived until they arrive again.
/// @{
TILEWISE_DEVICE void cluster_announce() // an arrival that passes on nothing
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
TILEWISE_DEVICE void cluster_arrive()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
TILEWISE_DEVICE void cluster_wait()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
/// Stores `value` where the block of the cluster with that index has what this block has at `shared`.
template <class T>
TILEWISE_DEVICE void store_in_block(int block, T* shared, T const& value)
{
#if __CUDA_ARCH__ >= 900
    unsigned const own = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    unsigned theirs = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(block));
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    constexpr int unit = sizeof(T) % 4 == 0 && alignof(T) % 4 == 0 ? 4 : 1;
    TILEWISE_UNROLL
    for (int i = 0; i < static_cast<int>(sizeof(T)); i += unit) {
        if constexpr (unit == 4) {
            unsigned word = 0;
            std::memcpy(&word, bytes + i, 4);
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(theirs + i), "r"(word) : "memory");
        } else {
            asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(theirs + i), "r"(unsigned{bytes[i]}) : "memory");
        }
    }
#endif
}
/// @}

/// @name Words that blocks tell each other
/// Each access is one, and says nothing about other memory.
/// @{
TILEWISE_DEVICE void publish(unsigned long long* word, unsigned long long value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}
/// Leaves `value` as it is if the word is not `wanted`: without a branch, which would wait for the load before it.
TILEWISE_DEVICE void observe(unsigned long long const* word, bool wanted, unsigned long long& value)
{
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.u32 p, %2, 0;\n\t"
                 "@p ld.relaxed.gpu.global.u64 %0, [%1];\n\t}"
                 : "+l"(value)
                 : "l"(__cvta_generic_to_global(word)), "r"(unsigned{wanted})
                 : "memory");
}
/// Leaves memory to the others for a while.
TILEWISE_DEVICE void pause_briefly()
{
    __nanosleep(200);
}
/// The next of the numbers 0, 1, 2, ... that the threads of a grid, or of several, next_ticket from a counter.
TILEWISE_DEVICE unsigned long long next_ticket(unsigned long long* counter)
{
    return atomicAdd(counter, 1ull);
}
/// @}

/// @name Atomic additions
/// To shared or to global memory; they say nothing about other memory. The machine merges additions of one by a warp,
/// in shared memory, if the results are not asked for.
/// @{
TILEWISE_DEVICE void add_one(unsigned* counter)
{
    atomicAdd(counter, 1u);
}
TILEWISE_DEVICE void add(unsigned* counter, unsigned value)
{
    atomicAdd(counter, value);
}
TILEWISE_DEVICE void add(unsigned long long* counter, unsigned long long value)
{
    atomicAdd(counter, value);
}
/// Returns what was there before.
TILEWISE_DEVICE unsigned fetch_add(unsigned* counter, unsigned value)
{
    return atomicAdd(counter, value);
}
TILEWISE_DEVICE unsigned long long fetch_add(unsigned long long* counter, unsigned long long value)
{
    return atomicAdd(counter, value);
}
/// @}

/// @name Bulk copies
/// Copies from global to shared memory that land at some later time. For sm_90 and later: a kernel that uses them needs
/// another way for older GPUs.
/// @{
TILEWISE_DEVICE unsigned shared_address(void const* shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// A barrier in shared memory that counts arrivals and bytes.
struct alignas(8) mbarrier {
    unsigned long long state;

    /// For one thread, before the block synchronises.
    TILEWISE_DEVICE void init(int arrivals)
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // bulk copies see it, too
#endif
    }
    TILEWISE_DEVICE void arrive()
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
#endif
    }
    /// The phase ends when so many bytes have landed, too.
    TILEWISE_DEVICE void arrive_expect(int bytes)
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                     : "memory");
#endif
    }
    /// Waits for the end of the phase of that parity: 0, 1, 0, ...
    TILEWISE_DEVICE void wait(int parity)
    {
#if __CUDA_ARCH__ >= 900
        unsigned done = 0;
        do
            asm volatile("{\n\t.reg .pred p;\n\t"
                         "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                         "selp.u32 %0, 1, 0, p;\n\t}"
                         : "=r"(done)
                         : "r"(shared_address(this)), "r"(parity)
                         : "memory");
        while (done == 0);
#endif
    }
};

/// One thread starts a copy to shared memory, of whose landing `barrier` hears. Addresses and size are multiples of 16.
TILEWISE_DEVICE void bulk_copy(void* shared, void const* global, int bytes, mbarrier& barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&barrier))
                 : "memory");
#endif
}
/// @}

/// `sum` and the four bytes of a word, as signed or as unsigned numbers.
TILEWISE_DEVICE int add_bytes(unsigned word, int sum)
{
    return __dp4a(static_cast<int>(word), 0x01010101, sum);
}
TILEWISE_DEVICE unsigned add_bytes(unsigned word, unsigned sum)
{
    return __dp4a(word, 0x01010101u, sum);
}

/// The sums of `before` and the bytes 0 to i of a word, for i of 0 to 3, modulo 256. Adds them all to `before`.
TILEWISE_DEVICE unsigned scan_bytes(unsigned word, unsigned& before)
{
    unsigned const one = __dp4a(word, 0x00000001u, before), two = __dp4a(word, 0x00000101u, before),
                   three = __dp4a(word, 0x00010101u, before);
    before = __dp4a(word, 0x01010101u, before);
    return __byte_perm(__byte_perm(one, two, 0x0040), __byte_perm(three, before, 0x0040), 0x5410);
}

/// How a kernel is started.
struct launch_shape {
    int blocks = 1;
    int threads = warp_size;
    int cluster = 1;        ///< blocks per cluster
    bool dependent = false; ///< may start before the kernel before it ends
    int shared_bytes = 0;   ///< of its object of TILEWISE_LARGE_SHARED
};

/// Starts a kernel in a stream.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream, Arguments&&... arguments)
{
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = stream;
    config.attrs = attributes;
    if (shape.cluster > 1) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
        attribute.val.clusterDim.y = 1;
        attribute.val.clusterDim.z = 1;
    }
    if (shape.dependent) {
        cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelEx(&config, kernel, static_cast<Arguments&&>(arguments)...);
}

/// How many clusters of a kernel can be resident at once in what a stream has of its device.
template <class... Parameters>
cudaError_t resident_clusters(void (*kernel)(Parameters...), launch_shape shape, cudaStream_t stream, int* clusters)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaOccupancyMaxActiveClusters(clusters, kernel, &config);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
