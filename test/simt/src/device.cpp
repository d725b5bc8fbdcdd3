// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.hpp"

#include "machine.hpp"
#include "stream.hpp"

#include <stdexcept>

namespace simt {
namespace {

/// One of 1..most, the same throughout a schedule.
int choice_of_schedule(std::uint64_t salt, unsigned most)
{
    generator random(the_machine().seed * 16 + salt);
    return 1 + static_cast<int>(random.below(most));
}

runtime::device const& device_at(int index)
{
    return all_devices().at(static_cast<std::size_t>(index));
}

} // namespace

std::vector<runtime::device>& all_devices()
{
    static std::vector<runtime::device> devices(1);
    return devices;
}

int capability_of(int device)
{
    return device_at(device).major * 10 + device_at(device).minor;
}

int multiprocessors_of(int device)
{
    int const wanted = device_at(device).multiprocessors;
    return wanted != 0 ? wanted : choice_of_schedule(1, 6);
}

int resident_blocks_of(int device)
{
    int const wanted = device_at(device).resident_blocks;
    return wanted != 0 ? wanted : choice_of_schedule(2, 3);
}

namespace runtime {

void set_devices(std::vector<device> devices)
{
    if (devices.size() > most_devices)
        throw std::invalid_argument("simt::runtime::set_devices: too many devices");
    all_devices() = std::move(devices);
}

namespace {
bool held = false;
}
void hold_work(bool wanted)
{
    held = wanted;
}
bool work_is_held()
{
    return held;
}

void set_device_count(int count)
{
    set_devices(std::vector<device>(static_cast<std::size_t>(count)));
}

void set_capability(int major, int minor, int index)
{
    device& changed = all_devices().at(static_cast<std::size_t>(index));
    changed.major = major;
    changed.minor = minor;
}

void limit_clusters(cudaStream_t handle, int most_blocks)
{
    stream_of(handle)->most_cluster_blocks = most_blocks;
}

statistics statistics_so_far()
{
    return the_machine().done;
}

} // namespace runtime
} // namespace simt
