// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is reduced: for each type of the benchmark its elements, operator and transform, and the same in a wide type
/// for the reference.

#include "../elements.cuh"

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace bench::reductions {

struct no_transform {};

struct wide_sum {
    template <class Wide>
    __host__ __device__ Wide operator()(Wide x, Wide y) const
    {
        return x + y;
    }
};

/// A sum of elements, or of what a transform makes of them.
template <class Element, class Accumulator, class Transform = no_transform>
struct sum_of {
    using element = Element;
    using accumulator = Accumulator;
    using transform = Transform;
    using op = std::plus<>;
    static constexpr bool cub_reorders = false;
    static accumulator init() { return static_cast<accumulator>(0); }

    using wide = std::conditional_t<std::is_integral_v<Accumulator>, std::uint64_t, double>;
    using wide_op = wide_sum;
    static wide wide_init() { return 0; }
    struct widen {
        __host__ __device__ wide operator()(element x) const
        {
            if constexpr (std::is_integral_v<Accumulator>)
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
            else if constexpr (std::is_same_v<Transform, no_transform>)
                return static_cast<double>(x);
            else
                return static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(x));
        }
    };
};

struct larger {
    template <class Number>
    __host__ __device__ Number operator()(Number x, Number y) const
    {
        return x < y ? y : x;
    }
};

/// The largest element.
template <class Element>
struct largest_of {
    using element = Element;
    using accumulator = Element;
    using transform = no_transform;
    using op = larger;
    static constexpr bool cub_reorders = false;
    static accumulator init() { return std::numeric_limits<Element>::lowest(); }

    using wide = double;
    using wide_op = larger;
    static wide wide_init() { return std::numeric_limits<double>::lowest(); }
    struct widen {
        __host__ __device__ wide operator()(element x) const { return static_cast<double>(x); }
    };
};

struct product_of_matrices {
    using element = matrix;
    using accumulator = matrix;
    using transform = no_transform;
    using op = matrix_product;
    static constexpr bool cub_reorders = true; // its result is another product
    static accumulator init() { return {1, 0, 0, 1}; }

    using wide = matrix_of<double>;
    using wide_op = matrix_product;
    static wide wide_init() { return {1, 0, 0, 1}; }
    struct widen {
        __host__ __device__ wide operator()(matrix const& x) const { return {x.a, x.b, x.c, x.d}; }
    };
};

} // namespace bench::reductions
