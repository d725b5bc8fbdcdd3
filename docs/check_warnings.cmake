# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails on every warning in LOG, except that with INTERNALS these may go undocumented:
set(tolerated
    " of (struct|class|union) .* is not documented"           # members, whose type is documented
    " of namespace tilewise::(binning|host|known) is not documented"  # the engines' small helpers
    "macro definition. of file .* is not documented"          # config.hpp explains itself
    "(-> |< ).* of namespace tilewise is not documented"      # deduction guides and specialisations
    "Compound .*< .* is not documented")                      # specialisations

file(STRINGS "${LOG}" warnings)
if(INTERNALS)
    foreach(pattern IN LISTS tolerated)
        list(FILTER warnings EXCLUDE REGEX "${pattern}")
    endforeach()
endif()
if(warnings)
    list(JOIN warnings "\n" text)
    message("${text}")
    message(FATAL_ERROR "Doxygen complains")
endif()
