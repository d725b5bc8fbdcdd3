// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../progress.hpp"

#include "command.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace example;
using namespace std::chrono_literals;

TEST(progress_text, estimates_what_is_left)
{
    EXPECT_EQ(progress_text("reading", 0.25, 30s), "reading: 25 %, about 30 s left");
    EXPECT_EQ(progress_text("reading", 0.999, 0.003s), "reading: 100 %, about 1 s left");
    EXPECT_EQ(progress_text("computing", 0.04, std::nullopt), "computing: 4 %");
    EXPECT_EQ(progress_text("computing", 7.4s), "computing, 7 s");
}

TEST(time_estimate, begins_anew_with_other_work)
{
    time_estimate estimate;
    EXPECT_EQ(estimate.left(0.25, 10s), std::nullopt);
    EXPECT_EQ(estimate.left(0.25, 11s), std::nullopt);
    EXPECT_EQ(estimate.left(0.5, 20s), 20s); // a quarter in 10 s
    EXPECT_EQ(estimate.left(0.75, 30s), 10s);
    EXPECT_EQ(estimate.left(0.5, 34s), std::nullopt);
    EXPECT_EQ(estimate.left(0.75, 35s), 1s);
}

TEST(computing_progress, is_that_of_the_first_thread_that_reports_it)
{
    computing_progress::reset();
    EXPECT_EQ(computing_progress::part(), 0);
    note_progress({"reduce", 10, 40});
    EXPECT_EQ(computing_progress::part(), 0.25);
    std::thread([] { note_progress({"reduce", 20, 40}); }).join();
    EXPECT_EQ(computing_progress::part(), 0.25);
    note_progress({"reduce", 40, 40});
    EXPECT_EQ(computing_progress::part(), 1);
    computing_progress::reset();
}

std::string read_all(int file)
{
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t size; (size = ::read(file, part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    return text;
}

/// What a line writes that exists for some time.
std::string written_by(progress_line::seconds delay, std::chrono::milliseconds time)
{
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    {
        progress_line const line(ends[1], delay, 1ms);
        std::this_thread::sleep_for(time);
    }
    ::close(ends[1]);
    auto text = read_all(ends[0]);
    ::close(ends[0]);
    return text;
}

TEST(progress_line, shows_how_much_is_read_and_erases_itself)
{
    reading_progress::reset();
    reading_progress::expect(1000);
    reading_progress::advance(500);
    auto const text = written_by(0s, 50ms);
    reading_progress::reset();
    EXPECT_NE(text.find("\r\x1B[Kdescribe: reading: 50 %, about 1 s left"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("left\r\x1B[K")) << text;
}

TEST(progress_line, shows_how_much_is_computed)
{
    computing_progress::reset();
    note_progress({"reduce", 1, 4});
    auto const text = written_by(0s, 50ms);
    computing_progress::reset();
    EXPECT_NE(text.find("\r\x1B[Kdescribe: computing: 25 %\r"), std::string::npos) << text;
}

TEST(progress_line, of_a_short_job_writes_nothing)
{
    EXPECT_EQ(written_by(1h, 5ms), "");
}

class replace_file_in : public command {};

TEST_F(replace_file_in, a_folder_leaves_the_old_file_whole_until_the_new_one_is)
{
    auto const folder = std::filesystem::path(run("pwd").output.substr(0, run("pwd").output.find('\n')));
    auto const file = folder / "x", other_name = folder / "y", link = folder / "z";
    write("x", "old");
    std::filesystem::create_hard_link(file, other_name);
    std::filesystem::create_symlink("x", link);
    EXPECT_TRUE(replace_file(link, "new"));
    EXPECT_EQ(read("x"), "new");
    EXPECT_EQ(read("y"), "old"); // which was not written to
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_FALSE(replace_file(folder / "none" / "x", "new"));
    EXPECT_FALSE(replace_file(folder, "new"));
    EXPECT_TRUE(replace_file("/dev/null", "new"));
    EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
    for (auto const& each : std::filesystem::directory_iterator(folder)) {
        EXPECT_EQ(each.path().filename().string().find(".part"), std::string::npos) << each.path();
    }
}

class interrupted : public command {};

TEST_F(interrupted, ends_with_130_and_leaves_the_drawing_as_it_was)
{
    write("x.svg", "old");
    // (A shell starts background jobs with SIGINT ignored; the program is a child of this one.)
    auto const folder = run("pwd").output;
    std::array<int, 2> input{};
    ASSERT_EQ(::pipe(input.data()), 0);
    auto const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGINT, SIG_DFL);
        ::dup2(input[0], STDIN_FILENO);
        ::close(input[0]);
        ::close(input[1]);
        if (::chdir(folder.substr(0, folder.size() - 1).c_str()) != 0) {
            ::_exit(3);
        }
        ::execl(DESCRIBE_PROGRAM, DESCRIBE_PROGRAM, "--histogram", "--svg", "x.svg", "-", nullptr);
        ::_exit(4);
    }
    ::close(input[0]);
    ASSERT_EQ(::write(input[1], "1\n2\n", 4), 4);
    std::this_thread::sleep_for(300ms); // it waits for the rest of its input
    ASSERT_EQ(::kill(child, SIGINT), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ::close(input[1]);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_EQ(read("x.svg"), "old");
}

} // namespace
