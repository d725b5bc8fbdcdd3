// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA runtime about streams and events.
#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"

#include <algorithm>

namespace simt {
namespace {

std::vector<std::unique_ptr<CUevent_st>> events;

cudaError_t make_stream(char const* name, cudaStream_t* made, unsigned flags)
{
    return call(name, needs::device, [&] {
        if ((flags & ~cudaStreamNonBlocking) != 0)
            return cudaErrorInvalidValue;
        auto added = std::make_unique<stream>();
        added->id = new_stream_id();
        added->device = current_device_index();
        added->waits_for_default = (flags & cudaStreamNonBlocking) == 0;
        *made = added.get();
        all_streams().push_back(std::move(added));
        return cudaSuccess;
    });
}

bool is_event(cudaEvent_t event)
{
    return std::any_of(events.begin(), events.end(), [&](auto const& each) { return each.get() == event; });
}

bool has_happened(CUevent_st& event)
{
    std::erase_if(event.after, [](auto const& each) { return each->finished; });
    return event.after.empty();
}

} // namespace
} // namespace simt

using namespace simt;

cudaError_t cudaStreamCreate(cudaStream_t* made)
{
    return make_stream("cudaStreamCreate", made, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags)
{
    return make_stream("cudaStreamCreateWithFlags", made, flags);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* made, unsigned flags, int)
{
    return make_stream("cudaStreamCreateWithPriority", made, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    return call("cudaStreamDestroy", needs::device, [&] {
        auto& streams = all_streams();
        auto const found =
            std::find_if(streams.begin(), streams.end(), [&](auto const& each) { return each.get() == handle; });
        if (handle == nullptr || found == streams.end() || found - streams.begin() < most_devices)
            return cudaErrorInvalidResourceHandle;
        streams.erase(found); // what it still has to do is done nevertheless
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle)
{
    return call_uncaptured( // refused while any stream is captured: seen so on a GPU, CUDA 13.0
        "cudaStreamSynchronize", handle, [](stream& in) { return outcome(synchronize(in)); }, needs::no_captures);
}

cudaError_t cudaStreamQuery(cudaStream_t handle)
{
    return call_uncaptured("cudaStreamQuery", handle, [](stream& in) {
        run_a_little();
        if (!is_idle(in)) {
            cudaError_t const error = outcome(true);
            return error == cudaSuccess ? cudaErrorNotReady : error;
        }
        return outcome(synchronize(in));
    });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id)
{
    return call("cudaStreamGetId", needs::device, [&] {
        stream const* const found = stream_of(handle);
        if (found == nullptr)
            return cudaErrorInvalidResourceHandle;
        *id = found->id;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device)
{
    return call_uncaptured("cudaStreamGetDevice", handle, [&](stream& in) { // seen so on a GPU, CUDA 13.0
        *device = in.device;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned)
{
    return call_uncaptured("cudaStreamWaitEvent", handle, [&](stream& in) {
        if (!is_event(event))
            return cudaErrorInvalidResourceHandle;
        in.also_after.insert(in.also_after.end(), event->after.begin(), event->after.end());
        in.known.add(event->known);
        return cudaSuccess;
    });
}

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned)
{
    return call("cudaEventCreate", needs::device, [&] {
        events.push_back(std::make_unique<CUevent_st>());
        *event = events.back().get();
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle)
{
    return call_uncaptured("cudaEventRecord", handle, [&](stream& in) {
        if (!is_event(event))
            return cudaErrorInvalidResourceHandle;
        static_cast<void>(is_idle(in)); // forgets what is finished
        event->after = in.unfinished;
        event->known = in.known;
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return call("cudaEventQuery", needs::device, [&] {
        if (!is_event(event))
            return cudaErrorInvalidResourceHandle;
        run_a_little();
        if (!has_happened(*event))
            return cudaErrorNotReady;
        the_machine().host.add(event->known);
        return outcome(true);
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return call("cudaEventSynchronize", needs::device, [&] {
        if (!is_event(event))
            return cudaErrorInvalidResourceHandle;
        bool const done = run_until([&] { return has_happened(*event); });
        the_machine().host.add(event->known);
        return outcome(done);
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    return call("cudaEventElapsedTime", needs::device, [&] {
        *milliseconds = 1;
        return is_event(begin) && is_event(end) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return call("cudaEventDestroy", needs::device, [&] {
        return std::erase_if(events, [&](auto const& each) { return each.get() == event; }) != 0
                   ? cudaSuccess
                   : cudaErrorInvalidResourceHandle;
    });
}
