// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// All macros of the library.

/// @addtogroup macros
/// @par Defined by the program, or on the compiler's command line
/// * `TILEWISE_HARDENED`: calls check their preconditions and throw `std::invalid_argument` if one is violated;
/// * `TILEWISE_STRICT_FP`: promises that the compiler contracts no floating-point operations (`-ffp-contract=off`), so
///   that the library needs no barriers against it. The CMake target `tilewise::strict_fp` sets both;
/// * `TILEWISE_PROFILER_RANGES`: calls under device appear as NVTX ranges in the timeline of a profiler. Compiling the
///   NVTX header takes a twelfth of the time that compiling one reduce takes;
/// * `TILEWISE_LINKED_THREADS`: files that use the library do not include oneTBB, which takes longer to compile than
///   the library. One source file of the program includes `<tilewise/host/onetbb.hpp>`, which defines the functions
///   that they call. The CMake target `tilewise::tilewise` sets this macro and links that file, unless
///   `TILEWISE_HEADER_ONLY` is set;
/// * `TILEWISE_LINKED_CUDA`: the same for the functions that manage memory and errors for kernels, which are a third of
///   the host code of one reduce. One source file includes `<tilewise/device/cuda/linked.cuh>`, which defines them. The
///   target sets this macro for CUDA files, if the project has enabled CUDA. It has no effect with nvcc's
///   `--default-stream per-thread`;
/// * `TILEWISE_COMPILED`: calls under tilewise::device run in the compiled library if the compiler is not nvcc. The
///   CMake target `tilewise::compiled` sets this macro and links the library.

#if __cplusplus < 202002L
#error "tilewise needs C++20 or newer: compile with -std=c++20"
#endif
#if __SIZEOF_POINTER__ < 8
#error "tilewise needs 64-bit addresses: compile without -m32"
#endif
#if !defined(__cpp_exceptions) && !defined(__CUDA_ARCH__)
#error "tilewise reports errors by exceptions: compile without -fno-exceptions"
#endif
#if defined(min) || defined(max)
#error "tilewise needs the names min and max, which are macros here: define NOMINMAX before <windows.h>, or #undef them"
#endif

/// @addtogroup macros
/// @{
#define TILEWISE_VERSION_MAJOR 0 ///< The major version of the library.
#define TILEWISE_VERSION_MINOR 2 ///< The minor version.
#define TILEWISE_VERSION_PATCH 0 ///< The patch version.
/// @}

/// @cond internals
// A template may have a different body in each mode. The mode is part of every name, so that one program can mix
// translation units of several modes without violating the one-definition rule.
#ifdef __CUDACC__
#define TILEWISE_MODE_COMPILER nvcc
#elif defined(TILEWISE_COMPILED)
#define TILEWISE_MODE_COMPILER compiled
#else
#define TILEWISE_MODE_COMPILER host
#endif
#ifdef TILEWISE_HARDENED
#define TILEWISE_MODE_CHECKS _hardened
#else
#define TILEWISE_MODE_CHECKS
#endif
#ifdef TILEWISE_STRICT_FP
#define TILEWISE_MODE_ARITHMETIC _strict
#else
#define TILEWISE_MODE_ARITHMETIC
#endif
#ifdef TILEWISE_PROFILER_RANGES
#define TILEWISE_MODE_PROFILER _ranges
#else
#define TILEWISE_MODE_PROFILER
#endif
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM // by nvcc --default-stream per-thread, which calls other CUDA functions
#define TILEWISE_MODE_STREAM _per_thread
#else
#define TILEWISE_MODE_STREAM
#endif
// Host code launches the kernels of its own object file, which were compiled for these architectures: 800 and 900
// become _800900. Only the first 24 are part of the name. (All have three digits, except those that begin with 1 and
// have four.)
#define TILEWISE_ARCHITECTURES_EXPANDED(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...)   \
    _##a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p##q##r##s##t##u##v##w##x
#define TILEWISE_ARCHITECTURES(...)                                                                                    \
    TILEWISE_ARCHITECTURES_EXPANDED(__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , , )
#ifdef __CUDA_ARCH_LIST__
#define TILEWISE_MODE_ARCHITECTURES TILEWISE_ARCHITECTURES(__CUDA_ARCH_LIST__)
#else
#define TILEWISE_MODE_ARCHITECTURES
#endif
// Code from a file that is compiled for more instructions must not run on processors that lack them.
#if defined(__AVX512F__)
#define TILEWISE_MODE_VECTORS _avx512
#elif defined(__AVX2__)
#define TILEWISE_MODE_VECTORS _avx2
#elif defined(__AVX__)
#define TILEWISE_MODE_VECTORS _avx
#elif defined(__SSE4_2__)
#define TILEWISE_MODE_VECTORS _sse4
#elif defined(__ARM_FEATURE_SVE)
#define TILEWISE_MODE_VECTORS _sve
#else
#define TILEWISE_MODE_VECTORS
#endif
#if defined(__FMA__) || defined(__FMA4__)
#define TILEWISE_MODE_FUSED _fma
#else
#define TILEWISE_MODE_FUSED
#endif
#ifdef __BMI2__
#define TILEWISE_MODE_BITS _bmi
#else
#define TILEWISE_MODE_BITS
#endif
// Functions that are only declared here. Those that call CUDA are defined once for the default stream without threads.
#if defined(TILEWISE_LINKED_CUDA) && !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define TILEWISE_CUDA_IS_LINKED 1
#define TILEWISE_MODE_CUDA _cuda
#else
#define TILEWISE_MODE_CUDA
#endif
#ifdef TILEWISE_LINKED_THREADS
#define TILEWISE_MODE_THREADS _linked
#else
#define TILEWISE_MODE_THREADS
#endif
#define TILEWISE_JOIN_EXPANDED(a, b, c, d, e, f, g, h, i, j, k) mode_##a##b##c##d##e##f##g##h##i##j##k
#define TILEWISE_JOIN(a, b, c, d, e, f, g, h, i, j, k) TILEWISE_JOIN_EXPANDED(a, b, c, d, e, f, g, h, i, j, k)
#define TILEWISE_MODE                                                                                                  \
    TILEWISE_JOIN(TILEWISE_MODE_COMPILER, TILEWISE_MODE_ARCHITECTURES, TILEWISE_MODE_CHECKS, TILEWISE_MODE_ARITHMETIC, \
                  TILEWISE_MODE_PROFILER, TILEWISE_MODE_STREAM, TILEWISE_MODE_VECTORS, TILEWISE_MODE_FUSED,            \
                  TILEWISE_MODE_BITS, TILEWISE_MODE_THREADS, TILEWISE_MODE_CUDA)

#define TILEWISE_NAMESPACE_BEGIN                                                                                       \
    namespace tilewise {                                                                                               \
    inline namespace TILEWISE_MODE {
#define TILEWISE_NAMESPACE_END                                                                                         \
    }                                                                                                                  \
    }

// Linked functions have one definition for all modes.
#ifdef TILEWISE_LINKED_THREADS
#define TILEWISE_THREADS_BEGIN                                                                                         \
    namespace tilewise {                                                                                               \
    namespace threads {
#define TILEWISE_THREADS_END                                                                                           \
    }                                                                                                                  \
    }
#else
#define TILEWISE_THREADS_BEGIN                                                                                         \
    TILEWISE_NAMESPACE_BEGIN namespace threads                                                                         \
    {
#define TILEWISE_THREADS_END                                                                                           \
    }                                                                                                                  \
    TILEWISE_NAMESPACE_END
#endif
#ifdef TILEWISE_CUDA_IS_LINKED
#define TILEWISE_CUDA_BEGIN                                                                                            \
    namespace tilewise {                                                                                               \
    namespace cuda_runtime {
#define TILEWISE_CUDA_END                                                                                              \
    }                                                                                                                  \
    }
#define TILEWISE_CUDA_INLINE
#else
#define TILEWISE_CUDA_BEGIN                                                                                            \
    TILEWISE_NAMESPACE_BEGIN namespace cuda_runtime                                                                    \
    {
#define TILEWISE_CUDA_END                                                                                              \
    }                                                                                                                  \
    TILEWISE_NAMESPACE_END
#define TILEWISE_CUDA_INLINE inline
#endif

/// Defined where kernels can be compiled and launched: by nvcc, and by the tests that run them on a CPU. Elsewhere a
/// call under tilewise::device runs in the compiled library, or throws.
#if defined(__CUDACC__) && !defined(TILEWISE_DEVICE_ENGINE)
#define TILEWISE_DEVICE_ENGINE 1
#endif

/// Defined in device code, also where the tests run it on a CPU.
#if defined(__CUDA_ARCH__) || (defined(TILEWISE_DEVICE_ENGINE) && !defined(__CUDACC__))
#define TILEWISE_IN_KERNELS 1
#endif
/// @endcond

/// @def TILEWISE_PORTABLE
/// @ingroup macros
/// Marks a function as callable from host and device code: `__host__ __device__` under nvcc, empty elsewhere.

/// @def TILEWISE_CALLS_ANY
/// @ingroup macros
/// Suppresses the warning of nvcc about a portable function that calls functions for the host or the device only.
/// Placed before the function.
#ifdef __CUDACC__
#define TILEWISE_PORTABLE __host__ __device__
#define TILEWISE_CALLS_ANY _Pragma("nv_exec_check_disable")
#else
#define TILEWISE_PORTABLE
#define TILEWISE_CALLS_ANY
#endif

/// @cond internals
/// Prevents unrolling of a loop that is rarely executed and has few iterations. Placed before the loop.
#ifdef __CUDA_ARCH__
#define TILEWISE_AS_IT_STANDS _Pragma("unroll 1")
#else
#define TILEWISE_AS_IT_STANDS
#endif

/// Defines the overload of an algorithm without a policy, which runs on the calling thread. The concept `begins`
/// constrains its first arguments. (Algorithms are functions: a function object would be ambiguous with the function of
/// std of the same name, and argument-dependent lookup by a policy would not find it.)
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a concept has none
#define TILEWISE_WITHOUT_POLICY(algorithm, begins)                                                                     \
    template <class First, class... Rest>                                                                              \
        requires begins<First, Rest...>                                                                                \
    auto algorithm(First&& first, Rest&&... rest)                                                                      \
    {                                                                                                                  \
        if constexpr (tilewise::needs_no_policy<First>())                                                              \
            return tilewise::algorithm(seq, std::forward<First>(first), std::forward<Rest>(rest)...);                  \
    }
// NOLINTEND(bugprone-macro-parentheses)

/// For small functions on the hot path, which must be inlined even where the compiler would not do so.
#define TILEWISE_INLINE [[gnu::always_inline]] inline
/// @endcond

namespace tilewise {}
