// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA runtime about graphs. A graph is what one stream was asked to do while it was captured.
#include "api.hpp"

#include <algorithm>
#include <utility>

struct CUgraph_st {
    std::shared_ptr<simt::graph_content> content;
};
struct CUuserObject_st {
    void* object;
    cudaHostFn_t destroy;
};
struct CUgraphExec_st {
    std::shared_ptr<simt::graph_content> content;
    std::vector<std::shared_ptr<simt::operation>> last = {}; ///< launch, which the next one comes after
    simt::knowledge known = {};
};

namespace simt {
namespace {

std::vector<std::unique_ptr<CUgraph_st>> graphs;
std::vector<std::unique_ptr<CUgraphExec_st>> executables;
std::vector<std::unique_ptr<CUuserObject_st>> user_objects; ///< that no graph has

template <class Handle, class Handles>
bool is_one_of(Handles const& handles, Handle handle)
{
    return std::any_of(handles.begin(), handles.end(), [&](auto const& each) { return each.get() == handle; });
}

thread_local cudaStreamCaptureMode mode_of_this_thread = cudaStreamCaptureModeGlobal;

} // namespace

cudaStreamCaptureMode capture_mode_of_this_thread()
{
    return mode_of_this_thread;
}

} // namespace simt

using namespace simt;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode)
{
    return call_uncaptured("cudaStreamBeginCapture", handle, [&](stream& in) {
        if (&in == &default_stream(in.device))
            return cudaErrorStreamCaptureUnsupported;
        in.capture = std::make_shared<graph_content>();
        in.capture_mode = mode;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph)
{
    return call("cudaStreamEndCapture", needs::device, [&] {
        *graph = nullptr;
        stream* const in = stream_of(handle);
        if (in == nullptr)
            return cudaErrorInvalidResourceHandle;
        if (!in->capture)
            return cudaErrorStreamCaptureUnmatched;
        auto const content = std::move(in->capture);
        in->capture = nullptr;
        if (std::exchange(in->capture_is_broken, false))
            return cudaErrorStreamCaptureInvalidated;
        graphs.push_back(std::make_unique<CUgraph_st>(CUgraph_st{content}));
        *graph = graphs.back().get();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status)
{
    return call("cudaStreamIsCapturing", needs::device, [&] {
        stream const* const in = stream_of(handle);
        if (in == nullptr)
            return cudaErrorInvalidResourceHandle;
        *status = !in->capture            ? cudaStreamCaptureStatusNone
                  : in->capture_is_broken ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}

/// The graph of a capture is known by its stream; its last node by the number of steps.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t* graph, cudaGraphNode_t const** nodes, cudaGraphEdgeData const**,
                                     std::size_t* count)
{
    return call("cudaStreamGetCaptureInfo", needs::device, [&] {
        static thread_local cudaGraphNode_t last;
        stream* const in = stream_of(handle);
        if (in == nullptr)
            return cudaErrorInvalidResourceHandle;
        *status = in->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        std::size_t const steps = in->capture ? in->capture->steps.size() : 0;
        last = reinterpret_cast<cudaGraphNode_t>(steps);
        if (graph != nullptr)
            *graph = reinterpret_cast<cudaGraph_t>(in);
        if (nodes != nullptr)
            *nodes = &last;
        if (count != nullptr)
            *count = steps > 0 ? 1 : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* made, void* object, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags)
{
    return call("cudaUserObjectCreate", needs::device, [&] {
        if (count != 1 || flags != cudaUserObjectNoDestructorSync)
            return cudaErrorInvalidValue;
        user_objects.push_back(std::make_unique<CUuserObject_st>(CUuserObject_st{object, destroy}));
        *made = user_objects.back().get();
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned)
{
    return call("cudaUserObjectRelease", needs::device, [&] {
        if (!is_one_of(user_objects, object))
            return cudaErrorInvalidValue;
        CUuserObject_st const released = *object;
        std::erase_if(user_objects, [&](auto const& each) { return each.get() == object; });
        released.destroy(released.object);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned flags)
{
    return call("cudaGraphRetainUserObject", needs::device, [&] {
        auto const in = std::find_if(all_streams().begin(), all_streams().end(), [&](auto const& each) {
            return reinterpret_cast<cudaGraph_t>(each.get()) == graph && each->capture;
        });
        if (in == all_streams().end() || !is_one_of(user_objects, object) || flags != cudaGraphUserObjectMove)
            return cudaErrorInvalidValue;
        (*in)->capture->owned.emplace_back(object->destroy, object->object);
        std::erase_if(user_objects, [&](auto const& each) { return each.get() == object; });
        return cudaSuccess;
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    return call("cudaThreadExchangeStreamCaptureMode", needs::device, [&] {
        std::swap(*mode, mode_of_this_thread);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long)
{
    return call("cudaGraphInstantiate", needs::no_captures, [&] { // seen so on a GPU, CUDA 13.0
        if (!is_one_of(graphs, graph))
            return cudaErrorInvalidValue;
        if (graph->content->has_too_large_cluster) // seen so on a GPU, CUDA 13.0
            return cudaErrorInvalidClusterSize;
        executables.push_back(std::make_unique<CUgraphExec_st>(CUgraphExec_st{graph->content}));
        *executable = executables.back().get();
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle)
{
    return call_uncaptured("cudaGraphLaunch", handle, [&](stream& in) {
        if (!is_one_of(executables, executable))
            return cudaErrorInvalidValue;
        graph_content& content = *executable->content;
        if (content.memory_is_live) // what the last launch allocated and did not free
            return cudaErrorInvalidValue;
        in.also_after.insert(in.also_after.end(), executable->last.begin(), executable->last.end());
        in.known.add(executable->known);
        for (auto const& step : content.steps)
            step(in);
        static_cast<void>(is_idle(in)); // forgets what is finished
        executable->last = in.unfinished;
        executable->known = in.known;
        content.memory_is_live = std::any_of(content.memory.begin(), content.memory.end(), [&](void* each) {
            return std::find(content.freed.begin(), content.freed.end(), each) == content.freed.end();
        });
        return outcome(true);
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return call("cudaGraphDestroy", needs::device, [&] {
        return std::erase_if(graphs, [&](auto const& each) { return each.get() == graph; }) != 0
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return call("cudaGraphExecDestroy", needs::device, [&] {
        if (!is_one_of(executables, executable))
            return cudaErrorInvalidValue;
        auto const done = synchronize_all(); // its memory goes with it
        std::erase_if(executables, [&](auto const& each) { return each.get() == executable; });
        return outcome(done);
    });
}
