# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Settings of the project's own builds; a project that uses tilewise never sees them.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "The kind of build" FORCE)
endif()

find_program(TILEWISE_CCACHE ccache)
mark_as_advanced(TILEWISE_CCACHE)
if(TILEWISE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TILEWISE_CCACHE}")
endif()

# Tests, examples and benchmarks are compiled with these.
option(TILEWISE_WARNINGS_AS_ERRORS "Warnings of the project's own programs are errors" ON)
add_library(tilewise_warnings INTERFACE)
target_compile_options(tilewise_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion>"
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TILEWISE_WARNINGS_AS_ERRORS}>>:-Werror>")

# By default g++ collects garbage whenever its heap has doubled, a tenth of the time to compile a test; so it begins at
# 4 GB. The largest test then takes 2 GB, instead of 1.5. Without optimisation it compiles std::move and its like as
# functions, another twentieth.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=4000000>")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffold-simple-inlines>")
    endif()
endif()
