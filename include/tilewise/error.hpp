// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the library throws, and the checks of preconditions that the hardened mode turns on.

#include <tilewise/core/config.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

// In every mode the same, so that one translation unit can catch what another throws; also if that one is in a shared
// library that hides the rest.
namespace tilewise {

/// @addtogroup errors
/// @{

/// There is nothing to run tilewise::device on: no GPU, no driver, or no CUDA compiler when the program was made.
class [[gnu::visibility("default")]] no_device : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The category of `cuda_error`: the values are those of `cudaError_t`.
[[gnu::visibility("default")]] inline std::error_category const& cuda_category()
{
    static class : public std::error_category {
        char const* name() const noexcept override { return "cuda"; }
        std::string message(int code) const override { return "CUDA error " + std::to_string(code); }
    } const category;
    return category;
}

/// CUDA reported an error. `what()` names the algorithm, the call of the CUDA runtime and the error; `code()` has the
/// `cudaError_t`. After an error inside a kernel CUDA itself is lost to the process, whoever's kernel it was.
class [[gnu::visibility("default")]] cuda_error : public std::system_error {
public:
    /// With the value of a `cudaError_t`.
    cuda_error(int code, std::string const& what) : std::system_error(code, cuda_category(), what) {}
};

/// A call over several ranks failed. All ranks throw it, with the same text wherever they can learn the reason.
class [[gnu::visibility("default")]] distributed_error : public std::runtime_error {
public:
    /// With the rank that the error comes from, or -1.
    distributed_error(int rank, std::string const& what) : std::runtime_error(what), rank_(rank) {}
    int rank() const noexcept { return rank_; } ///< The rank that the error comes from, or -1 where that is unknown.

private:
    int rank_;
};

/// @}

} // namespace tilewise

TILEWISE_NAMESPACE_BEGIN

/// @ingroup errors
/// Whether broken preconditions are reported: `TILEWISE_HARDENED` is defined.
#ifdef TILEWISE_HARDENED
inline constexpr bool hardened = true;
#else
inline constexpr bool hardened = false;
#endif

/// @cond internals
/// Throws `std::invalid_argument` with the algorithm's name and the broken rule.
[[noreturn]] inline void reject_argument(char const* algorithm, std::string const& what)
{
    throw std::invalid_argument(std::string("tilewise::") + algorithm + ": " + what);
}
/// @endcond

TILEWISE_NAMESPACE_END
