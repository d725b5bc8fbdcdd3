// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA runtime about graphs. A graph is what one stream was asked to do while it was captured.
#include "api.hpp"

#include <algorithm>
#include <utility>

struct CUgraph_st {
    std::shared_ptr<simt::graph_content> content;
};
struct CUgraphExec_st {
    std::shared_ptr<simt::graph_content> content;
};

namespace simt {
namespace {

std::vector<std::unique_ptr<CUgraph_st>> graphs;
std::vector<std::unique_ptr<CUgraphExec_st>> executables;

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
        for (auto const& step : content.steps)
            step(in);
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
