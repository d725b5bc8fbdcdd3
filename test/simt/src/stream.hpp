// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Streams, events and graphs.

#include "model.hpp"

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace simt {

/// The steps of a graph, which run one after another in the stream that it is launched in.
struct graph_content {
    using step = std::function<void(CUstream_st&)>;
    std::vector<step> steps;
    std::vector<void*> memory; ///< memory that its steps allocate
    std::vector<void*> freed;  ///< memory that they free
    bool memory_is_live = false;
    bool has_too_large_cluster = false;                   ///< for the stream that it was captured in
    std::vector<std::pair<void (*)(void*), void*>> owned; ///< the functions to call at the end
    ~graph_content();
};

} // namespace simt

struct CUstream_st {
    unsigned long long id = 0;
    int device = 0;
    bool waits_for_default = true;                              ///< and the default stream waits for it
    std::vector<std::shared_ptr<simt::operation>> unfinished{}; ///< some may have finished
    std::shared_ptr<simt::operation> last{};
    std::vector<std::shared_ptr<simt::operation>> also_after{}; ///< events that the next operation waits for
    simt::knowledge known{};                                    ///< once all its operations are finished
    std::shared_ptr<simt::graph_content> capture{};
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    bool capture_is_broken = false;
    int most_cluster_blocks = 0; ///< if clusters are limited
};

struct CUevent_st {
    std::vector<std::shared_ptr<simt::operation>> after;
    simt::knowledge known;
};

namespace simt {

using stream = CUstream_st;

/// Returns the stream of a handle, or null for an invalid handle.
stream* stream_of(cudaStream_t handle);
std::vector<std::unique_ptr<stream>>& all_streams(); ///< the default streams of the devices first
stream& default_stream(int device);
unsigned long long new_stream_id();

/// Appends an operation that is not a kernel.
void submit(stream& to, char const* name, std::function<void(operation&)> act);
/// Appends a kernel.
void submit(stream& to, launch_request const& request);
/// Executes a step, or records it in the graph that the stream is captured into.
void submit_or_record(stream& to, graph_content::step const& step);

bool is_idle(stream& which);
/// Waits for a stream. The stream's operations then happened before the host continues.
bool synchronize(stream& which);
bool synchronize_all();
/// Whether a capture forbids calls that could wait for everything.
bool capture_forbids_unsafe_calls();

/// Drops the pending work of all streams.
void clear_streams();

} // namespace simt
