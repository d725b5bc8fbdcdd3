// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../input_file.hpp"

#include "../bad_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace example;

class file_on_disk : public testing::Test {
protected:
    file_on_disk()
    {
        std::string name = std::filesystem::temp_directory_path() / "describe-XXXXXX";
        folder_ = ::mkdtemp(name.data());
        name_ = folder_ / "x";
        std::ofstream(name_, std::ios::binary) << std::string(100'000, 'x');
    }
    ~file_on_disk() override { std::filesystem::remove_all(folder_); }

    std::string name(char const* file = "x") const { return folder_ / file; }

private:
    std::filesystem::path folder_, name_;
};

TEST_F(file_on_disk, ends_the_program_if_what_it_reads_is_gone)
{
    auto const read_all = [&] {
        input_file const file(name());
        std::filesystem::resize_file(name(), 10);
        auto const count = std::count(file.text().begin(), file.text().end(), 'x');
        std::exit(count == 10 ? 0 : 2);
    };
    EXPECT_EXIT(read_all(), testing::ExitedWithCode(1), "^describe: the file was truncated while it was read\n$");
}

TEST_F(file_on_disk, ends_the_program_if_one_of_several_is_gone)
{
    std::ofstream(name("y"), std::ios::binary) << std::string(100'000, 'y');
    auto const read_all = [&](char const* gone) {
        input_file const x(name("x"));
        { // its place is taken by the next
            input_file const closed(name("y"));
        }
        input_file const y(name("y"));
        std::filesystem::resize_file(name(gone), 10);
        auto const count =
            std::count(x.text().begin(), x.text().end(), 'x') + std::count(y.text().begin(), y.text().end(), 'y');
        std::exit(count == 0 ? 0 : 2);
    };
    EXPECT_EXIT(read_all("y"), testing::ExitedWithCode(1), "^describe: the file was truncated while it was read\n$");
    EXPECT_EXIT(read_all("x"), testing::ExitedWithCode(1), "^describe: the file was truncated while it was read\n$");
}

TEST_F(file_on_disk, tells_that_it_became_shorter)
{
    input_file const file(name());
    EXPECT_NO_THROW(file.expect_not_truncated());
    std::filesystem::resize_file(name(), 100'001);
    EXPECT_NO_THROW(file.expect_not_truncated());
    std::filesystem::resize_file(name(), 99'999);
    EXPECT_THROW(file.expect_not_truncated(), bad_input);
}

TEST_F(file_on_disk, is_the_same_by_every_name)
{
    std::filesystem::create_symlink("x", name("symbolic"));
    std::filesystem::create_hard_link(name(), name("hard"));
    std::ofstream(name("other")) << "x";
    input_file const file(name());
    EXPECT_TRUE(file.is_same_as(name()));
    EXPECT_TRUE(file.is_same_as(name("symbolic")));
    EXPECT_TRUE(file.is_same_as(name("hard")));
    EXPECT_FALSE(file.is_same_as(name("other")));
    EXPECT_FALSE(file.is_same_as(name("none")));
    EXPECT_FALSE(input_file("/dev/null").is_same_as("/dev/null"));
}

} // namespace
