// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The order of combination as an executable specification: docs/order.md, formula by formula, for every element of a
/// scan. Written apart from the library, which it shares no line with, and for reading, not for speed.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace specification {

/// The sizes of the order's units, as in the tables of docs/order.md.
struct units {
    std::size_t lane_bytes = 16, lanes = 32, rows = 8, chunks = 8, tiles = 32, groups = 32; // groups: and so on
};

template <class T, class Op>
class order {
public:
    explicit order(Op operation, units sizes = {}) : op(std::move(operation)), of(sizes) {}

    /// inclusive out[i], for all i.
    std::vector<T> inclusive_scan(std::vector<T> const& x, std::optional<T> init) const
    {
        std::vector<T> out;
        for_each_element(x, init,
                         [&](std::optional<T> const& before_lane_vector, std::optional<T> const&,
                             std::optional<T> const& k) { out.push_back(*both(before_lane_vector, k)); });
        return out;
    }

    /// exclusive out[i], for all i: the same with the element itself dropped.
    std::vector<T> exclusive_scan(std::vector<T> const& x, T init) const
    {
        std::vector<T> out;
        for_each_element(x, init,
                         [&](std::optional<T> const& before_lane_vector, std::optional<T> const& k_before,
                             std::optional<T> const&) { out.push_back(*both(before_lane_vector, k_before)); });
        return out;
    }

    /// The last element of the inclusive scan; init for an empty range.
    T reduce(std::vector<T> const& x, T init) const { return x.empty() ? init : inclusive_scan(x, init).back(); }

private:
    /// Calls `visit((P(t) + wex(w)) + off, k_(j-1), k_j)` for every element.
    template <class Visit>
    void for_each_element(std::vector<T> const& x, std::optional<T> const& init, Visit visit) const
    {
        std::size_t const N = lane_vector(), tile_size = N * of.lanes * of.rows * of.chunks;
        std::vector<std::vector<std::optional<T>>> A; // A[k][j] of all whole units so far; level 0 is the tile
        for (std::size_t t = 0; t * tile_size < x.size(); ++t) {
            std::optional<T> const P = before_unit(A, 0, init);
            std::vector<std::optional<T>> chunk_aggregates;
            for (std::size_t w = 0; w < of.chunks; ++w) {
                std::optional<T> const wex = last_of(doubling_scan(chunk_aggregates));
                std::optional<T> run; // rows 0 .. r-1
                for (std::size_t r = 0; r < of.rows; ++r) {
                    std::size_t const row = (((t * of.chunks + w) * of.rows + r) * of.lanes) * N;
                    std::vector<std::optional<T>> lane_aggregates; // nothing for a lane behind the end
                    for (std::size_t l = 0; l < of.lanes; ++l) {
                        std::optional<T> k;
                        for (std::size_t i = row + l * N; i < std::min(row + (l + 1) * N, x.size()); ++i)
                            k = both(k, std::optional<T>(x[i]));
                        lane_aggregates.push_back(k);
                    }
                    std::vector<std::optional<T>> const scan = doubling_scan(lane_aggregates);
                    std::optional<T> e; // of the lanes before
                    for (std::size_t l = 0; l < of.lanes; ++l) {
                        std::optional<T> const off = both(run, e);
                        std::optional<T> const before = both(both(P, wex), off);
                        std::optional<T> k;
                        for (std::size_t i = row + l * N; i < row + (l + 1) * N; ++i) {
                            if (i >= x.size())
                                return;
                            std::optional<T> const k_before = k;
                            k = both(k, std::optional<T>(x[i]));
                            visit(before, k_before, k);
                        }
                        e = scan[l];
                    }
                    run = both(run, adjacent_pair_tree(lane_aggregates));
                }
                chunk_aggregates.push_back(run);
            }
            append_unit(A, 0, adjacent_pair_tree(chunk_aggregates));
        }
    }

    std::size_t lane_vector() const { return sizeof(T) > of.lane_bytes ? 1 : of.lane_bytes / sizeof(T); }

    std::optional<T> both(std::optional<T> const& a, std::optional<T> const& b) const
    {
        if (!a || !b)
            return a ? a : b;
        T const left = *a, right = *b;
        return std::optional<T>(static_cast<T>(op(left, right)));
    }

    /// (0 1)(2 3)..., then pairs of pairs; a missing right operand is dropped.
    std::optional<T> adjacent_pair_tree(std::vector<std::optional<T>> level) const
    {
        while (level.size() > 1) {
            std::vector<std::optional<T>> next;
            for (std::size_t i = 0; i < level.size(); i += 2)
                next.push_back(i + 1 < level.size() ? both(level[i], level[i + 1]) : level[i]);
            level = next;
        }
        return level.empty() ? std::optional<T>() : level.front();
    }

    /// The doubling (Kogge-Stone) scan: at each place the right-aligned tree of the values up to it.
    std::vector<std::optional<T>> doubling_scan(std::vector<std::optional<T>> values) const
    {
        for (std::size_t d = 1; d < values.size(); d *= 2) {
            std::vector<std::optional<T>> const before = values;
            for (std::size_t i = d; i < values.size(); ++i)
                values[i] = both(before[i - d], before[i]);
        }
        return values;
    }

    static std::optional<T> last_of(std::vector<std::optional<T>> const& values)
    {
        return values.empty() ? std::optional<T>() : values.back();
    }

    /// Of how many units of level k a unit of the next consists.
    std::size_t parts(std::size_t k) const { return k == 0 ? of.tiles : of.groups; }

    /// The tree over the last `count` units of a level.
    std::optional<T> tree_of_last(std::vector<std::optional<T>> const& A_k, std::size_t count) const
    {
        return adjacent_pair_tree({A_k.end() - static_cast<std::ptrdiff_t>(count), A_k.end()});
    }

    /// Appends A_k(j) to those before it, and A_(k+1)(j div 32) if it is whole now.
    void append_unit(std::vector<std::vector<std::optional<T>>>& A, std::size_t k, std::optional<T> const& value) const
    {
        if (k == A.size())
            A.emplace_back();
        A[k].push_back(value);
        if (A[k].size() % parts(k) == 0)
            append_unit(A, k + 1, tree_of_last(A[k], parts(k)));
    }

    /// P_k(j) = P_(k+1)(j div 32) + Tree(A_k[32 (j div 32) .. j-1]), with j the number of units in A[k].
    std::optional<T> before_unit(std::vector<std::vector<std::optional<T>>> const& A, std::size_t k,
                                 std::optional<T> const& init) const
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
