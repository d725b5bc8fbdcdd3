// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The exceptions that the library throws, and the hardened mode, which checks preconditions.

#include <tilewise/core/config.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

// Outside the inline namespace of the mode, so that one translation unit can catch what another throws. Default
// visibility extends this to shared libraries that hide their other symbols.
namespace tilewise {

/// @addtogroup errors
/// @{

/// Thrown when tilewise::device cannot run: there is no GPU or no driver, or the program was built without a CUDA
/// compiler.
class [[gnu::visibility("default")]] no_device : public std::runtime_error {
public:
    using std::runtime_error::runtime_error; ///< those of the base class
};

/// Returns the error category of `cuda_error`. Its values are those of `cudaError_t`.
[[gnu::visibility("default")]] inline std::error_category const& cuda_category()
{
    static class : public std::error_category {
        char const* name() const noexcept override { return "cuda"; }
        std::string message(int code) const override { return "CUDA error " + std::to_string(code); }
    } const category;
    return category;
}

/// Thrown when CUDA reports an error. `what()` names the algorithm, the CUDA runtime call and the error; `code()` holds
/// the `cudaError_t`. After an error inside any kernel of the process, the process can no longer use CUDA.
class [[gnu::visibility("default")]] cuda_error : public std::system_error {
public:
    /// Makes an error whose code is the value of a `cudaError_t`.
    cuda_error(int code, std::string const& what) : std::system_error(code, cuda_category(), what) {}
};

/// Thrown on all ranks when a call across ranks fails. The text is the same on every rank that can learn the reason.
class [[gnu::visibility("default")]] distributed_error : public std::runtime_error {
public:
    /// Makes an error that `rank` caused, or -1 if that is unknown.
    distributed_error(int rank, std::string const& what) : std::runtime_error(what), rank_(rank) {}
    int rank() const noexcept { return rank_; } ///< The rank that caused the error, or -1 if unknown.

private:
    int rank_;
};

/// @}

} // namespace tilewise

TILEWISE_NAMESPACE_BEGIN

/// @ingroup errors
/// Whether calls check their preconditions: true if `TILEWISE_HARDENED` is defined. The CMake target of the same name
/// defines it.
#ifdef TILEWISE_HARDENED
inline constexpr bool hardened = true;
#else
inline constexpr bool hardened = false;
#endif

/// @cond internals
/// Throws `std::invalid_argument` with the name of the algorithm and the violated precondition.
[[noreturn, gnu::cold]] inline void reject_argument(char const* algorithm, std::string const& what)
{
    throw std::invalid_argument(std::string("tilewise::") + algorithm + ": " + what);
}
/// @endcond

TILEWISE_NAMESPACE_END
