// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api.hpp"

#include "device.hpp"
#include "machine.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace simt {
namespace {

struct planned_failure {
    std::string name;
    int skipped;
    cudaError_t error;
    runtime::failure lasts;
};

std::vector<runtime::call> calls_made;
std::vector<planned_failure> planned;
cudaError_t broken = cudaSuccess; ///< since a kernel failed
thread_local cudaError_t last_error = cudaSuccess;

bool concerns(std::string_view plan, std::string_view name)
{
    constexpr std::array<std::string_view, 5> allocating = {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged",
                                                            "cudaHostAlloc", "cudaMallocHost"};
    return plan == "*" || plan == name ||
           (plan == "allocation" && std::find(allocating.begin(), allocating.end(), name) != allocating.end());
}

/// The failure that somebody has planned for this call.
cudaError_t planned_error(std::string_view name)
{
    for (auto& plan : planned) {
        if (!concerns(plan.name, name) || plan.skipped-- > 0)
            continue;
        planned_failure const due = plan;
        planned.erase(planned.begin() + (&plan - planned.data()));
        if (due.lasts == runtime::failure::sticky)
            broken = due.error;
        return due.error;
    }
    return cudaSuccess;
}

cudaError_t checked(char const* name, needs what, std::function<cudaError_t()> const& body)
{
    if (broken != cudaSuccess)
        return broken;
    if (cudaError_t const error = planned_error(name); error != cudaSuccess)
        return error;
    if (what != needs::nothing && all_devices().empty())
        return cudaErrorNoDevice;
    if (what == needs::no_captures && capture_forbids_unsafe_calls()) {
        for (auto const& each : all_streams())
            each->capture_is_broken |= each->capture != nullptr;
        return cudaErrorStreamCaptureUnsupported;
    }
    return body();
}

} // namespace

std::recursive_mutex& runtime_mutex()
{
    static std::recursive_mutex one;
    return one;
}

cudaError_t call(char const* name, needs what, std::function<cudaError_t()> const& body)
{
    std::lock_guard const lock(runtime_mutex());
    if (the_machine().current != nullptr)
        stop_thread("runtime call", std::string("a kernel calls ") + name);
    cudaError_t const error = checked(name, what, body);
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    calls_made.push_back({name, error, nullptr});
    return error;
}

cudaError_t call(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body, needs what)
{
    std::lock_guard const lock(runtime_mutex());
    cudaError_t const error = call(name, what, [&] {
        stream* const found = stream_of(handle);
        if (found == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (found->capture_is_broken)
            return cudaErrorStreamCaptureInvalidated;
        if (found == &default_stream(found->device))
            for (auto const& each : all_streams())
                if (each->capture && each->waits_for_default && each->device == found->device) {
                    each->capture_is_broken = true;
                    return cudaErrorStreamCaptureImplicit;
                }
        return body(*found);
    });
    calls_made.back().stream = handle;
    return error;
}

cudaError_t call_uncaptured(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body,
                            needs what)
{
    auto const uncaptured = [&](stream& found) {
        if (!found.capture)
            return body(found);
        found.capture_is_broken = true;
        return cudaErrorStreamCaptureUnsupported;
    };
    return call(name, handle, uncaptured, what);
}

cudaError_t outcome(bool is_complete)
{
    if (!is_complete || first_report())
        broken = cudaErrorLaunchFailure;
    return broken;
}

void clear_calls()
{
    calls_made.clear();
    planned.clear();
    broken = last_error = cudaSuccess;
}

namespace runtime {

std::vector<struct call> const& calls()
{
    return calls_made;
}

int count(std::string_view name)
{
    return static_cast<int>(std::count_if(calls_made.begin(), calls_made.end(),
                                          [&](struct call const& each) { return concerns(name, each.name); }));
}

void forget_calls()
{
    calls_made.clear();
}

void fail(std::string_view name, int skipped, cudaError_t error, failure lasts)
{
    planned.push_back({std::string(name), skipped, error, lasts});
}

bool failure_is_due()
{
    return !planned.empty();
}

void forget_failures()
{
    planned.clear();
    broken = last_error = cudaSuccess;
}

} // namespace runtime
} // namespace simt

cudaError_t cudaGetLastError()
{
    std::lock_guard const lock(simt::runtime_mutex());
    cudaError_t const error = cudaPeekAtLastError();
    simt::last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    std::lock_guard const lock(simt::runtime_mutex());
    return simt::broken != cudaSuccess ? simt::broken : simt::last_error;
}

#define SIMT_NAME(name, number, description)                                                                           \
    case name:                                                                                                         \
        return #name;
char const* cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        SIMT_CUDA_ERRORS(SIMT_NAME)
    }
    return "unrecognized error code";
}

#define SIMT_DESCRIPTION(name, number, description)                                                                    \
    case name:                                                                                                         \
        return description;
char const* cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        SIMT_CUDA_ERRORS(SIMT_DESCRIPTION)
    }
    return "unrecognized error code";
}
