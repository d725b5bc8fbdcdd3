// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The order of combination as an executable specification: docs/order.md, formula by formula, for every element of a
/// scan. Written apart from the library, which it shares no line with, and for reading, not for speed.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace specification {

/// A value, or nothing where an operand is missing.
template <class T>
using maybe = std::optional<T>;

/// The sizes of the order's units, as in the tables of docs/order.md.
struct units {
    std::size_t lane_bytes = 16, lanes = 32, rows = 8, chunks = 8, tiles = 32, groups = 32; // groups: and so on
};

template <class T, class Op>
class order {
public:
    explicit order(Op operation, units sizes = {}) : op(std::move(operation)), of(sizes) {}

    /// inclusive out[i], for all i.
    std::vector<T> inclusive_scan(std::vector<T> const& x, maybe<T> init) const
    {
        std::vector<T> out;
        for_each_element(x, init, [&](maybe<T> const& before_lane_vector, maybe<T> const&, maybe<T> const& k) {
            out.push_back(*both(before_lane_vector, k));
        });
        return out;
    }

    /// exclusive out[i], for all i: the same with the element itself dropped.
    std::vector<T> exclusive_scan(std::vector<T> const& x, T init) const
    {
        std::vector<T> out;
        for_each_element(x, init, [&](maybe<T> const& before_lane_vector, maybe<T> const& k_before, maybe<T> const&) {
            out.push_back(*both(before_lane_vector, k_before));
        });
        return out;
    }

    /// The last element of the inclusive scan; init for an empty range.
    T reduce(std::vector<T> const& x, T init) const { return x.empty() ? init : inclusive_scan(x, init).back(); }

private:
    /// Calls `visit((P(t) + wex(w)) + off, k_(j-1), k_j)` for every element.
    template <class Visit>
    void for_each_element(std::vector<T> const& x, maybe<T> const& init, Visit visit) const
    {
        std::size_t const N = lane_vector(), tile_size = N * of.lanes * of.rows * of.chunks;
        std::vector<std::vector<maybe<T>>> A; // A[k][j] of all whole units so far; level 0 is the tile
        for (std::size_t t = 0; t * tile_size < x.size(); ++t) {
            maybe<T> const P = before_unit(A, 0, init);
            std::vector<maybe<T>> chunk_aggregates;
            for (std::size_t w = 0; w < of.chunks; ++w) {
                maybe<T> const wex = doubling_scan_at_end(chunk_aggregates);
                maybe<T> run; // rows 0 .. r-1
                for (std::size_t r = 0; r < of.rows; ++r) {
                    std::vector<maybe<T>> lane_totals;
                    for (std::size_t l = 0; l < of.lanes; ++l) {
                        maybe<T> const e = doubling_scan_at_end(lane_totals);
                        maybe<T> const off = both(run, e);
                        maybe<T> const before = both(both(P, wex), off);
                        maybe<T> k;
                        for (std::size_t j = 0; j < N; ++j) {
                            std::size_t const i = ((((t * of.chunks + w) * of.rows + r) * of.lanes) + l) * N + j;
                            if (i >= x.size())
                                return;
                            maybe<T> const k_before = k;
                            k = both(k, maybe<T>(x[i]));
                            visit(before, k_before, k);
                        }
                        lane_totals.push_back(k);
                    }
                    run = both(run, adjacent_pair_tree(lane_totals));
                }
                chunk_aggregates.push_back(run);
            }
            append_unit(A, 0, adjacent_pair_tree(chunk_aggregates));
        }
    }

    std::size_t lane_vector() const { return sizeof(T) > of.lane_bytes ? 1 : of.lane_bytes / sizeof(T); }

    maybe<T> both(maybe<T> const& a, maybe<T> const& b) const
    {
        if (!a || !b)
            return a ? a : b;
        T const left = *a, right = *b;
        return maybe<T>(static_cast<T>(op(left, right)));
    }

    /// (0 1)(2 3)..., then pairs of pairs; a missing right operand is dropped.
    maybe<T> adjacent_pair_tree(std::vector<maybe<T>> level) const
    {
        while (level.size() > 1) {
            std::vector<maybe<T>> next;
            for (std::size_t i = 0; i < level.size(); i += 2)
                next.push_back(i + 1 < level.size() ? both(level[i], level[i + 1]) : level[i]);
            level = next;
        }
        return level.empty() ? maybe<T>() : level.front();
    }

    /// What the doubling (Kogge-Stone) scan has at its last place: the right-aligned tree.
    maybe<T> doubling_scan_at_end(std::vector<maybe<T>> values) const
    {
        for (std::size_t d = 1; d < values.size(); d *= 2) {
            std::vector<maybe<T>> const before = values;
            for (std::size_t i = d; i < values.size(); ++i)
                values[i] = both(before[i - d], before[i]);
        }
        return values.empty() ? maybe<T>() : values.back();
    }

    /// Of how many units of level k a unit of the next consists.
    std::size_t parts(std::size_t k) const { return k == 0 ? of.tiles : of.groups; }

    /// The tree over the last `count` units of a level.
    maybe<T> tree_of_last(std::vector<maybe<T>> const& A_k, std::size_t count) const
    {
        return adjacent_pair_tree({A_k.end() - static_cast<std::ptrdiff_t>(count), A_k.end()});
    }

    /// Appends A_k(j) to those before it, and A_(k+1)(j div 32) if it is whole now.
    void append_unit(std::vector<std::vector<maybe<T>>>& A, std::size_t k, maybe<T> const& value) const
    {
        if (k == A.size())
            A.emplace_back();
        A[k].push_back(value);
        if (A[k].size() % parts(k) == 0)
            append_unit(A, k + 1, tree_of_last(A[k], parts(k)));
    }

    /// P_k(j) = P_(k+1)(j div 32) + Tree(A_k[32 (j div 32) .. j-1]), with j the number of units in A[k].
    maybe<T> before_unit(std::vector<std::vector<maybe<T>>> const& A, std::size_t k, maybe<T> const& init) const
    {
        if (k == A.size())
            return init;
        return both(before_unit(A, k + 1, init), tree_of_last(A[k], A[k].size() % parts(k)));
    }

    Op op;
    units of;
};

/// inclusive_scan with `init`, in the order.
template <class T, class Op>
T reduce(std::vector<T> const& x, T init, Op op, units sizes = {})
{
    return order<T, Op>(op, sizes).reduce(x, init);
}

} // namespace specification
