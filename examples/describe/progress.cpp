// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace example {
namespace {

std::atomic<std::size_t> bytes_expected = 0, bytes_read = 0;

std::atomic<std::thread::id> computing_thread{};
std::atomic<double> part_computed = 0;

constexpr std::string_view erase_line = "\r\x1B[K";

// What the signal handler needs to know
std::atomic<int> shown_on = -1;                    ///< the file of a progress line that is shown
std::atomic<char const*> unfinished_file{nullptr}; ///< to be removed

void write_all(int file, std::string_view text)
{
    [[maybe_unused]] auto const written = ::write(file, text.data(), text.size()); // a display: errors do not matter
}

extern "C" void end_on_interrupt(int)
{
    if (char const* const file = unfinished_file.load()) {
        ::unlink(file);
    }
    if (int const file = shown_on.load(); file >= 0) {
        write_all(file, erase_line);
    }
    ::_exit(128 + SIGINT);
}

} // namespace

void reading_progress::expect(std::size_t bytes)
{
    bytes_expected += bytes;
}

void reading_progress::advance(std::size_t bytes)
{
    bytes_read += bytes;
}

double reading_progress::part()
{
    auto const expected = bytes_expected.load();
    return expected == 0 ? 0 : std::min(1.0, static_cast<double>(bytes_read) / static_cast<double>(expected));
}

void reading_progress::reset()
{
    bytes_expected = 0;
    bytes_read = 0;
}

void computing_progress::set(double part)
{
    std::thread::id first{};
    auto const self = std::this_thread::get_id();
    if (computing_thread.compare_exchange_strong(first, self) || first == self) {
        part_computed = part;
    }
}

double computing_progress::part()
{
    return part_computed;
}

void computing_progress::reset()
{
    computing_thread = std::thread::id{};
    part_computed = 0;
}

std::optional<time_estimate::seconds> time_estimate::left(double part, seconds elapsed)
{
    if (part < last_part_) {
        first_part_ = part;
        start_ = elapsed;
    }
    last_part_ = part;
    if (part <= first_part_) {
        return std::nullopt;
    }
    return (elapsed - start_) * ((1 - part) / (part - first_part_));
}

std::string progress_text(std::string_view phase, double part, std::optional<time_estimate::seconds> left)
{
    auto text = std::string(phase) + ": " + std::to_string(std::lround(100 * part)) + " %";
    if (left) {
        text += ", about " + std::to_string(std::max(1L, std::lround(left->count()))) + " s left";
    }
    return text;
}

std::string progress_text(std::string_view phase, time_estimate::seconds elapsed)
{
    return std::string(phase) + ", " + std::to_string(std::lround(elapsed.count())) + " s";
}

progress_line::progress_line(int file, seconds delay, seconds period)
    : file_(file), thread_([this, delay, period] { run(delay, period); })
{}

progress_line::~progress_line()
{
    {
        std::lock_guard const lock(mutex_);
        is_done_ = true;
    }
    done_.notify_one();
    thread_.join();
}

void progress_line::run(seconds delay, seconds period)
{
    auto const start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    auto const wait_for = [&](seconds time) { return done_.wait_for(lock, time, [this] { return is_done_; }); };
    if (wait_for(delay)) {
        return;
    }
    shown_on = file_;
    time_estimate of_reading, of_computing;
    of_reading.left(0, seconds(0));
    do {
        seconds const elapsed = std::chrono::steady_clock::now() - start;
        double const read = reading_progress::part(), computed = computing_progress::part();
        auto const text = computed > 0 ? progress_text("computing", computed, of_computing.left(computed, elapsed))
                          : read > 0 && read < 1 ? progress_text("reading", read, of_reading.left(read, elapsed))
                                                 : progress_text(read > 0 ? "computing" : "working", elapsed);
        write_all(file_, std::string(erase_line) + "describe: " + text);
    } while (!wait_for(period));
    write_all(file_, erase_line);
    shown_on = -1;
}

bool is_terminal(int file)
{
    char const* const type = std::getenv("TERM");
    return ::isatty(file) == 1 && type != nullptr && std::string_view(type) != "dumb";
}

void end_cleanly_on_interrupt()
{
    struct sigaction action = {};
    ::sigaction(SIGINT, nullptr, &action);
    if (action.sa_handler == SIG_IGN) { // in the background
        return;
    }
    action = {};
    action.sa_handler = end_on_interrupt;
    ::sigaction(SIGINT, &action, nullptr);
}

bool replace_file(std::string const& name, std::string const& text)
{
    namespace fs = std::filesystem;
    std::error_code error;
    auto const status = fs::status(name, error);
    bool const is_file = status.type() == fs::file_type::regular || status.type() == fs::file_type::not_found;
    auto const target = fs::exists(status) ? fs::canonical(name, error) : fs::path(name); // behind symbolic links
    std::string const beside = target.string() + ".part-" + std::to_string(::getpid());

    if (fs::exists(status) && ::access(name.c_str(), W_OK) != 0) { // which a rename does not ask
        return false;
    }
    auto const write = [&](std::string const& file) {
        std::ofstream out(file, std::ios::binary);
        out << text;
        out.close();
        return !out.fail();
    };
    if (!is_file) {
        return write(name);
    }
    unfinished_file = beside.c_str();
    bool is_written = write(beside);
    if (is_written) {
        if (fs::exists(status)) {
            fs::permissions(beside, status.permissions(), error);
        }
        fs::rename(beside, target, error);
        is_written = !error;
    }
    if (!is_written) {
        ::unlink(beside.c_str());
    }
    unfinished_file = nullptr;
    return is_written;
}

} // namespace example
