# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Moves a program from algorithms of the standard library or of Thrust to those of tilewise:
#     sed -E -i.before -f scripts/to_tilewise.sed FILE...
# It changes the namespace of the calls that mean the same in tilewise, and includes what they need. A file without such
# a call stays as it is. docs/coming-from-std.md and docs/coming-from-thrust-and-cub.md tell what to do about the rest.
#
# Of Thrust's calls it takes those that begin with a policy: one of Thrust's, or anything with "policy" in its name.
# Without one Thrust asks the iterators where to run, and tilewise runs on the calling thread. Also left alone is what
# tilewise wants in another order, thrust::transform_reduce and both transform scans; and what means something else:
# thrust::minmax_element finds the first of equal maxima and tilewise, as the standard does, the last of them;
# thrust::inner_product multiplies in the type of init, and tilewise's transform_reduce in that of the elements.

# The whole file at once: a call may begin on one line and go on in the next.
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

# Includes, before the first that is there. The last added comes first.
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
