// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <new>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using on_device::device_array;
using on_device::expect_success;
using on_device::same_bits;
using on_device::stream;
using matrix = values::matrix;

/// Matrices and their product, whose kernels change at 1 and at 16 tiles of 2048.
class product_of_matrices {
public:
    static constexpr std::size_t tile = 2048;
    static constexpr std::size_t most = 17 * tile + 5; ///< takes two passes
    static constexpr matrix init{1, 2, 3, 5};

    product_of_matrices() : elements_(on_device::some_elements<matrix>(most)), device_copy_(elements_) {}
    matrix const* begin() const { return device_copy_.begin(); }
    matrix expected(std::size_t count) const
    {
        return tw::reduce(tw::seq, elements_.data(), elements_.data() + count, init, std::multiplies<>{});
    }
    template <class Policy>
    void expect_right(Policy policy, std::size_t count = most) const
    {
        EXPECT_EQ(tw::reduce(policy, begin(), begin() + count, init, std::multiplies<>{}), expected(count)) << count;
    }

private:
    std::vector<matrix> elements_;
    device_array<matrix> device_copy_;
};

DEVICE_TEST_WITH_STREAMS(device_policy, runs_in_a_stream)
{
    product_of_matrices const work;
    stream const where, waits_for_default(cudaStreamDefault);
    work.expect_right(tw::device);
    work.expect_right(tw::device.on(where.get()));
    work.expect_right(tw::device.on(where)); // anything with get()
    work.expect_right(tw::device.on(waits_for_default.get()));
    work.expect_right(tw::device.on(nullptr));
}

DEVICE_TEST_WITH_STREAMS(device_policy, without_waiting_writes_to_device_and_pinned_memory)
{
    product_of_matrices const work;
    stream const where;
    for (auto const kind : {device_array<matrix>::kind::device, device_array<matrix>::kind::pinned}) {
        device_array<matrix> const result(3, 0, kind);
        for (std::size_t const count : {std::size_t{0}, std::size_t{1}, product_of_matrices::most}) {
            result.assign({{7, 7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7, 7}});
            expect_success(cudaDeviceSynchronize());
            auto* const end = tw::reduce_into(tw::device.on(where).nosync(), work.begin(), work.begin() + count,
                                              result.data() + 1, product_of_matrices::init, std::multiplies<>{});
            EXPECT_EQ(end, result.data() + 2);
            where.wait();
            EXPECT_EQ(result.value(0), (matrix{7, 7, 7, 7}));
            EXPECT_EQ(result.value(1), work.expected(count)) << count;
            EXPECT_EQ(result.value(2), (matrix{7, 7, 7, 7}));
        }
    }
}

DEVICE_TEST(device_policy, without_waiting_cannot_write_to_host_memory)
{
    product_of_matrices const work;
    std::vector<matrix> result(1);
    auto const reduce = [&] {
        tw::reduce_into(tw::device.nosync(), work.begin(), work.begin() + 5, result.data(), product_of_matrices::init,
                        std::multiplies<>{});
    };
    EXPECT_THROW(reduce(), std::invalid_argument);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(result[0], matrix{});
    work.expect_right(tw::device);
}

DEVICE_TEST(device_policy, waits_for_results_in_any_memory)
{
    product_of_matrices const work;
    std::vector<matrix> results(2);
    std::vector<matrix> appended;
    auto const end = tw::reduce_into(tw::device, work.begin(), work.begin() + 5, results.begin(),
                                     product_of_matrices::init, std::multiplies<>{});
    EXPECT_EQ(end, results.begin() + 1);
    EXPECT_EQ(results[0], work.expected(5));
    EXPECT_EQ(results[1], matrix{});
    tw::reduce_into(tw::device, work.begin(), work.begin() + 6, std::back_inserter(appended), product_of_matrices::init,
                    std::multiplies<>{});
    ASSERT_EQ(appended.size(), 1u);
    EXPECT_EQ(appended[0], work.expected(6));
    device_array<matrix> const result(1);
    tw::reduce_into(tw::device, work.begin(), work.begin() + 7, result.data(), product_of_matrices::init,
                    std::multiplies<>{});
    EXPECT_EQ(result.value(), work.expected(7));
}

DEVICE_TEST(device_policy, converts_the_result_to_what_stands_there)
{
    device_array<int> const x(std::vector<int>{1, 2, 3});
    device_array<double> const result(1);
    tw::reduce_into(tw::device, x.begin(), x.end(), result.data(), 4);
    EXPECT_EQ(result.value(), 10.0);
    short narrow = 0;
    tw::reduce_into(tw::device, x.begin(), x.end(), &narrow, 4L);
    EXPECT_EQ(narrow, 10);
}

// ---- with(resource)

/// Counts, and passes on to the stream's pool.
struct counting_pool {
    int allocations = 0, deallocations = 0;
    std::size_t bytes = 0;

    void* get(std::size_t wanted, cudaStream_t where)
    {
        void* memory = nullptr;
        expect_success(cudaMallocAsync(&memory, wanted, where));
        ++allocations;
        bytes += wanted;
        return memory;
    }
    void put(void* memory, std::size_t returned, cudaStream_t where)
    {
        expect_success(cudaFreeAsync(memory, where));
        ++deallocations;
        bytes -= returned;
    }
};
struct resource : counting_pool {
    void* allocate(std::size_t wanted, cudaStream_t where) { return get(wanted, where); }
    void deallocate(void* memory, std::size_t returned, cudaStream_t where) { put(memory, returned, where); }
};
struct stream_handle {
    cudaStream_t value;
    stream_handle(cudaStream_t from) : value(from) {}
};
struct resource_with_async_names : counting_pool {
    void* allocate_async(std::size_t wanted, std::size_t alignment, stream_handle where)
    {
        EXPECT_EQ(alignment, 256u);
        return get(wanted, where.value);
    }
    void deallocate_async(void* memory, std::size_t returned, std::size_t alignment, stream_handle where)
    {
        EXPECT_EQ(alignment, 256u);
        put(memory, returned, where.value);
    }
};
struct resource_with_stream_first : counting_pool {
    void* allocate(stream_handle where, std::size_t wanted, std::size_t alignment)
    {
        EXPECT_EQ(alignment, 256u);
        return get(wanted, where.value);
    }
    void deallocate(stream_handle where, void* memory, std::size_t returned, std::size_t alignment)
    {
        EXPECT_EQ(alignment, 256u);
        put(memory, returned, where.value);
    }
};

template <class Resource>
void expect_use()
{
    product_of_matrices const work;
    stream const where;
    device_array<matrix> const result(1);
    Resource memory;
    work.expect_right(tw::device.with(memory), 1); // needs no scratch
    work.expect_right(tw::device.on(where).with(memory));
    EXPECT_EQ(memory.allocations, 1);
    work.expect_right(tw::device.with(memory).on(where));
    tw::reduce_into(tw::device.with(memory).on(where).nosync(), work.begin(), work.begin() + work.most, result.data(),
                    work.init, std::multiplies<>{});
    where.wait();
    EXPECT_EQ(result.value(), work.expected(work.most));
    EXPECT_EQ(memory.allocations, 3);
    EXPECT_EQ(memory.deallocations, 3);
    EXPECT_EQ(memory.bytes, 0u);
}

DEVICE_TEST_WITH_STREAMS(device_policy, takes_scratch_from_a_resource_of_any_shape)
{
    expect_use<resource>();
    expect_use<resource_with_async_names>();
    expect_use<resource_with_stream_first>();
}

struct exhausted {
    void* allocate(std::size_t, cudaStream_t) { throw std::bad_alloc(); }
    void deallocate(void*, std::size_t, cudaStream_t) { ADD_FAILURE() << "nothing was allocated"; }
};

DEVICE_TEST(device_policy, passes_on_what_a_resource_throws)
{
    product_of_matrices const work;
    exhausted none;
    for (int i = 0; i < 3; ++i) {
        EXPECT_THROW(work.expect_right(tw::device.with(none)), std::bad_alloc);
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        work.expect_right(tw::device);
        work.expect_right(tw::device.with(none), 5); // needs no scratch
    }
}

// ---- trace(sink)

bool has_clusters()
{
    int device = 0, major = 0;
    expect_success(cudaGetDevice(&device));
    expect_success(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 9;
}

DEVICE_TEST(trace, tells_of_every_launch)
{
    product_of_matrices const work;
    device_array<matrix> const result(1);
    std::vector<tw::launch_record> records;
    auto sink = [&](tw::launch_record const& record) { records.push_back(record); };
    for (auto const mode : {tw::trace_mode::launches, tw::trace_mode::timed})
        for (std::size_t const tiles : {0u, 1u, 5u, 17u}) {
            std::size_t const count = tiles * work.tile;
            records.clear();
            tw::reduce_into(tw::device.trace(sink, mode), work.begin(), work.begin() + count, result.data(), work.init,
                            std::multiplies<>{});
            EXPECT_EQ(result.value(), work.expected(count)) << count;
            std::vector<std::string> names, expected;
            if (tiles == 0)
                expected = {"write_init"};
            else if (tiles == 1)
                expected = {"reduce_one_tile"};
            else if (tiles == 5 && has_clusters())
                expected = {"reduce_in_cluster"};
            else
                expected = {"reduce_in_one_launch"};
            for (auto const& record : records) {
                names.emplace_back(record.kernel);
                EXPECT_FALSE(std::string(record.algorithm).empty());
                EXPECT_EQ(record.items, static_cast<std::ptrdiff_t>(count));
                EXPECT_GE(record.blocks, 1);
                EXPECT_GE(record.cluster, 1);
                EXPECT_EQ(record.blocks % record.cluster, 0);
                EXPECT_EQ(record.cluster > 1, names.back() == "reduce_in_cluster");
                EXPECT_GE(record.threads, 32);
                EXPECT_LE(record.threads, 1024);
                EXPECT_EQ(record.threads % 32, 0);
                EXPECT_GE(record.resident_blocks, 1);
                EXPECT_LE(record.resident_blocks, 32);
                EXPECT_EQ(record.microseconds > 0, mode == tw::trace_mode::timed);
                EXPECT_LT(record.microseconds, 1e8);
            }
            EXPECT_EQ(names, expected) << tiles << " tiles";
        }
}

DEVICE_TEST_WITH_STREAMS(trace, leaves_a_policy_as_asynchronous_as_it_is)
{
    product_of_matrices const work;
    stream const where;
    device_array<matrix> const result(1);
    int launches = 0;
    auto sink = [&](tw::launch_record const&) { ++launches; };
    tw::reduce_into(tw::device.trace(sink).on(where).nosync(), work.begin(), work.begin() + work.most, result.data(),
                    work.init, std::multiplies<>{});
    EXPECT_EQ(launches, 1);
    where.wait();
    EXPECT_EQ(result.value(), work.expected(work.most));
}

// ---- every algorithm

struct is_odd {
    TILEWISE_PORTABLE bool operator()(int value) const { return value % 2 != 0; }
};
struct less_of_last_digits {
    TILEWISE_PORTABLE bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

/// Numbers with many equal ones.
std::vector<int> digits(std::size_t count)
{
    std::vector<int> result;
    for (unsigned const seed : values::seeds(count))
        result.push_back(static_cast<int>(seed >> 20));
    return result;
}

template <class E>
void expect_counts_of()
{
    std::size_t const tile = values::tile_of(sizeof(E)), tiles = on_device::amount<std::size_t>(40, 18, 2);
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, 5 * tile / 8, tiles * tile + tile / 8 + 77}) {
        std::vector<E> x;
        for (int const digit : digits(count + 3))
            x.push_back(static_cast<E>(digit % 128));
        device_array<E> const device_copy(x);
        for (std::size_t const skipped : {0, 2}) { // aligned, and not
            E const *const first = x.data() + skipped, *const last = first + count;
            E const *const device_first = device_copy.begin() + skipped, *const device_last = device_first + count;
            EXPECT_EQ(tw::count(tw::device, device_first, device_last, x[2]), std::count(first, last, x[2]));
            EXPECT_EQ(tw::count_if(tw::device, device_first, device_last, is_odd{}),
                      std::count_if(first, last, is_odd{}));
        }
    }
}

DEVICE_TEST(device_policy, counts_elements)
{
    expect_counts_of<int>();
    expect_counts_of<signed char>();
    expect_counts_of<std::uint16_t>();
}

/// Not what counts elements, though a member of it has a name that the library might have used.
struct last_digit {
    static constexpr bool is_of_predicate = true;
    TILEWISE_PORTABLE int operator()(int value) const { return value % 10; }
};
static_assert(last_digit::is_of_predicate);

DEVICE_TEST(device_policy, sums_up_what_another_transform_gives)
{
    auto const x = digits(2 * values::tile_of(sizeof(int)) + 77); // whole vectors, too
    device_array<int> const device_copy(x);
    EXPECT_EQ(tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), 0, std::plus<>{}, last_digit{}),
              std::transform_reduce(x.begin(), x.end(), 0, std::plus<>{}, last_digit{}));
}

DEVICE_TEST(device_policy, finds_the_first_and_last_extremes)
{
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{20011}}) {
        auto const x = digits(count + 1);
        device_array<int> const device_copy(x);
        int const *const first = x.data(), *const last = first + count;
        int const *const device_first = device_copy.begin(), *const device_last = device_first + count;
        EXPECT_EQ(tw::min_element(tw::device, device_first, device_last) - device_first,
                  tw::min_element(first, last) - first);
        EXPECT_EQ(tw::max_element(tw::device, device_first, device_last) - device_first,
                  tw::max_element(first, last) - first);
        EXPECT_EQ(tw::min_element(tw::device, device_first, device_last, std::greater<>{}) - device_first,
                  tw::min_element(first, last, std::greater<>{}) - first);
        EXPECT_EQ(tw::max_element(tw::device, device_first, device_last, less_of_last_digits{}) - device_first,
                  tw::max_element(first, last, less_of_last_digits{}) - first);
        auto const found = tw::minmax_element(tw::device, device_first, device_last);
        auto const expected = tw::minmax_element(first, last);
        EXPECT_EQ(found.first - device_first, expected.first - first);
        EXPECT_EQ(found.second - device_first, expected.second - first);
    }
}

DEVICE_TEST(device_policy, gives_init_for_empty_ranges_of_every_form)
{
    device_array<int> const device_copy(1);
    int* const p = device_copy.begin();
    int const* const null = nullptr;
    std::span<int const> const none;
    EXPECT_EQ(tw::reduce(tw::device, p, p), 0);
    EXPECT_EQ(tw::reduce(tw::device, p, p, 7), 7);
    EXPECT_EQ(tw::reduce(tw::device, null, null, 7), 7);
    EXPECT_EQ(tw::reduce(tw::device, none, 7, std::multiplies<>{}), 7);
    EXPECT_EQ(tw::transform_reduce(tw::device, p, p, p, 7), 7);
    EXPECT_EQ(tw::transform_reduce(tw::device, none, none, 7), 7);
    EXPECT_EQ(tw::transform_reduce(tw::device, none, 7, std::plus<>{}, std::identity{}), 7);
    EXPECT_EQ(tw::count(tw::device, none, 7), 0);
    EXPECT_EQ(tw::count_if(tw::device, p, p, is_odd{}), 0);
    EXPECT_EQ(tw::min_element(tw::device, p, p), p);
    EXPECT_EQ(tw::max_element(tw::device, p, p), p);
    EXPECT_EQ(tw::minmax_element(tw::device, p, p), std::make_pair(p, p));
    int on_the_host = 0;
    EXPECT_EQ(tw::reduce_into(tw::device, p, p, &on_the_host, 7), &on_the_host + 1);
    EXPECT_EQ(on_the_host, 7);
    EXPECT_EQ(tw::reduce_into(tw::device, none, p, 8), p + 1);
    EXPECT_EQ(device_copy.value(), 8);
    EXPECT_EQ(tw::transform_reduce_into(tw::device.nosync(), none, none, p, 9), p + 1);
    expect_success(cudaDeviceSynchronize());
    EXPECT_EQ(device_copy.value(), 9);
}

} // namespace
