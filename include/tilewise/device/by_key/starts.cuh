// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The input of the scan that finds the runs of equal keys: whether each key begins one.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
#include <iterator>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns one key. Neighbors read the same keys, so memory is read through the L1 cache.
template <class View>
TILEWISE_DEVICE decltype(auto) key_at(View& keys, offset index)
{
    if constexpr (calls_no_function<View>) {
        return (keys.first[index]); // in parentheses: a reference
    } else {
        auto const loaded = keys.template fetch<access::elementwise, 1>(index);
        using key = std::remove_cvref_t<decltype(keys.element(loaded, 0))>;
        return key(keys.element(loaded, 0));
    }
}

/// The number of runs that begin among some keys, doubled, plus one if the last key begins one.
using run_count = std::uint32_t;
inline constexpr run_count begins_run = 3; ///< that of a key that begins one

/// Adds the numbers of runs, and keeps whether the last key begins one.
struct add_runs : known::operator_base {
    template <class T>
    TILEWISE_DEVICE T operator()(T const& a, T const& b) const
    {
        return a - (a & 1) + b;
    }
};

/// Computes the run_count of each key. For keys that are not in memory.
template <class Keys, class Pred>
struct run_starts {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = run_count;
    using reference = run_count;
    using pointer = void;
    using difference_type = offset;

    Keys keys;
    Pred is_same;
    offset position;

    TILEWISE_DEVICE run_count operator[](offset n) const
    {
        Keys own_keys(keys);
        Pred own_pred(is_same);
        offset const index = position + n;
        bool const begins =
            index == 0 || !static_cast<bool>(own_pred(gpu::key_at(own_keys, index - 1), gpu::key_at(own_keys, index)));
        return begins ? begins_run : 0;
    }
    TILEWISE_DEVICE run_count operator*() const { return (*this)[0]; }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE run_starts operator+(offset n) const { return {keys, is_same, position + n}; }
};

/// The same for keys in memory, which are loaded and staged as the elements of any scan. A vector also has the key
/// before it. Once they are loaded, only a bit for each key is kept: the keys would take too many registers.
template <class Key, class Pred>
struct starts_view {
    using keys_view = memory_view<Key>;
    keys_view keys;   ///< in global memory, or their copy in a stage of shared memory
    Key const* first; ///< the first of them in global memory
    offset index;     ///< of the first of them
    Pred is_same;

    static constexpr int bases = 1, widest = keys_view::widest, narrowest = keys_view::narrowest,
                         element_alignment = keys_view::element_alignment;
    static constexpr bool computes = true;

    template <int count>
    struct vector {
        typename keys_view::template vector<count> keys;
        registers<Key, 1> before;
        bool has_before;
        unsigned begins; ///< a bit for each key that begins a run
    };
    template <int count>
    static constexpr int alignment = keys_view::template alignment<count>;
    template <int count>
    static constexpr bool can_realign = keys_view::template can_realign<count>;

    template <class Visit>
    void for_each_base(Visit const& visit) const
    {
        keys.for_each_base(visit);
    }
    template <class Visit>
    void for_each_memory(Visit const&)
    {}
    template <class Visit>
    void for_each_hidden(Visit const&) const
    {}

    template <access how, int count, memory where = memory::global>
    TILEWISE_DEVICE vector<count> fetch(offset position) const
    {
        vector<count> loaded;
        loaded.keys = keys.template fetch<how, count, where>(position);
        bool const is_staged = where == memory::shared && how == access::aligned && position > 0;
        fetch_before(loaded, is_staged ? keys.first : first, position);
        return loaded;
    }
    template <access how, int count>
    TILEWISE_DEVICE void finish(vector<count>& loaded, offset position) const
    {
        keys.template finish<how, count>(loaded.keys, position);
        compare(loaded);
    }
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_clamped(offset position, offset last) const
    {
        vector<count> loaded;
        loaded.keys = keys.template fetch_clamped<count>(position, last);
        fetch_before(loaded, first, position);
        compare(loaded);
        return loaded;
    }
    template <class Vector>
    TILEWISE_DEVICE run_count element(Vector const& loaded, int i)
    {
        return (loaded.begins >> i & 1) != 0 ? begins_run : 0;
    }

    TILEWISE_PORTABLE starts_view from(offset position) const
    {
        return {keys.from(position), first + position, index + position, is_same};
    }
    TILEWISE_PORTABLE static constexpr int stage_bytes(int count) { return keys_view::stage_bytes(count); }
    template <class Copy>
    TILEWISE_DEVICE void for_each_copy(unsigned char* stage, int room, int count, shared_ends shared,
                                       Copy const& copy) const
    {
        keys.for_each_copy(stage, room, count, shared, copy);
    }
    TILEWISE_DEVICE starts_view staged(unsigned char* stage, int room) const
    {
        return {keys.staged(stage, room), first, index, is_same};
    }

private:
    template <int count>
    TILEWISE_DEVICE void fetch_before(vector<count>& loaded, Key const* from, offset position) const
    {
        loaded.has_before = index + position > 0;
        if (loaded.has_before)
            gpu::put(loaded.before[0], from[position - 1]);
    }
    template <int count>
    TILEWISE_DEVICE void compare(vector<count>& loaded) const
    {
        keys_view const view = keys;
        Pred own_pred(is_same);
        loaded.begins =
            !loaded.has_before || !static_cast<bool>(own_pred(Key(loaded.before[0]), view.element(loaded.keys, 0)));
        TILEWISE_UNROLL
        for (int i = 1; i < count; ++i)
            if (!static_cast<bool>(own_pred(view.element(loaded.keys, i - 1), view.element(loaded.keys, i))))
                loaded.begins |= 1u << i;
    }
};

/// Returns the view of the run_counts of keys.
template <class Keys, class Pred>
auto view_of_starts(Keys const& keys, Pred const& is_same)
{
    return iterator_view<run_starts<Keys, Pred>>{{keys, is_same, 0}};
}
template <class Key, class Pred>
auto view_of_starts(memory_view<Key> const& keys, Pred const& is_same)
{
    return starts_view<Key, Pred>{keys, keys.first, 0, is_same};
}

} // namespace gpu
TILEWISE_NAMESPACE_END
