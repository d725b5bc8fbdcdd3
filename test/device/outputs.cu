// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrappings.hpp"

namespace {

using namespace wrappings;

struct negated {
    TILEWISE_PORTABLE float operator()(float value) const { return -value; }
};

class outputs : public testing::Test {
protected:
    both<float> x_;
    float expected_ = tw::reduce(tw::seq, x_.here, 0.5f);
    thrust::device_vector<float> result_ = thrust::device_vector<float>(3, 7.0f);

    /// Only the one in the middle was written.
    void expect_written(float value)
    {
        on_device::expect_success(cudaDeviceSynchronize());
        EXPECT_EQ(float(result_[0]), 7.0f);
        EXPECT_TRUE(same_bits(float(result_[1]), value));
        EXPECT_EQ(float(result_[2]), 7.0f);
        result_[1] = 7.0f;
    }
};

TEST_F(outputs, may_be_device_pointers_and_vectors)
{
    auto const waits = tw::device;
    auto const goes_on = tw::device.nosync();
    auto const pointer = result_.data() + 1;
    EXPECT_EQ(tw::reduce_into(waits, x_.device_copy.begin(), x_.device_copy.end(), pointer, 0.5f), pointer + 1);
    expect_written(expected_);
    EXPECT_EQ(tw::reduce_into(goes_on, x_.device_copy.begin(), x_.device_copy.end(), pointer, 0.5f), pointer + 1);
    expect_written(expected_);
    EXPECT_EQ(tw::reduce_into(waits, x_.device_copy, result_.begin() + 1, 0.5f), result_.begin() + 2);
    expect_written(expected_);
    EXPECT_EQ(tw::reduce_into(goes_on, x_.device_copy, result_.begin() + 1, 0.5f), result_.begin() + 2);
    expect_written(expected_);
}

TEST_F(outputs, may_be_transformed)
{
    auto const out = thrust::make_transform_output_iterator(thrust::raw_pointer_cast(result_.data()) + 1, negated{});
    tw::reduce_into(tw::device, x_.device_copy.begin(), x_.device_copy.end(), out, 0.5f);
    expect_written(-expected_);
    tw::reduce_into(tw::device.nosync(), x_.device_copy.begin(), x_.device_copy.end(), out, 0.5f);
    expect_written(-expected_);
}

TEST_F(outputs, may_be_discarded)
{
    auto const end = tw::reduce_into(tw::device, x_.device_copy.begin(), x_.device_copy.end(),
                                     thrust::make_discard_iterator(), 0.5f);
    EXPECT_EQ(end - thrust::make_discard_iterator(), 1);
    expect_written(7.0f);
}

} // namespace
