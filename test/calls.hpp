// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Calls under both policies of the host: the messages of those that are rejected, and exceptions that pass through.

#include "values.hpp"

#include <tilewise/policy.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace calls {

/// Calls `check(policy)` for `seq` and for `par`.
template <class Check>
void on_both(Check check)
{
    check(tilewise::seq);
    check(tilewise::par);
}

/// Returns the message of the `std::invalid_argument` that `call` throws, or an empty string if it throws none.
template <class Call>
std::string message_of(Call call)
{
    try {
        call();
    } catch (std::invalid_argument const& error) {
        return error.what();
    }
    return "";
}

/// Expects that `call` lets an exception pass that `values::fuse` throws at its first event, at its last one, or at
/// some in between, and that no `values::tracked` is left behind. `varies`: calls may differ in their number of events,
/// by less than half of it.
template <class Call>
void expect_exceptions_from(Call call, bool varies = false)
{
    long const alive = values::tracked::alive;
    values::fuse::set(values::fuse::never);
    call();
    long const events = values::fuse::events_since_set_to_never();
    ASSERT_GT(events, 0);
    ASSERT_EQ(values::tracked::alive, alive);
    for (long const event :
         {1L, 2L, 3L, events / 7, events / 3, events / 2, events - events / 16, events - 1, events}) {
        if (event < 1 || event > (varies ? events / 2 : events))
            continue;
        values::fuse::set(event);
        try {
            call();
            ADD_FAILURE() << "event " << event << " of " << events << " threw nothing";
        } catch (values::blown const& exception) {
            EXPECT_STREQ(exception.what(), "the fuse has blown");
        }
        EXPECT_EQ(values::tracked::alive, alive) << "event " << event << " of " << events;
    }
    values::fuse::set(values::fuse::never);
    call(); // works as before
    EXPECT_EQ(values::tracked::alive, alive);
}

} // namespace calls
