// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `distributed`: a policy that runs an algorithm across the ranks of a communicator.

#include <tilewise/core/config.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/partition.hpp> // IWYU pragma: export
#include <tilewise/distributed/position.hpp>  // IWYU pragma: export
#include <tilewise/distributed/self.hpp>      // IWYU pragma: export
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <memory>
#include <optional>

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
/// rank_position; `segmented_reduce` gives the results of all segments. The scans write, on each rank, the results for
/// that rank's elements, `reduce_by_key` and `count_by_key` the results of the runs that begin on it. Each rank
/// processes its own part under the local policy. Segmented algorithms need the position of each part (see `at`), and
/// the same offsets on all ranks, which count from the beginning of the range. Accumulators and keys of runs must be
/// trivially copyable, and operators and predicates must be the same function on all ranks.
///
/// All ranks must make the same calls in the same order, with the same types and axes. If they do not, or if a call
/// throws on one rank, every rank throws a `distributed_error` with the same text, which names the rank. On the rank
/// where an exception was thrown, that exception is nested in the error (std::rethrow_if_nested rethrows it). All ranks
/// are then in step again for the next call, unless the communicator itself failed.
template <communicator Communicator, class Local, bool scatters_counts = false>
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

    /// Returns a copy of this policy under which a histogram is scattered: each rank gets the counts of its own cells,
    /// [cuts[r], cuts[r + 1]) of `cuts = even_partition<std::uint64_t>(axis.extent(), ranks)`, and passes an output for
    /// those alone.
    ///
    /// For @ref histogram and @ref histogram_add. A rank sends and receives as many counts as for a call with all
    /// results, less the results of others, which take half of that.
    constexpr distributed_policy<Communicator, Local, true> scattered() const
    {
        distributed_policy<Communicator, Local, true> refined(*ranks_, local_);
        return position_ ? refined.at(position_->begin, position_->total) : refined;
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
template <class Communicator, class Local, bool scatters>
struct policy_traits<distributed_policy<Communicator, Local, scatters>> {
    using type = distributed_policy<Communicator, Local, scatters>;
    static constexpr type from(type const& policy) { return policy; }
};
template <class Communicator, class Local, bool scatters>
inline constexpr bool is_device_policy<distributed_policy<Communicator, Local, scatters>> = is_device_policy<Local>;
/// @endcond

/// @}

} // namespace tilewise

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// @cond internals
template <class Communicator, class Local, bool scatters>
struct call_under<distributed_policy<Communicator, Local, scatters>> {
    static constexpr bool is_on_one_machine = false;
    template <class>
    using position = rank_position;

    template <class Body>
    static decltype(auto) run(distributed_policy<Communicator, Local, scatters> const& policy, char const* algorithm,
                              Body&& body)
    {
        rank_call<Communicator> call(policy.communicator(), algorithm, policy.position());
        try {
            return body(
                on_ranks<Communicator, Local, standard_geometry, standard_joining, scatters>(call, policy.local()));
        } catch (...) {
            call.fail();
        }
    }
};
/// @endcond

} // namespace engine

TILEWISE_NAMESPACE_END
