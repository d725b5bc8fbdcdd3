// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program may mix modes: each translation unit behaves as it was compiled, and all give the same sums.

#include "modes.hpp"

#include <tilewise/error.hpp>
#include <tilewise/policy.hpp>

#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace {

int failures = 0;

void expect(bool holds, char const* mode, char const* what)
{
    if (!holds) {
        std::printf("%s: expected %s\n", mode, what);
        ++failures;
    }
}

void check_sums(char const* mode, observation const& seen)
{
    static observation const first = seen;
    expect(std::memcmp(&seen.sum, &first.sum, sizeof(float)) == 0, mode, "the same bits as in other modes");
    expect(seen.last_of_scan == seen.sum, mode, "a scan that ends with the sum");
    expect(seen.in_first_bin == 100'000, mode, "all elements in the first bin");
}

bool catches_what_another_mode_throws()
try {
    throw_no_device();
    return false;
} catch (tilewise::no_device const&) {
    return true;
} catch (std::runtime_error const&) {
    return false;
}

bool has_no_kernels(observation const& seen)
{
    return seen.on_device.find("was not compiled") != std::string::npos;
}

} // namespace

int main()
{
    observation const in_plain = plain::observe(tilewise::device);
    check_sums("plain", in_plain);
    expect(!in_plain.rejects_last_first, "plain", "no check of preconditions");
    expect(has_no_kernels(in_plain), "plain", "no kernels");

    observation const in_hardened = hardened::observe(tilewise::device);
    check_sums("hardened", in_hardened);
    expect(in_hardened.rejects_last_first, "hardened", "a check of preconditions");
    expect(catches_what_another_mode_throws(), "plain", "to catch what is thrown in the hardened mode");
    expect(has_no_kernels(in_hardened), "hardened", "no kernels");

    observation const in_strict_fp = strict_fp::observe(tilewise::device);
    check_sums("strict_fp", in_strict_fp);
    expect(!in_strict_fp.rejects_last_first, "strict_fp", "no check of preconditions");
    expect(in_strict_fp.error_of_product == 0, "strict_fp", "a product that is rounded");

    check_sums("header_only", header_only::observe(tilewise::device));

#ifdef WITH_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_sums("avx2", avx2::observe(tilewise::device));
#endif

#ifdef WITH_KERNELS
    observation const in_kernels = kernels::observe(tilewise::device);
    check_sums("kernels", in_kernels);
    expect(!in_kernels.rejects_last_first, "kernels", "no check of preconditions");
    expect(!has_no_kernels(in_kernels), "kernels", "7, or a complaint about the machine");

    observation const in_per_thread = per_thread::observe(tilewise::device);
    check_sums("per_thread", in_per_thread);
    expect(!has_no_kernels(in_per_thread), "per_thread", "7, or a complaint about the machine");
#endif
    return failures;
}
