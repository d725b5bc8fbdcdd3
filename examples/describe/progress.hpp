// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/policy.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace example {

/// What all threads of this process have to read, and what they have read.
class reading_progress {
public:
    static void expect(std::size_t bytes);
    static void advance(std::size_t bytes);
    /// The part that has been read, from 0 to 1; 0 if nothing is expected.
    static double part();
    static void reset();
};

/// How far a call under device has come. Over ranks, which proceed alike: on the first rank that reports it.
class computing_progress {
public:
    static void set(double part);
    /// From 0 to 1; 0 if nothing was reported.
    static double part();
    static void reset();
};

/// The progress callback of device.
struct computing_progress_callback {
    void operator()(tilewise::progress_record const& record) const
    {
        computing_progress::set(static_cast<double>(record.done) / static_cast<double>(record.total));
    }
};
inline constexpr computing_progress_callback note_progress{};

/// Estimates the time that is left from the times at which parts of the work were done.
class time_estimate {
public:
    using seconds = std::chrono::duration<double>;
    /// The time left if `part` of the work is done after `elapsed`. None before two parts are known; less of the work
    /// than before is other work, which has just begun.
    std::optional<seconds> left(double part, seconds elapsed);

private:
    double first_part_ = 2, last_part_ = 2;
    seconds start_{};
};

/// "reading: 45 %, about 12 s left"
std::string progress_text(std::string_view phase, double part, std::optional<time_estimate::seconds> left);
/// "computing, 12 s", if nothing else is known
std::string progress_text(std::string_view phase, time_estimate::seconds elapsed);

/// A line that is rewritten in place while an object of this class exists: on a terminal, once that takes longer than
/// `delay`. The destructor erases it.
class progress_line {
public:
    using seconds = std::chrono::duration<double>;
    explicit progress_line(int file, seconds delay = seconds(2), seconds period = seconds(0.2));
    ~progress_line();
    progress_line(progress_line const&) = delete;
    progress_line& operator=(progress_line const&) = delete;

private:
    void run(seconds delay, seconds period);

    int file_;
    bool is_done_ = false;
    std::mutex mutex_;
    std::condition_variable done_;
    std::thread thread_;
};

/// Whether a line on this file can be rewritten.
bool is_terminal(int file);

/// From now on, Ctrl-C ends the program with status 130, without a progress line and without the file that is being
/// written (see replace_file).
void end_cleanly_on_interrupt();

/// Writes a file as a whole: first beside `name`, then in its place, so that there is never a part of it. What is no
/// regular file (a pipe, /dev/stdout) is written directly. Returns whether it was written.
bool replace_file(std::string const& name, std::string const& text);

} // namespace example
