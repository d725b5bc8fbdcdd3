// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `distributed`: a policy that runs an algorithm over the ranks of a communicator.

#include <tilewise/core/config.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/position.hpp> // IWYU pragma: export
#include <tilewise/distributed/self.hpp>     // IWYU pragma: export
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tilewise {

/// @addtogroup distributed
/// @{

/// Runs over the ranks of a communicator, each of which calls the algorithm with its own part of the elements.
///
/// The range is the ranks' ranges one after another, in the order of the ranks. Ranges may have any sizes, also none.
/// `init` is rank 0's. The result is what one call for the whole range gives, bit for bit, whatever the number of ranks
/// and wherever the range is cut: no value is combined but as [the order](../../docs/order.md) combines it. What ranks
/// exchange is the aggregates of the largest units of the order in each part, for floats about 60 values, and no
/// elements but those of a lane vector that is cut.
///
/// `reduce`, `transform_reduce`, their forms with `_into`, `count`, `count_if`, `histogram` and `histogram_add` have
/// their results on every rank; the scans write, on each rank, the results for its own elements. A rank's part is
/// reduced and scanned under the local policy. Accumulators are trivially copyable; operators are the same function on
/// all ranks.
///
/// All ranks make the same calls in the same order, with the same types and axes. Otherwise, and if a call throws on
/// one rank, every rank throws a `distributed_error` with the same text, which names the rank; nested in it is, on the
/// rank where it was thrown, the exception itself. (std::rethrow_if_nested throws that.) Then the next call finds all
/// ranks in step again, unless it is the communicator that failed.
template <communicator Communicator, class Local>
class distributed_policy {
public:
    /// Over the ranks of a communicator that outlives the calls.
    constexpr distributed_policy(Communicator& ranks, Local const& local) : ranks_(std::addressof(ranks)), local_(local)
    {}
    constexpr Communicator& communicator() const { return *ranks_; } ///< whose ranks make the calls
    constexpr Local const& local() const { return local_; }          ///< the policy for each rank's own part

private:
    Communicator* ranks_;
    Local local_;
};

/// A policy for the ranks of `ranks`, each of which works on its own part under a local policy.
/// @snippet guide/distributed.cpp first
template <communicator Communicator, execution_policy Local = sequenced_policy>
constexpr auto distributed(Communicator& ranks, Local const& local = {})
{
    return distributed_policy<Communicator, policy_for<Local>>(ranks, tilewise::resolve(local));
}

/// @cond
template <class Communicator, class Local>
struct policy_traits<distributed_policy<Communicator, Local>> {
    using type = distributed_policy<Communicator, Local>;
    static constexpr type from(type const& policy) { return policy; }
};
template <class Communicator, class Local>
inline constexpr bool is_device_policy<distributed_policy<Communicator, Local>> = is_device_policy<Local>;
/// @endcond

/// @}

} // namespace tilewise

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// @cond internals
template <class Communicator, class Local>
struct call_under<distributed_policy<Communicator, Local>> {
    static constexpr bool is_on_one_machine = false;
    template <class>
    using position = rank_position;

    template <class Body>
    static decltype(auto) run(distributed_policy<Communicator, Local> const& policy, char const* algorithm, Body&& body)
    {
        rank_call<Communicator> call(policy.communicator(), algorithm);
        try {
            return body(on_ranks<Communicator, Local>(call, policy.local()));
        } catch (...) {
            call.fail();
        }
    }
};
/// @endcond

} // namespace engine

/// @addtogroup distributed
/// @{

/// Where to cut `count` elements into parts for so many ranks: rank r has [cuts[r], cuts[r + 1]). T is the type of the
/// accumulator.
///
/// Parts are equal up to a 64th. They begin at multiples of a unit of the order, at least of a lane vector: then what
/// ranks exchange is shortest. Any other cuts give the same bits. Throws `std::invalid_argument` for a negative count
/// or less than one rank.
template <class T>
std::vector<offset> even_partition(offset count, int ranks)
{
    if (count < 0 || ranks < 1)
        reject_argument("even_partition", std::to_string(count) + " elements for " + std::to_string(ranks) + " ranks");
    offset unit = order<T>::lane_vector;
    for (offset const larger : {order<T>::row, order<T>::chunk, order<T>::tile, order<T>::group})
        if (larger <= count / ranks / 64)
            unit = larger;
    offset const units = (count + unit - 1) / unit;
    std::vector<offset> cuts;
    for (int rank = 0; rank <= ranks; ++rank)
        cuts.push_back(std::min(count, (units / ranks * rank + units % ranks * rank / ranks) * unit));
    return cuts;
}

/// How many elements to leave free at the beginning of memory that is aligned to 16 bytes, for a part of a range that
/// begins at `begin`. T is the type of the elements.
///
/// Then the units of the order are as well aligned as they are where the range begins, and scans of a part are as fast.
template <class T>
constexpr offset aligned_begin(offset begin)
{
    return begin % std::max(offset{1}, offset{16} / offset{sizeof(T)});
}

/// @}

TILEWISE_NAMESPACE_END
