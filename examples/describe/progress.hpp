// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
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

/// "reading: 45 %, about 12 s left", or how long it has taken if nothing else is known.
std::string progress_text(double part, std::chrono::duration<double> elapsed);

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
