// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `distributed`: a policy that runs an algorithm across the ranks of a communicator.

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
#include <optional>
#include <string>
#include <vector>

namespace tilewise {

/// @addtogroup distributed
/// @{

/// Runs an algorithm across the ranks of a communicator, each of which calls it with its own part of the elements.
///
/// The range is the concatenation of the ranks' parts, in rank order. Parts may have any size, including zero. `init`
/// is taken from rank 0. The result has the same bits as one call on the whole range, for any number of ranks and any
/// partition: values are combined only as [the order](../../docs/order.md) defines. Ranks exchange the aggregates of
/// the largest units of the order in each part, about 60 values for floats. The only elements that they exchange are
/// those of a lane vector that is split between parts.
///
/// On every rank, `reduce`, `transform_reduce`, their `_into` forms, `count`, `count_if`, the histograms and
/// `reduce_by_index` give the results for all ranks; `min_element`, `max_element` and `minmax_element` give a
/// rank_position. The scans write, on each rank, the results for that rank's elements. Each rank processes its own part
/// under the local policy. Accumulators must be trivially copyable, and operators must be the same function on all
/// ranks.
///
/// All ranks must make the same calls in the same order, with the same types and axes. If they do not, or if a call
/// throws on one rank, every rank throws a `distributed_error` with the same text, which names the rank. On the rank
/// where an exception was thrown, that exception is nested in the error (std::rethrow_if_nested rethrows it). All ranks
/// are then in step again for the next call, unless the communicator itself failed.
template <communicator Communicator, class Local>
class distributed_policy {
public:
    /// Makes a policy for the ranks of a communicator, which must outlive the calls.
    constexpr distributed_policy(Communicator& ranks, Local const& local) : ranks_(std::addressof(ranks)), local_(local)
    {}

    /// Returns a copy of this policy that says where this rank's part is: behind `begin` elements of other ranks, in a
    /// range of `total` elements.
    ///
    /// Ranks then need not exchange the sizes of their parts first. For up to 32 ranks that saves reductions, scans and
    /// the algorithms that return positions one collective. Either all ranks state their positions or none does. A call
    /// with a part that is not where the policy says throws `distributed_error` on all ranks. (Samples and keys that
    /// have no random access iterators are not counted for that.)
    constexpr distributed_policy at(std::ptrdiff_t begin, std::ptrdiff_t total) const
    {
        distributed_policy refined = *this;
        refined.position_ = part_position{begin, total};
        return refined;
    }

    constexpr Communicator& communicator() const { return *ranks_; } ///< the communicator of the ranks
    constexpr Local const& local() const { return local_; }          ///< the policy for each rank's own part
    /// Returns the position set by `at`, if any.
    constexpr std::optional<part_position> position() const { return position_; }

private:
    Communicator* ranks_;
    Local local_;
    std::optional<part_position> position_;
};

/// Returns a policy that runs algorithms across the ranks of a communicator, each of which processes its own part under
/// a local policy.
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
        rank_call<Communicator> call(policy.communicator(), algorithm, policy.position());
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

/// Returns where to split `count` elements into parts for `ranks` ranks: rank r has [cuts[r], cuts[r + 1]). T is the
/// type of the accumulator.
///
/// The sizes of the parts differ by at most a 64th, or by a lane vector if that is more. Parts begin at multiples of a
/// unit of the order, at least of a lane vector, so that ranks exchange as little as possible. Any other partition
/// gives the same bits. Throws `std::invalid_argument` for a negative count or fewer than one rank.
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

/// Returns how many elements to leave unused at the beginning of memory that is aligned to 16 bytes, for a part of a
/// range that begins at `begin`. T is the type of the elements.
///
/// The units of the order are then aligned as they are at the beginning of the range, and scans of the part are as
/// fast.
template <class T>
constexpr offset aligned_begin(offset begin)
{
    return begin % std::max(offset{1}, offset{16} / offset{sizeof(T)});
}

/// @}

TILEWISE_NAMESPACE_END
