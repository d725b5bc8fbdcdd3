// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace example {

/// The program to run; each test program has its own idea.
std::string describe_program();

struct outcome {
    int status;
    std::string output;
    std::string errors;
};

inline std::string contents(std::filesystem::path const& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string without_last_line(std::string text)
{
    if (!text.empty()) {
        text.pop_back();
    }
    return text.substr(0, text.rfind('\n') + 1);
}

inline bool begins_with(std::string const& text, std::string const& start)
{
    return text.starts_with(start);
}

inline std::string repeated(std::string const& text, int times)
{
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

/// Each test has a folder of its own, and runs in it.
class command : public testing::Test {
protected:
    command()
    {
        std::string name = std::filesystem::temp_directory_path() / "describe-XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~command() override { std::filesystem::remove_all(folder_); }

    std::string write(std::string const& name, std::string const& text) const
    {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return name;
    }

    std::string read(std::string const& name) const { return contents(folder_ / name); }

    outcome describe(std::string const& arguments) const { return run('\'' + describe_program() + "' " + arguments); }

    outcome run(std::string const& line_of_shell) const
    {
        auto const line = "cd '" + folder_.string() + "' && " + line_of_shell + " >output 2>errors";
        int const status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "output"),
                contents(folder_ / "errors")};
    }

    void expect_error(std::string const& arguments, int status, std::string const& message) const
    {
        auto const actual = describe(arguments);
        EXPECT_EQ(actual.status, status) << arguments;
        EXPECT_EQ(actual.output, "") << arguments;
        EXPECT_EQ(actual.errors, "describe: " + message + '\n') << arguments;
    }

private:
    std::filesystem::path folder_;
};

} // namespace example
