// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reductions by key over ranks. The values of a cell are a range of their own, of which each rank has a part: the
/// fragments of these parts meet at the rank that owns the cell.

#include <tilewise/core/config.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/cells_of_rank.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/reduce_by_cell.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The cells of a call on this rank. Its member functions are called once each, in their order, on every rank.
template <class Order, class T, class Call>
class cells_on_ranks {
public:
    cells_on_ranks(Call& call, offset cells)
        : call_(call), owned_(cells, call.ranks()), own_cells_(owned_.count(call.rank())), parts_(index(cells)),
          counts_of_ranks_(index(own_cells_ * call.ranks())), parts_of_ranks_(counts_of_ranks_.size())
    {
        out_.reserve(static_cast<std::size_t>(call.ranks()));
        in_.reserve(static_cast<std::size_t>(call.ranks()));
    }

    /// Sends the owner of each cell the number of values that this rank has of it, and receives their position among
    /// all values of the cell.
    void exchange_counts(std::vector<offset> counts)
    {
        counts_ = std::move(counts);
        exchange([&](int r) { return outgoing{r, counts_.data() + owned_.first(r), bytes<offset>(owned_.count(r))}; },
                 [&](int r) { return incoming{r, counts_of_ranks_.data() + at(r, 0), bytes<offset>(own_cells_)}; });
        for (offset cell = 0; cell < own_cells_; ++cell) {
            offset total = 0;
            for (int r = 0; r < call_.ranks(); ++r)
                total += counts_of_ranks_[at(r, cell)];
            offset begin = 0;
            for (int r = 0; r < call_.ranks(); ++r) {
                parts_of_ranks_[at(r, cell)] = {begin, total};
                begin += counts_of_ranks_[at(r, cell)];
            }
        }
        exchange(
            [&](int r) { return outgoing{r, parts_of_ranks_.data() + at(r, 0), bytes<part_of_cell>(own_cells_)}; },
            [&](int r) { return incoming{r, parts_.data() + owned_.first(r), bytes<part_of_cell>(owned_.count(r))}; });
    }

    /// Sends fragments to the owners of their cells; `write(parts, positions, to)` writes them, from `to` on: that of
    /// a cell at the position of its first value.
    template <class Write>
    void send(Write const& write)
    {
        call_.expect_status();
        std::vector<sent_part<Order>> parts;
        std::vector<offset> positions{0}; // of each cell's values among all that are sent
        for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
            parts.emplace_back(parts_[cell], counts_[cell]);
            positions.push_back(positions.back() + parts.back().values());
        }
        std::vector<std::byte> sent(bytes<T>(positions.back()));
        write(parts, positions, sent.data());

        received_begins_.assign(1, 0); // of what each rank sends
        for (int r = 0; r < call_.ranks(); ++r) {
            offset values_of_rank = 0;
            for (offset cell = 0; cell < own_cells_; ++cell)
                values_of_rank += part_of(r, cell).values();
            received_begins_.push_back(received_begins_.back() + values_of_rank);
        }
        received_.resize(bytes<T>(received_begins_.back()));
        call_.gather_status();
        exchange(
            [&](int r) {
                offset const first = positions[index(owned_.first(r))], last = positions[index(owned_.first(r + 1))];
                return outgoing{r, sent.data() + bytes<T>(first), bytes<T>(last - first)};
            },
            [&](int r) {
                offset const first = received_begins_[index(r)], last = received_begins_[index(r + 1)];
                return incoming{r, received_.data() + bytes<T>(first), bytes<T>(last - first)};
            });
    }

    /// Combines `init` and the values of each cell that this rank owns. Returns the results of all ranks for theirs.
    template <class Op>
    gathered<T> combine(T const& init, Op op)
    {
        call_.template expect<T>([&](int r) { return owned_.count(r); });
        packed<T> results;
        std::vector<offset> next(received_begins_); // the value to read next of each rank
        for (offset cell = 0; cell < own_cells_; ++cell) {
            host::fragment<Order, T> before(0);
            std::optional<T> last;
            for (int r = 0; r < call_.ranks(); ++r) {
                sent_part<Order> const part = part_of(r, cell);
                auto const take = [&] { return packed<T>::at(received_.data(), next[index(r)]++); };
                before.append_part(op, part.end, take);
                if (part.has_last)
                    last.emplace(take());
            }
            if (!last) {
                results.push_back(init);
                continue;
            }
            host::entry<Order, T> end(parts_of_ranks_[at(0, cell)].total);
            end.move_behind(op, init, before);
            T result = end.reduced(op, *last);
            host::make_opaque(result);
            results.push_back(result);
        }
        return call_.gather(results);
    }

private:
    static std::size_t index(offset i) { return static_cast<std::size_t>(i); }
    /// Where something of a rank about a cell that this rank owns stands.
    std::size_t at(offset rank, offset cell) const { return index(own_cells_ * rank + cell); }
    template <class Value>
    static std::size_t bytes(offset count)
    {
        return index(count) * sizeof(Value);
    }
    sent_part<Order> part_of(int rank, offset cell) const
    {
        return {parts_of_ranks_[at(rank, cell)], counts_of_ranks_[at(rank, cell)]};
    }

    /// A message to each rank and one from each.
    template <class To, class From>
    void exchange(To to, From from)
    {
        out_.clear();
        in_.clear();
        for (int r = 0; r < call_.ranks(); ++r) {
            out_.push_back(to(r));
            in_.push_back(from(r));
        }
        call_.exchange(out_, in_);
    }

    Call& call_;
    owned_cells owned_;
    offset own_cells_;
    std::vector<offset> counts_;               ///< of this rank's values of each cell
    std::vector<part_of_cell> parts_;          ///< where they stand
    std::vector<offset> counts_of_ranks_;      ///< of each rank's values of each cell that this rank owns
    std::vector<part_of_cell> parts_of_ranks_; ///< and where they stand
    std::vector<offset> received_begins_;      ///< where each rank's values begin among those that this rank gets
    std::vector<std::byte> received_;
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
};

/// Combines rank 0's `init`, which it has in `own_init`, and the values of each cell of all ranks; every rank writes
/// all results. All ranks have agreed, and expect a gather of rank 0's `init`.
template <class Geometry, class Communicator, class Local, class Input, class Extent, class Values, class View,
          class Out, class T, class Op>
Out reduce_cells_in_order(rank_call<Communicator>& call, Local local, Input input, Extent const& end, Values values,
                          View const& view, Out out, packed<T> const& own_init, T init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    offset const cells = view.extent();
    results_of_rank<T, Local, Out> results(call.algorithm(), local, std::move(out));
    engine::with_sorted_cells<order, T>(call.algorithm(), local, std::move(input), end, std::move(values), view, op,
                                        [&](std::vector<offset> counts, auto const& write) {
                                            cells_on_ranks<order, T, rank_call<Communicator>> all(call, cells);
                                            init = call.gather(own_init)(0, 0);
                                            all.exchange_counts(std::move(counts));
                                            all.send(write);
                                            auto const received = all.combine(init, op);
                                            owned_cells const owned(cells, call.ranks());
                                            for (int r = 0; r < call.ranks(); ++r)
                                                for (offset i = 0; i < owned.count(r); ++i)
                                                    results.push_back(received(r, i));
                                        });
    return results.finish();
}

/// The same where every order gives the same bits: each rank combines its own values, and the cells of all are
/// combined.
template <class Communicator, class Local, class It, class Extent, class Values, class View, class Out, class T,
          class Known>
Out reduce_cells_in_any_order(rank_call<Communicator>& call, Local local, It first, Extent end, Values values,
                              View const& view, Out out, packed<T> const& own_init, Known op)
{
    T const identity = Known::template identity<T>;
    std::vector<T> table(static_cast<std::size_t>(offset{view.extent()}));
    engine::reduce_by_cell<T>(call.algorithm(), local, std::move(first), std::move(end), std::move(values), view,
                              table.data(), identity, op);
    combined_table<T> memory(table.size(), call.ranks(), call.rank());
    T const init = call.gather(own_init)(0, 0);
    call.combine(memory, table.data(), op);
    for (T& cell : table)
        cell = static_cast<T>(op(init, cell));
    return engine::write_on_ranks<false>(call.algorithm(), local, table.data(), static_cast<offset>(table.size()),
                                         std::move(out));
}

} // namespace engine
TILEWISE_NAMESPACE_END
