// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream.hpp"

#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"
#include "memory.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>
#include <mutex>

namespace simt {
namespace {

void forget_finished(stream& of)
{
    std::erase_if(of.unfinished, [](auto const& each) { return each->finished; });
}

/// Makes an operation wait for all that another stream has.
void wait_for(operation& waiting, stream& other)
{
    forget_finished(other);
    waiting.after.insert(waiting.after.end(), other.unfinished.begin(), other.unfinished.end());
    waiting.known.add(other.known);
}

void append(stream& to, std::shared_ptr<operation> const& added, bool dependent)
{
    machine& m = the_machine();
    added->index = m.operations++;
    added->name += " (operation " + std::to_string(added->index) + ")";
    added->known = m.host;
    ++m.host.host;
    forget_finished(to);
    if (dependent && to.last && to.also_after.empty() && to.last->is_kernel) {
        added->primary = to.last; // which began after all that comes before it
        added->known.add(to.last->known);
        added->after = to.last->after;
        std::erase_if(added->after, [](auto const& each) { return each->finished; });
    } else {
        m.done.late_dependents += dependent ? 1 : 0;
        wait_for(*added, to);
    }
    added->after.insert(added->after.end(), to.also_after.begin(), to.also_after.end());
    to.also_after.clear();
    if (&to == &default_stream(to.device)) {
        for (auto const& other : all_streams())
            if (other->waits_for_default && other->device == to.device && other.get() != &to)
                wait_for(*added, *other);
    } else if (to.waits_for_default) {
        wait_for(*added, default_stream(to.device));
    }
    to.known.add(added->known);
    to.known.add(added->index);
    to.unfinished.push_back(added);
    to.last = added;
    m.unfinished.push_back(added);
    run_a_little();
}

bool null_means_per_thread = false;

/// The default streams of one thread, which end with it; what they still have to do is done nevertheless.
class per_thread_streams {
public:
    stream* at(int device)
    {
        stream*& found = made_[static_cast<std::size_t>(device)];
        if (found == nullptr) {
            auto added = std::make_unique<stream>();
            added->id = new_stream_id();
            added->device = device;
            found = added.get();
            all_streams().push_back(std::move(added));
        }
        return found;
    }
    per_thread_streams() = default;
    per_thread_streams(per_thread_streams const&) = delete;
    per_thread_streams& operator=(per_thread_streams const&) = delete;
    ~per_thread_streams()
    {
        std::lock_guard const lock(runtime_mutex());
        std::erase_if(all_streams(), [&](auto const& each) {
            return std::find(made_.begin(), made_.end(), each.get()) != made_.end();
        });
    }

private:
    std::array<stream*, most_devices> made_ = {};
};
thread_local per_thread_streams streams_of_this_thread;

} // namespace

bool let_null_be_per_thread()
{
    return null_means_per_thread = true;
}

unsigned long long new_stream_id()
{
    static unsigned long long made = most_devices;
    return ++made;
}

void submit(stream& to, char const* name, std::function<void(operation&)> act)
{
    auto const made = std::make_shared<operation>();
    made->name = name;
    made->act = std::move(act);
    append(to, made, false);
}

void submit(stream& to, launch_request const& request)
{
    auto const made = std::make_shared<operation>();
    made->name = "kernel";
    made->is_kernel = true;
    made->kernel = std::make_unique<grid>();
    made->kernel->made_by = made.get();
    made->kernel->request = request;
    made->kernel->capability = capability_of(to.device);
    append(to, made, request.dependent);
}

void submit_or_record(stream& to, graph_content::step const& step)
{
    if (to.capture)
        to.capture->steps.push_back(step);
    else
        step(to);
}

bool is_idle(stream& which)
{
    forget_finished(which);
    return which.unfinished.empty();
}

bool synchronize(stream& which)
{
    bool const done = run_until([&] { return is_idle(which); });
    the_machine().host.add(which.known);
    return done;
}

bool synchronize_all()
{
    bool done = true;
    for (auto const& each : all_streams())
        done = synchronize(*each) && done;
    return done;
}

stream* stream_of(cudaStream_t handle)
{
    if (handle == cudaStreamLegacy || (handle == nullptr && !null_means_per_thread))
        return &default_stream(current_device_index());
    if (handle == cudaStreamPerThread || handle == nullptr)
        return streams_of_this_thread.at(current_device_index());
    for (auto const& each : all_streams())
        if (each.get() == handle)
            return each.get();
    return nullptr;
}

std::vector<std::unique_ptr<stream>>& all_streams()
{
    static std::vector<std::unique_ptr<stream>> streams = [] {
        std::vector<std::unique_ptr<stream>> made;
        for (int device = 0; device < most_devices; ++device) {
            made.push_back(std::make_unique<stream>());
            made.back()->id = static_cast<unsigned long long>(device) + 1;
            made.back()->device = device;
        }
        return made;
    }();
    return streams;
}

stream& default_stream(int device)
{
    return *all_streams()[static_cast<std::size_t>(device)];
}

bool capture_forbids_unsafe_calls()
{
    auto const& streams = all_streams();
    return capture_mode_of_this_thread() != cudaStreamCaptureModeRelaxed &&
           std::any_of(streams.begin(), streams.end(), [](auto const& each) {
               return each->capture && each->capture_mode != cudaStreamCaptureModeRelaxed;
           });
}

void clear_streams()
{
    for (auto const& each : all_streams()) {
        each->unfinished.clear();
        each->last.reset();
        each->also_after.clear();
        each->known = {};
        each->capture.reset();
    }
}

graph_content::~graph_content()
{
    for (void* const each : memory)
        if (allocation_of(each) != nullptr)
            release(each);
    for (auto const& [destroy, object] : owned)
        destroy(object);
}

} // namespace simt
