// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The functions of the CUDA driver that are found by their names. A context is a device's only one.
#include "api.hpp"
#include "device.hpp"
#include "memory.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace simt {
namespace {

thread_local std::vector<int> pushed; ///< devices that were current

void* context_of(int device)
{
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(device) + 1);
}

/// Works for a captured stream, too: seen so on a GPU, CUDA 13.0.
int stream_get_context(cudaStream_t handle, void** context)
{
    return call("cuStreamGetCtx", handle, [&](stream& in) {
        *context = context_of(in.device);
        return cudaSuccess;
    });
}

int push_current(void* context)
{
    return call("cuCtxPushCurrent", needs::device, [&] {
        pushed.push_back(current_device_index());
        make_current(static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1);
        return cudaSuccess;
    });
}

int pop_current(void** context)
{
    return call("cuCtxPopCurrent", needs::device, [&] {
        if (pushed.empty())
            return cudaErrorDeviceUninitialized;
        *context = context_of(current_device_index());
        make_current(pushed.back());
        pushed.pop_back();
        return cudaSuccess;
    });
}

unsigned long long contexts_made = most_devices;
std::map<int, unsigned long long> context_numbers; ///< of devices that were reset; another has its own, plus 1

/// Of the current context, which always is there: so this does not fail where others are told to.
int get_id(void*, unsigned long long* number)
{
    std::lock_guard const lock(runtime_mutex());
    int const device = current_device_index();
    auto const found = context_numbers.find(device);
    *number = found == context_numbers.end() ? static_cast<unsigned long long>(device) + 1 : found->second;
    return cudaSuccess;
}

int get_device(int* device)
{
    return call("cuCtxGetDevice", needs::device, [&] {
        *device = current_device_index();
        return cudaSuccess;
    });
}

/// Its failure is an answer, too: so it does not fail where others are told to, either.
int get_address_range(unsigned long long* begin, std::size_t* bytes, unsigned long long address)
{
    std::lock_guard const lock(runtime_mutex());
    allocation const* const found = allocation_of(reinterpret_cast<void const*>(static_cast<std::uintptr_t>(address)));
    if (found == nullptr)
        return cudaErrorInvalidValue;
    *begin = reinterpret_cast<std::uintptr_t>(found->first);
    *bytes = found->bytes;
    return cudaSuccess;
}

template <class... Parameters>
void* address_of(int (*function)(Parameters...))
{
    return reinterpret_cast<void*>(function);
}

} // namespace

void begin_context(int device)
{
    context_numbers[device] = ++contexts_made;
}

} // namespace simt

using namespace simt;

cudaError_t cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* outcome)
{
    return call("cudaGetDriverEntryPointByVersion", needs::nothing, [&] {
        static std::map<std::string, void*> const functions = {{"cuStreamGetCtx", address_of(stream_get_context)},
                                                               {"cuCtxPushCurrent", address_of(push_current)},
                                                               {"cuCtxPopCurrent", address_of(pop_current)},
                                                               {"cuCtxGetDevice", address_of(get_device)},
                                                               {"cuCtxGetId", address_of(get_id)},
                                                               {"cuMemGetAddressRange", address_of(get_address_range)}};
        auto const found = functions.find(name);
        *function = found == functions.end() ? nullptr : found->second;
        *outcome = *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
        return cudaSuccess;
    });
}
