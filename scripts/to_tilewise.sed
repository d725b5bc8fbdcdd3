# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Converts a program that calls algorithms of the standard library or of Thrust to tilewise:
#     sed -E -i.before -f scripts/to_tilewise.sed FILE...
# It changes the namespace of the calls that mean the same in tilewise, and adds the includes that they need. A file
# without such a call is not changed. For the other calls see docs/coming-from-std.md and
# docs/coming-from-thrust-and-cub.md.
#
# Of the calls of Thrust, only those whose first argument is a policy are converted: one of Thrust's, or any expression
# with "policy" in its name. Without a policy, Thrust runs where the iterators are, and tilewise on the calling thread.
# Not converted are calls whose arguments have another order in tilewise, thrust::transform_reduce and both transform
# scans, and calls that mean something else: thrust::minmax_element finds the first of equal maxima, and tilewise, like
# the standard library, the last of them; thrust::inner_product multiplies in the type of init, and transform_reduce of
# tilewise in the type of the elements.

# Reads the whole file first, because a call may continue on the next line.
:read
$!{
    N
    b read
}

:std
s/(^|[^[:alnum:]_:])std::((transform_)?(reduce|inclusive_scan|exclusive_scan)|count(_if)?|(min|max|minmax)_element)([[:space:]]*\()/\1tilewise::\2\7/
t std

:thrust
s/(^|[^[:alnum:]_:])thrust::(reduce(_into)?|(in|ex)clusive_scan|count(_if)?|(min|max)_element)([[:space:]]*\([[:space:]]*(thrust::(host|device|seq|cuda::par)|[[:alnum:]_:]*policy))/\1tilewise::\2\7/
t thrust

# Adds includes before the first one of the file. The last one added comes first.
/tilewise::/!b
/<thrust\//{
    /<tilewise\/thrust_execution\.hpp>/!s/(^|\n)([[:blank:]]*#[[:blank:]]*include)/\1#include <tilewise\/thrust_execution.hpp>\
\2/
}
/<execution>/{
    /<tilewise\/std_execution\.hpp>/!s/(^|\n)([[:blank:]]*#[[:blank:]]*include)/\1#include <tilewise\/std_execution.hpp>\
\2/
}
/<tilewise\/tilewise\.hpp>/!s/(^|\n)([[:blank:]]*#[[:blank:]]*include)/\1#include <tilewise\/tilewise.hpp>\
\2/
