// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What tests of the device engine share. One source serves the GPU (compiled by nvcc) and the interpreter (compiled by
/// g++): it has the CUDA runtime and no kernels of its own.

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#ifndef __CUDACC__
#include <simt/test.hpp>
#endif

#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace on_device {

#ifdef __CUDACC__
inline constexpr bool interpreted = false;
#else
inline constexpr bool interpreted = true;
#endif

/// Whether to be content with little: under a tool that makes everything slow, and in the interpreter.
inline bool is_small()
{
    static bool const wanted = std::getenv("TILEWISE_TEST_SMALL") != nullptr;
    return interpreted || wanted;
}

/// One of three amounts of work.
template <class Amount>
Amount amount(Amount on_gpu, Amount when_small, Amount when_interpreted)
{
    return interpreted ? when_interpreted : is_small() ? when_small : on_gpu;
}

/// What the library may keep for later calls.
enum class keeps { what_the_first_run_needs, scratch_of_new_streams };

/// Runs a test: in the interpreter, under several schedules.
template <class Body>
void run(Body body, [[maybe_unused]] keeps kept = keeps::what_the_first_run_needs)
{
#ifdef __CUDACC__
    body();
#else
    simt::for_each_schedule(
        body,
        {.runs = 2, .allowed = kept == keeps::scratch_of_new_streams ? simt::leaks::ignored : simt::leaks::steady});
#endif
}

/// In the interpreter, schedules take turns with the variants of a test.
inline bool leaves_to_other_schedule([[maybe_unused]] std::size_t variant)
{
#ifdef __CUDACC__
    return false;
#else
    return variant % 2 != simt::schedule_seed() % 2;
#endif
}

/// What differs from schedule to schedule of the interpreter.
inline std::size_t variation()
{
#ifdef __CUDACC__
    return 5;
#else
    return static_cast<std::size_t>(simt::schedule_seed());
#endif
}

/// A test whose body runs under several schedules of the interpreter, and once on a GPU. The one with streams may make
/// some, whose scratch the library keeps.
#define DEVICE_TEST(suite, name) DEVICE_TEST_THAT_KEEPS(what_the_first_run_needs, suite, name)
#define DEVICE_TEST_WITH_STREAMS(suite, name) DEVICE_TEST_THAT_KEEPS(scratch_of_new_streams, suite, name)
#define DEVICE_TEST_THAT_KEEPS(what, suite, name)                                                                      \
    static void suite##_##name();                                                                                      \
    TEST(suite, name)                                                                                                  \
    {                                                                                                                  \
        ::on_device::run(suite##_##name, ::on_device::keeps::what);                                                    \
    }                                                                                                                  \
    static void suite##_##name()

/// For calls of the CUDA runtime that a test needs and is not about.
inline void expect_success(cudaError_t error)
{
    if (error != cudaSuccess)
        throw std::runtime_error(cudaGetErrorName(error));
}

/// The values that the device wrote last to some memory, if its stream was waited for.
template <class T>
std::vector<T> values_at(T const* first, std::size_t count)
{
    static_assert(alignof(T) <= alignof(std::max_align_t));
    std::vector<unsigned char> bytes(count * sizeof(T));
    if (count != 0)
        expect_success(cudaMemcpy(bytes.data(), static_cast<void const*>(first), bytes.size(), cudaMemcpyDefault));
    auto const* const values = reinterpret_cast<T const*>(bytes.data());
    return std::vector<T>(values, values + count);
}

/// Memory of a kind, of exactly the bytes asked for. Elements may begin some bytes into it; those before them are never
/// written.
template <class T>
class device_array {
public:
    enum class kind { device, pinned };

    explicit device_array(std::size_t size, std::size_t misalignment = 0, kind where = kind::device)
        : size_(size), where_(where)
    {
        std::size_t const bytes = size * sizeof(T) + misalignment;
        void* memory = nullptr;
        expect_success(where == kind::device ? cudaMalloc(&memory, bytes) : cudaMallocHost(&memory, bytes));
        memory_ = static_cast<unsigned char*>(memory);
        first_ = reinterpret_cast<T*>(memory_ + misalignment);
    }
    explicit device_array(std::vector<T> const& values, std::size_t misalignment = 0, kind where = kind::device)
        : device_array(values.size(), misalignment, where)
    {
        assign(values);
    }
    device_array(device_array&& other) noexcept
        : memory_(std::exchange(other.memory_, nullptr)), first_(other.first_), size_(other.size_), where_(other.where_)
    {}
    device_array& operator=(device_array&&) = delete;
    ~device_array()
    {
        if (memory_ != nullptr)
            static_cast<void>(where_ == kind::device ? cudaFree(memory_) : cudaFreeHost(memory_));
    }

    T* data() const { return first_; }
    T* begin() const { return first_; }
    T* end() const { return first_ + size_; }
    std::size_t size() const { return size_; }

    /// Waits until the elements are there: a copy from ordinary memory returns when it has read them, and streams that
    /// do not wait for the default one could come before the rest of it.
    void assign(std::vector<T> const& values) const
    {
        if (values.empty())
            return;
        expect_success(cudaMemcpy(static_cast<void*>(first_), static_cast<void const*>(values.data()),
                                  values.size() * sizeof(T), cudaMemcpyDefault));
        expect_success(cudaStreamSynchronize(nullptr));
    }
    /// The value at a position; what the device wrote last, if its stream was waited for.
    T value(std::size_t position = 0) const
    {
        alignas(T) unsigned char bytes[sizeof(T)];
        expect_success(cudaMemcpy(bytes, static_cast<void const*>(first_ + position), sizeof(T), cudaMemcpyDefault));
        return *reinterpret_cast<T*>(bytes);
    }

    /// The first `count` values, likewise.
    std::vector<T> values(std::size_t count) const { return on_device::values_at(first_, count); }

private:
    unsigned char* memory_ = nullptr;
    T* first_ = nullptr;
    std::size_t size_;
    kind where_;
};

/// A stream.
class stream {
public:
    explicit stream(unsigned flags = cudaStreamNonBlocking)
    {
        expect_success(cudaStreamCreateWithFlags(&handle_, flags));
    }
    stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    stream& operator=(stream&&) = delete;
    ~stream()
    {
        if (handle_ != nullptr)
            static_cast<void>(cudaStreamDestroy(handle_));
    }
    operator cudaStream_t() const { return handle_; }
    cudaStream_t get() const { return handle_; }
    void wait() const { expect_success(cudaStreamSynchronize(handle_)); }

private:
    cudaStream_t handle_ = nullptr;
};

/// A graph of what `body` puts into a stream.
class graph {
public:
    template <class Body>
    graph(cudaStream_t where, Body body, cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal)
    {
        expect_success(cudaStreamBeginCapture(where, mode));
        body();
        expect_success(cudaStreamEndCapture(where, &graph_));
        expect_success(cudaGraphInstantiate(&executable_, graph_, 0));
    }
    graph(graph const&) = delete;
    graph& operator=(graph const&) = delete;
    ~graph()
    {
        static_cast<void>(cudaGraphExecDestroy(executable_));
        static_cast<void>(cudaGraphDestroy(graph_));
    }
    void launch(cudaStream_t where) const { expect_success(cudaGraphLaunch(executable_, where)); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

/// Equality of bits; padding does not count where a type can compare itself.
template <class T>
bool same_bits(T const& a, T const& b)
{
    if constexpr (!std::is_floating_point_v<T> && requires {
                      { a == b } -> std::convertible_to<bool>;
                  })
        return a == b;
    else
        return std::memcmp(static_cast<void const*>(&a), static_cast<void const*>(&b), sizeof(T)) == 0;
}

} // namespace on_device
