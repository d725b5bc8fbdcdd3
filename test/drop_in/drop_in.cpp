// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thrust_program.cu, and what scripts/to_tilewise.sed makes of it, on a GPU.

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <string>

int as_written();        ///< what was main() in thrust_program.cu
int moved_to_tilewise(); ///< and in what the recipe made of it

namespace {

/// What a program prints; and what it throws, since nothing else is heard while its output is caught.
std::string what_it_prints(int (*program)())
{
    std::string thrown;
    testing::internal::CaptureStdout();
    try {
        program();
    } catch (std::exception const& error) {
        thrown = error.what();
    }
    std::string const printed = testing::internal::GetCapturedStdout();
    EXPECT_EQ(thrown, "");
    return printed;
}

TEST(drop_in, a_program_for_thrust_prints_the_same_after_the_recipe)
{
    if (std::getenv("TILEWISE_TEST_SMALL") != nullptr)
        GTEST_SKIP() << "half of it is kernels of another library";
    std::string const expected = what_it_prints(as_written);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(what_it_prints(moved_to_tilewise), expected);
}

} // namespace
