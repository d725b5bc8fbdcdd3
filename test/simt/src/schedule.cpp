// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api.hpp"
#include "device.hpp"
#include "machine.hpp"
#include "report.hpp"

#include <simt/schedule.hpp>

#include <cstdio>
#include <exception>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {
namespace {

/// Has the seed printed when a sanitizer ends the program.
void print_seed_at_death()
{
#ifdef __SANITIZE_ADDRESS__
    static bool const is_registered = [] {
        __sanitizer_set_death_callback([] {
            std::fprintf(stderr, "under the schedule TILEWISE_SIMT_SEED=%llu\n",
                         static_cast<unsigned long long>(the_machine().seed));
        });
        return true;
    }();
    static_cast<void>(is_registered);
#endif
}

void clear()
{
    clear_streams();
    clear_calls();
    take_report();
}

} // namespace

std::optional<report> run_schedule(std::uint64_t seed, std::function<void()> const& body)
{
    print_seed_at_death();
    std::unique_lock lock(runtime_mutex());
    clear();
    begin_schedule(seed);
    auto const devices = all_devices();
    lock.unlock();

    std::exception_ptr thrown;
    try {
        body();
    } catch (...) {
        thrown = std::current_exception();
    }

    lock.lock();
    synchronize_all();
    auto found = take_report();
    if (found || thrown)
        begin_schedule(seed); // lets go of what still hangs
    all_devices() = devices;
    if (found)
        return found;
    if (thrown)
        std::rethrow_exception(thrown);
    return std::nullopt;
}

std::uint64_t schedule_seed()
{
    return the_machine().seed;
}

namespace runtime {

void reset()
{
    std::lock_guard const lock(runtime_mutex());
    clear();
    begin_schedule(the_machine().seed);
    set_device_count(1);
}

} // namespace runtime
} // namespace simt
