// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The arguments of algorithms: concepts that distinguish overloads, and the checks of the hardened mode.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup requirements
/// @{

/// A type that may be callable, as opposed to a value or an iterator in the same position of an overload.
template <class Op>
concept operation = std::is_class_v<Op> || std::is_function_v<std::remove_pointer_t<Op>>;

/// What an algorithm applies to each element: a function, or a pointer to a data member, such as `&point::x`. It is
/// called with an element, or with a pair of elements.
template <class Transform>
concept transformation = operation<Transform> || std::is_member_object_pointer_v<Transform>;

/// @}

/// @cond internals
/// Returns a data member of an object, or of that which a pointer refers to.
template <class Class, class Member>
struct data_member {
    using pointer = Member Class::*; // nvcc would write parentheses, of which g++ warns
    pointer member;

    template <class Object>
        requires std::derived_from<std::remove_cvref_t<Object>, Class> || std::is_pointer_v<std::remove_cvref_t<Object>>
    TILEWISE_PORTABLE constexpr decltype(auto) operator()(Object&& object) const
    {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<Object>>)
            return (object->*member);
        else if constexpr (std::is_lvalue_reference_v<Object>)
            return (object.*member);
        else // the object is a temporary
            return std::remove_cv_t<Member>(static_cast<Object&&>(object).*member);
    }
};

/// Returns the function that a transform stands for: the transform itself.
template <class Transform>
constexpr auto function_of(Transform transform)
{
    return transform;
}
/// For a pointer to a data member, which kernels could not call, it is a function object.
template <class Class, class Member>
    requires std::is_object_v<Member>
constexpr data_member<Class, Member> function_of(Member Class::* member)
{
    return {member};
}

/// A range that does not form a pair of iterators with the next argument, as an array may.
template <class Range, class Next>
concept range_before = std::ranges::input_range<Range> &&
                       !(std::is_array_v<std::remove_reference_t<Range>> && std::same_as<std::decay_t<Range>, Next>);

/// A transform of pairs where the other arguments are pointers: the call passes two arrays as ranges, which decay to
/// what looks like [first, last).
template <class Transform, class It>
concept transform_of_two_arrays =
    std::is_pointer_v<It> && !std::is_invocable_v<Transform&, std::iter_reference_t<It>> &&
    std::is_invocable_v<Transform&, std::iter_reference_t<It>, std::iter_reference_t<It>>;

/// Whether the second argument can be the end of a range that begins at First.
template <class First, class... Rest>
inline constexpr bool ends_with_next = false;
template <class First, class Next, class... Rest>
    requires requires(std::decay_t<First>& first, std::decay_t<Next>& next) {
        { first == next } -> std::convertible_to<bool>;
    }
inline constexpr bool ends_with_next<First, Next, Rest...> = true;

/// A policy of another library, which is recognised by its name.
template <class First>
concept foreign_policy = !execution_policy<First> && (known::is_named<std::decay_t<First>>("execution", "_policy") ||
                                                      known::is_named<std::decay_t<First>>("thrust::", ""));

/// The first argument of a call without a policy: a range or an iterator. (Policies of other libraries are accepted, so
/// that they can be reported.)
template <class First, class... Rest>
concept leads_a_call = !execution_policy<First> &&
                       (std::ranges::range<First> || any_iterator<std::decay_t<First>> || foreign_policy<First>);

/// The same for calls that begin with a range, as an object or as an iterator and its end.
template <class First, class... Rest>
concept begins_with_range =
    leads_a_call<First> && (std::ranges::range<First> || foreign_policy<First> || ends_with_next<First, Rest...>);

/// Returns whether a call that begins with First can omit the policy. If not, a static_assert says why.
template <class First>
constexpr bool needs_no_policy()
{
    constexpr bool leads = any_iterator<std::decay_t<First>> || std::ranges::range<First>;
    static_assert(
        leads,
        "tilewise: the first argument must be a policy, an iterator or a range; for the policies of std::execution, "
        "#include <tilewise/std_execution.hpp>, for those of Thrust <tilewise/thrust_execution.hpp>");
    constexpr bool on_host = !reads_device_memory<std::decay_t<First>>;
    static_assert(on_host, "tilewise: a call without a policy runs on the calling thread, which cannot access these "
                           "elements in GPU memory; pass tilewise::device as the first argument");
    return leads && on_host;
}

/// @cond internals
/// An argument that no call can begin with. Because of the conversion, the functions below are the last choice: a
/// function of the program with the same name is preferred.
struct other_argument {
    template <class First>
        requires(!execution_policy<First> && !leads_a_call<First>)
    other_argument(First&&);
};
// clang-format off: compilers quote the line
void count(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void count_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void count_by_key_into(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void count_if(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void exclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void exclusive_scan_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void histogram(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void histogram_add(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void inclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void inclusive_scan_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void max_element(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void min_element(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void minmax_element(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void reduce(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void reduce_by_index(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void reduce_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void reduce_by_key_into(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void reduce_into(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void segmented_exclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void segmented_inclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void segmented_reduce(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_exclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_exclusive_scan_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_inclusive_scan(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_inclusive_scan_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_reduce(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_reduce_by_key(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_reduce_by_key_into(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void transform_reduce_into(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
void weighted_histogram(other_argument, ...) = delete; // tilewise: the first argument must be a policy, an iterator or a range
// clang-format on

/// A range where an algorithm takes an iterator.
template <class Range>
concept in_place_of_iterator = std::ranges::range<Range> && !any_iterator<std::decay_t<Range>>;
// clang-format off: compilers quote the line
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class... Rest>
void weighted_histogram(Policy&&, It const&, It const&, Range&&, Rest&&...) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class... Rest>
void reduce_by_index(Policy&&, It const&, It const&, Range&&, Rest&&...) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class T>
void transform_reduce(Policy&&, It const&, It const&, Range&&, T&&) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class T, class Op, class Transform>
void transform_reduce(Policy&&, It const&, It const&, Range&&, T&&, Op&&, Transform&&) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class Out, class T>
void transform_reduce_into(Policy&&, It const&, It const&, Range&&, Out&&, T&&) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class Out, class T, class Op, class Transform>
void transform_reduce_into(Policy&&, It const&, It const&, Range&&, Out&&, T&&, Op&&, Transform&&) = delete; // tilewise: an input that follows a pair of iterators must be an iterator, too; pass its begin()
template <execution_policy Policy, in_place_of_iterator Range, any_iterator It, class... Rest>
void segmented_reduce(Policy&&, Range&&, It const&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class... Rest>
void segmented_reduce(Policy&&, It const&, Range&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, any_iterator Begins, in_place_of_iterator Ends, class Out, class... Rest>
void segmented_reduce(Policy&&, It const&, Begins const&, Begins const&, Ends&&, Out&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, in_place_of_iterator Range, any_iterator It, class... Rest>
void segmented_inclusive_scan(Policy&&, Range&&, It const&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class... Rest>
void segmented_inclusive_scan(Policy&&, It const&, Range&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, any_iterator Begins, in_place_of_iterator Ends, class Out, class... Rest>
void segmented_inclusive_scan(Policy&&, It const&, Begins const&, Begins const&, Ends&&, Out&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, in_place_of_iterator Range, any_iterator It, class... Rest>
void segmented_exclusive_scan(Policy&&, Range&&, It const&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, in_place_of_iterator Range, class... Rest>
void segmented_exclusive_scan(Policy&&, It const&, Range&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
template <execution_policy Policy, any_iterator It, any_iterator Begins, in_place_of_iterator Ends, class Out, class... Rest>
void segmented_exclusive_scan(Policy&&, It const&, Begins const&, Begins const&, Ends&&, Out&&, Rest&&...) = delete; // tilewise: segments are given by iterators, or by two ranges: the elements, and the offsets between the segments
// clang-format on
/// @endcond

/// Returns whether a transform accepts the elements of the given iterators. If not, a static_assert says why.
template <class Transform, class... Its>
constexpr bool can_transform()
{
    using function = decltype(tilewise::function_of(std::declval<Transform>()));
    constexpr bool transforms = std::is_invocable_v<function&, decltype(*std::declval<Its&>())...>;
    static_assert(transforms, "tilewise: transform_op must accept an element of each input range");
    return transforms;
}

/// Returns the error that the hardened mode finds in a range, or null.
template <class It, class Sentinel>
constexpr char const* fault_in_range([[maybe_unused]] It const& first, [[maybe_unused]] Sentinel const& last)
{
    if constexpr (hardened && random_access<It> && requires { last - first; }) {
        if (last - first < 0)
            return "last is before first";
        if constexpr (std::is_pointer_v<It>) {
            if (first == nullptr && last != first)
                return "first is null, but the range is not empty";
        }
    }
    return nullptr;
}

/// The same for a range that is given by its beginning and is as long as [first, last).
template <class It, class Sentinel, class It2>
constexpr char const* fault_in_second_range([[maybe_unused]] It const& first, [[maybe_unused]] Sentinel const& last,
                                            [[maybe_unused]] It2 const& first2)
{
    if constexpr (hardened && std::is_pointer_v<It2>) {
        if (first2 == nullptr && first != last)
            return "first2 is null, but the range is not empty";
    }
    return nullptr;
}

/// The same for two ranges that are read in pairs.
template <class Range1, class Range2>
constexpr char const* fault_in_lengths([[maybe_unused]] Range1& range1, [[maybe_unused]] Range2& range2)
{
    if constexpr (hardened && std::ranges::sized_range<Range1> && std::ranges::sized_range<Range2>) {
        if (std::cmp_less(std::ranges::size(range2), std::ranges::size(range1)))
            return "the second range is shorter than the first";
    }
    return nullptr;
}

/// Throws the error that was found in an argument, if any.
constexpr void reject_fault(char const* algorithm, char const* fault)
{
    if (hardened && fault != nullptr)
        reject_argument(algorithm, fault);
}

/// Checks a range in the hardened mode.
template <class It, class Sentinel>
constexpr void check_range(char const* algorithm, It const& first, Sentinel const& last)
{
    tilewise::reject_fault(algorithm, tilewise::fault_in_range(first, last));
}

/// Checks an output in the hardened mode. It is given by its beginning and is as long as the input from `first` on.
/// `last` is the end of the input or the number of its elements.
template <class It, class Extent, class Out>
constexpr void check_output([[maybe_unused]] char const* algorithm, [[maybe_unused]] It const& first,
                            [[maybe_unused]] Extent const& last, [[maybe_unused]] Out const& out)
{
    if constexpr (hardened && std::is_pointer_v<Out>) {
        bool empty = false;
        if constexpr (std::same_as<Extent, offset>)
            empty = last == 0;
        else
            empty = first == last;
        if (out == nullptr && !empty)
            reject_argument(algorithm, "the output is null, but the range is not empty");
    }
}

/// Checks two ranges that are read in pairs in the hardened mode.
template <class Range1, class Range2>
constexpr void check_lengths(char const* algorithm, Range1& range1, Range2& range2)
{
    tilewise::reject_fault(algorithm, tilewise::fault_in_lengths(range1, range2));
}
/// @endcond

TILEWISE_NAMESPACE_END
