// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// What the scans call operators, transforms and iterators on: what there is, and nothing else.

#include "constant_sum.hpp"
#include "scan_kernels.hpp"

#include <iterator>

namespace {

using namespace scan_kernels;

/// A run of consecutive numbers, in so many words.
template <class Word, std::size_t count>
struct run_of {
    Word first, last;
    Word more[count - 2];

    friend bool operator==(run_of const&, run_of const&) = default;
};
template <class Word>
struct run_of<Word, 2> {
    Word first, last;

    friend bool operator==(run_of const&, run_of const&) = default;
};

/// Joins neighbours, and sees to it that it gets no others.
struct join {
    bool* was_misused;

    template <class Word, std::size_t count>
    TILEWISE_PORTABLE run_of<Word, count> operator()(run_of<Word, count> const& a, run_of<Word, count> const& b) const
    {
        run_of<Word, count> joined = a;
        if (static_cast<Word>(a.last + 1) != b.first || !is_intact(a) || !is_intact(b))
            *was_misused = true;
        joined.last = b.last;
        return joined;
    }
    template <class Word, std::size_t count>
    TILEWISE_PORTABLE static bool is_intact(run_of<Word, count> const& run)
    {
        if constexpr (count > 2)
            for (Word const word : run.more)
                if (word != 7)
                    return false;
        return true;
    }
};

/// The run of one number.
template <class Run>
Run run_from(std::size_t number)
{
    Run run;
    std::memset(static_cast<void*>(&run), 0, sizeof run);
    run.first = run.last = static_cast<decltype(run.first)>(number);
    if constexpr (sizeof(Run) > 2 * sizeof(run.first))
        for (auto& word : run.more)
            word = 7;
    return run;
}

template <class Run>
void expect_only_neighbours()
{
    using order = tw::order<Run, steep_geometry>;
    tw::offset const most = order::super_group + order::tile + 7;
    witness const misused;
    auto const counts = some_of(sizes<Run, steep_geometry>(most));
    std::vector<Run> x, without_init, with_init, excluding;
    auto const from = [](std::size_t first, std::size_t last) {
        Run run = run_from<Run>(first);
        run.last = run_from<Run>(last).last;
        return run;
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i) {
        x.push_back(run_from<Run>(i + 1));
        without_init.push_back(from(1, i + 1));
        with_init.push_back(from(0, i + 1));
        excluding.push_back(from(0, i));
    }
    std::optional<Run> const init = run_from<Run>(0);
    for (std::size_t const count : counts)
        by_every_kernel<steep_geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            std::vector<Run> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
            std::size_t const off = on_device::variation() / 2 * alignof(Run) % 16;
            device_array<Run> const device_copy(part, off);
            join const op{misused.data()};
            guarded<Run> const out(count, off);
            scan<steep_geometry, tuning_type, inclusive, Run>(tw::device, device_copy.data(), count, out.data(), {},
                                                              op);
            expect_same(out.take(), without_init, "the inclusive scan");
            scan<steep_geometry, tuning_type, exclusive, Run>(tw::device, device_copy.data(), count, out.data(), init,
                                                              op);
            expect_same(out.take(), excluding, "the exclusive scan");
            scan<steep_geometry, tuning_type, inclusive, Run>(tw::device, device_copy.data(), count, device_copy.data(),
                                                              init, op);
            expect_same(device_copy.values(count), with_init, "the scan in place");
            misused.expect_not_called();
        });
}

DEVICE_TEST(scan_operands, of_2_bytes_are_neighbours)
{
    expect_only_neighbours<run_of<std::uint8_t, 2>>();
}

DEVICE_TEST(scan_operands, of_8_bytes_are_neighbours)
{
    expect_only_neighbours<run_of<std::uint32_t, 2>>();
}

DEVICE_TEST(scan_operands, of_12_bytes_are_neighbours)
{
    expect_only_neighbours<run_of<std::uint32_t, 3>>();
}

DEVICE_TEST(scan_operands, of_24_bytes_are_neighbours)
{
    expect_only_neighbours<run_of<std::uint64_t, 3>>();
}

/// An iterator over the numbers from 0 on that sees to it that only those below `end` are asked for.
class numbers {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::int32_t;

    TILEWISE_PORTABLE numbers(tw::offset end, bool* was_misused) : end_(end), was_misused_(was_misused) {}
    TILEWISE_PORTABLE std::int32_t operator*() const
    {
        if (at_ < 0 || at_ >= end_)
            *was_misused_ = true;
        return static_cast<std::int32_t>(at_ * at_ % 1000 - 500);
    }
    TILEWISE_PORTABLE std::int32_t operator[](tw::offset n) const { return *(*this + n); }
    TILEWISE_PORTABLE numbers operator+(tw::offset n) const
    {
        numbers result = *this;
        result.at_ += n;
        return result;
    }

private:
    tw::offset at_ = 0, end_;
    bool* was_misused_;
};

/// An output iterator that writes every value twice, to places that are there.
class twice {
public:
    class element_reference {
    public:
        TILEWISE_PORTABLE explicit element_reference(std::int64_t* to) : to_(to) {}
        TILEWISE_PORTABLE element_reference const& operator=(std::int32_t value) const
        {
            to_[0] = value;
            to_[1] = -std::int64_t{value};
            return *this;
        }

    private:
        std::int64_t* to_;
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = element_reference;

    TILEWISE_PORTABLE explicit twice(std::int64_t* to) : to_(to) {}
    TILEWISE_PORTABLE element_reference operator*() const { return element_reference(to_); }
    TILEWISE_PORTABLE element_reference operator[](tw::offset n) const { return element_reference(to_ + 2 * n); }
    TILEWISE_PORTABLE twice operator+(tw::offset n) const { return twice(to_ + 2 * n); }

private:
    std::int64_t* to_;
};
[[maybe_unused]] constexpr auto subscript = &twice::operator[]; // a random access iterator has one; nobody calls it

/// The numbers and what their scans have to be.
struct scanned_numbers {
    static constexpr std::int32_t init = -12345;
    tw::offset const most = 2 * tw::order<std::int32_t, steep_geometry>::super_group + 600;
    std::vector<std::int32_t> values = [this] {
        std::vector<std::int32_t> result;
        for (tw::offset i = 0; i < most; ++i)
            result.push_back(static_cast<std::int32_t>(i * i % 1000 - 500));
        return result;
    }();
    std::vector<std::size_t> counts = some_of(sizes<std::int32_t, steep_geometry>(most));
};

DEVICE_TEST(scan_operands, of_iterators_are_elements)
{
    scanned_numbers const work;
    witness const misused;
    shape::non_associative<std::int32_t> const op;
    scanned<std::int32_t> const expected(steep_geometry(), work.values, work.init, op);
    for (std::size_t const count : work.counts)
        by_every_kernel<steep_geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            guarded<std::int32_t> const out(count, 4 * (on_device::variation() / 2 % 4));
            numbers const first(static_cast<tw::offset>(count), misused.data());
            scan<steep_geometry, tuning_type, inclusive, std::int32_t>(tw::device, first, count, out.data(), {}, op);
            expect_same(out.take(), expected.without_init, "the inclusive scan");
            scan<steep_geometry, tuning_type, exclusive, std::int32_t>(tw::device, first, count, out.data(), work.init,
                                                                       op);
            expect_same(out.take(), expected.excluding, "the exclusive scan");
            misused.expect_not_called();
        });
}

DEVICE_TEST(scan_operands, of_output_iterators_are_results)
{
    scanned_numbers const work;
    scanned<std::int32_t> const expected(steep_geometry(), work.values, work.init, std::plus<>());
    for (std::size_t const count : work.counts)
        by_every_kernel<steep_geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            device_array<std::int32_t> const device_copy(
                {work.values.begin(), work.values.begin() + static_cast<std::ptrdiff_t>(count)},
                4 * (on_device::variation() / 2 % 4));
            guarded<std::int64_t> const out(2 * count, 0);
            auto const expect_written = [&](std::vector<std::int32_t> const& right, char const* what) {
                std::vector<std::int64_t> pairs;
                for (std::size_t i = 0; i < count; ++i)
                    pairs.insert(pairs.end(), {right[i], -std::int64_t{right[i]}});
                expect_same(out.take(), pairs, what);
            };
            twice const to(out.data());
            scan<steep_geometry, tuning_type, inclusive, std::int32_t>(tw::device, device_copy.data(), count, to,
                                                                       work.init, std::plus<>());
            expect_written(expected.with_init, "the inclusive scan");
            scan<steep_geometry, tuning_type, exclusive, std::int32_t>(tw::device, device_copy.data(), count, to,
                                                                       work.init, std::plus<>());
            expect_written(expected.excluding, "the exclusive scan");
        });
}

/// The guide promises that an accumulator need not be default constructible or assignable.
DEVICE_TEST(scan_operands, of_sums_that_cannot_be_assigned)
{
    scanned_numbers const work;
    using word = std::uint32_t;
    std::vector<word> const x(work.values.begin(), work.values.end());
    scanned<word> const expected(steep_geometry(), x, 1, std::plus<>());
    for (std::size_t const count : work.counts)
        by_every_kernel<steep_geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            device_array<word> const in({x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count)},
                                        4 * (on_device::variation() / 2 % 4));
            guarded<word> const out(count, 0);
            scan<steep_geometry, tuning_type, inclusive, values::constant_sum>(tw::device, in.data(), count, out.data(),
                                                                               1u, values::add_sums());
            expect_same(out.take(), expected.with_init, "the inclusive scan");
            scan<steep_geometry, tuning_type, exclusive, values::constant_sum>(tw::device, in.data(), count, out.data(),
                                                                               1u, values::add_sums());
            expect_same(out.take(), expected.excluding, "the exclusive scan");
        });
}

/// A product of neighbours in two ranges, which must not be taken of anything that is no element: those are not 0.
struct quotient {
    bool* was_misused;
    TILEWISE_PORTABLE double operator()(std::int16_t a, std::uint8_t b) const
    {
        if (b == 0)
            *was_misused = true;
        return static_cast<double>(a) / static_cast<double>(b);
    }
};

DEVICE_TEST(scan_operands, of_transforms_of_two_ranges_are_elements)
{
    using T = double;
    tw::offset const most = 2 * tw::order<T, steep_geometry>::super_group + 600;
    auto const a = shape::some_values<std::int16_t>(static_cast<std::size_t>(most));
    auto b = shape::some_values<std::uint8_t>(static_cast<std::size_t>(most));
    std::vector<T> values;
    for (std::size_t i = 0; i < a.size(); ++i) {
        b[i] = static_cast<std::uint8_t>(b[i] | 1);
        values.push_back(static_cast<T>(a[i]) / static_cast<T>(b[i]));
    }
    scanned<T> const expected(steep_geometry(), values, 0.1, std::plus<>());
    witness const misused;
    for (std::size_t const count : some_of(sizes<T, steep_geometry>(most)))
        by_every_kernel<steep_geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            auto const last = static_cast<std::ptrdiff_t>(count);
            std::size_t const off = on_device::variation() / 2;
            device_array<std::int16_t> const first({a.begin(), a.begin() + last}, off * 2 % 16);
            device_array<std::uint8_t> const second({b.begin(), b.begin() + last}, off / 3 % 16);
            tw::transformed_pairs<quotient, std::int16_t const*, std::uint8_t const*> const input(
                {misused.data()}, first.data(), second.data());
            guarded<float> const out(count, off / 2 * 4 % 16);
            scan<steep_geometry, tuning_type, inclusive, T>(tw::device, input, count, out.data(), {}, std::plus<>());
            expect_same(out.take(), expected.without_init, "the inclusive scan");
            scan<steep_geometry, tuning_type, exclusive, T>(tw::device, input, count, out.data(), {0.1}, std::plus<>());
            expect_same(out.take(), expected.excluding, "the exclusive scan");
            misused.expect_not_called();
        });
}

} // namespace
