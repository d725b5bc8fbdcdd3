// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One process for each rank: starts this program several times, and waits for all processes with a time limit.

#include <cuda_runtime.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace bench {

/// Counts the GPUs in a process of its own, so that this one can still do without CUDA.
inline int count_gpus()
{
    pid_t const child = fork();
    if (child == 0) {
        int count = 0;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess ? std::min(count, 100) : 0);
    }
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/// Ends the calling process after so many seconds, and when its parent ends.
inline void limit_process(int seconds)
{
    alarm(static_cast<unsigned>(seconds));
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        throw std::system_error(errno, std::generic_category(), "prctl");
}

/// A folder that is removed at the end.
class temporary_folder {
public:
    temporary_folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tilewise-ranks-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
        path_ = name;
    }
    temporary_folder(temporary_folder const&) = delete;
    temporary_folder& operator=(temporary_folder const&) = delete;
    ~temporary_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// A process that runs this program again.
struct started_program {
    std::vector<std::string> arguments;   ///< after the name
    std::vector<std::string> environment; ///< in addition to that of this process: NAME=value
};

/// Several processes that run this program. Those that still run at the end are killed.
class process_group {
public:
    explicit process_group(std::vector<started_program> const& programs)
    {
        ranks_.reserve(programs.size()); // an exception must not lose a process
        for (auto const& program : programs)
            ranks_.push_back({start(program)});
    }
    process_group(process_group const&) = delete;
    process_group& operator=(process_group const&) = delete;
    ~process_group()
    {
        for (one& rank : ranks_)
            if (rank.runs) {
                kill(rank.process, SIGKILL);
                while (waitpid(rank.process, nullptr, 0) < 0 && errno == EINTR) {
                }
            }
    }

    /// Waits until all processes have ended with status 0 (returns nothing), one of them has failed, or the time is
    /// over (returns a description). After a failure, the others have five seconds to report theirs.
    std::optional<std::string> wait(std::chrono::seconds limit)
    {
        using clock = std::chrono::steady_clock;
        auto end = clock::now() + limit;
        std::optional<std::string> failure;
        while (true) {
            bool any = false;
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                if (auto reason = poll(rank); reason && !failure) {
                    failure = reason;
                    end = std::min(end, clock::now() + std::chrono::seconds(5));
                }
                any |= ranks_[rank].runs;
            }
            if (!any)
                return failure;
            if (clock::now() > end)
                return failure ? failure : "not finished after " + std::to_string(limit.count()) + " s";
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }

private:
    struct one {
        pid_t process;
        bool runs = true;
    };

    static pid_t start(started_program const& program)
    {
        std::string name = "/proc/self/exe";
        auto arguments = program.arguments, environment = program.environment;
        std::vector<char*> argv{name.data()}, envp;
        for (auto& argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        for (auto& variable : environment) // first: getenv finds the first one
            envp.push_back(variable.data());
        for (char** variable = environ; *variable != nullptr; ++variable)
            envp.push_back(*variable);
        envp.push_back(nullptr);
        pid_t process = 0;
        if (int const error = posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, argv.data(), envp.data()))
            throw std::system_error(error, std::generic_category(), "posix_spawn");
        return process;
    }

    /// Why a process has failed since the last call, if it has.
    std::optional<std::string> poll(std::size_t rank)
    {
        one& polled = ranks_[rank];
        int status = 0;
        pid_t const ended = polled.runs ? waitpid(polled.process, &status, WNOHANG) : 0;
        if (ended == 0 || (ended < 0 && errno == EINTR))
            return std::nullopt;
        polled.runs = false;
        auto const name = "the process of rank " + std::to_string(rank);
        if (ended < 0)
            return name + " was lost";
        if (WIFSIGNALED(status))
            return name + " was ended by signal " + std::to_string(WTERMSIG(status));
        if (WEXITSTATUS(status) != 0)
            return name + " ended with status " + std::to_string(WEXITSTATUS(status));
        return std::nullopt;
    }

    std::vector<one> ranks_;
};

} // namespace bench
