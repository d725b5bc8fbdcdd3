// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <simt/test.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace simt {
namespace {

constexpr int default_runs = 20;

long long from_environment(char const* name, long long otherwise)
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoll(text);
}

int failed_parts()
{
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    return test == nullptr ? 0 : test->result()->total_part_count();
}

std::string description_of(runtime::memory_use const& use)
{
    return std::to_string(use.device_blocks) + " blocks of device memory (" + std::to_string(use.device_bytes) +
           " bytes), " + std::to_string(use.pinned_blocks) + " of pinned memory (" + std::to_string(use.pinned_bytes) +
           " bytes)";
}

bool is_more(runtime::memory_use const& a, runtime::memory_use const& b)
{
    return a.device_blocks > b.device_blocks || a.pinned_blocks > b.pinned_blocks;
}

/// Runs one schedule; says what was wrong.
std::string fault_of(std::uint64_t seed, std::function<void()> const& body)
{
    cudaError_t left = cudaSuccess;
    auto const found = run_schedule(seed, [&] {
        body();
        left = cudaPeekAtLastError();
    });
    if (found)
        return found->kind + ": " + found->text;
    if (left != cudaSuccess)
        return std::string("the test leaves an error behind: ") + cudaGetErrorName(left);
    return "";
}

} // namespace

int schedule_count(int runs)
{
    auto const base = from_environment("TILEWISE_SIMT_RUNS", default_runs);
    auto const scaled = runs == 0 ? base : base * runs / default_runs;
    return static_cast<int>(std::max(1ll, scaled));
}

void for_each_schedule(std::function<void()> const& body, schedules wanted)
{
    auto const only = from_environment("TILEWISE_SIMT_SEED", 0);
    auto const begin = only != 0 ? only : 1;
    auto const last = only != 0 ? only : schedule_count(wanted.runs);
    int grown = 0; // schedules after the first that left more than they found
    for (auto seed = begin; seed <= last; ++seed) {
        auto const before = runtime::live();
        int const failed = failed_parts();
        std::string fault;
        try {
            fault = fault_of(static_cast<std::uint64_t>(seed), body);
        } catch (std::exception const& thrown) {
            fault = std::string("the test throws: ") + thrown.what();
        }
        auto const after = runtime::live();
        if (is_more(after, before)) {
            grown += seed != begin;
            if (fault.empty() && wanted.allowed == leaks::none)
                fault = "leak: before " + description_of(before) + ", after " + description_of(after);
        }
        if (!fault.empty() || failed_parts() != failed) {
            ADD_FAILURE() << (fault.empty() ? "a check failed" : fault)
                          << "\nunder the schedule TILEWISE_SIMT_SEED=" << seed;
            return;
        }
    }
    if (wanted.allowed == leaks::steady && 2 * grown > last - begin) {
        // the last schedule again, for which the caches have all that it needs
        auto const before = runtime::live();
        static_cast<void>(fault_of(static_cast<std::uint64_t>(last), body));
        if (is_more(runtime::live(), before))
            ADD_FAILURE() << "leak: most schedules leave memory allocated; now there are "
                          << description_of(runtime::live());
    }
}

} // namespace simt
