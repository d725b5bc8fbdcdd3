# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the programs drop_in_<NAME>_as_written and drop_in_<NAME>_moved, of which the second is what the recipe made of
# the first. The recipe must have moved every call, and both must print the same. Needs BUILD_DIR, NAME, and for either
# variant the program <variant> and <variant>_source.

execute_process(
    COMMAND "${CMAKE_COMMAND}" --build "${BUILD_DIR}" --target drop_in_${NAME}_as_written drop_in_${NAME}_moved
    COMMAND_ERROR_IS_FATAL ANY)

# Calls: as many as before, and none that was left
set(algorithms "(transform_)?(reduce|(in|ex)clusive_scan)|count(_if)?|(min|max|minmax)_element")
foreach(variant IN ITEMS as_written moved)
    file(READ "${${variant}_source}" text)
    string(REGEX MATCHALL "(std|thrust)::(${algorithms})\\(" theirs "${text}")
    string(REGEX MATCHALL "tilewise::(${algorithms})\\(" ours "${text}")
    list(LENGTH theirs ${variant}_theirs)
    list(LENGTH ours ${variant}_ours)
endforeach()
message(STATUS "${as_written_theirs} calls, of which ${moved_ours} were moved")
if(as_written_theirs EQUAL 0 OR NOT moved_ours EQUAL as_written_theirs OR NOT moved_theirs EQUAL 0)
    message(FATAL_ERROR "the recipe left calls as they were")
endif()

# Prints
foreach(variant IN ITEMS as_written moved)
    execute_process(COMMAND "${${variant}}" OUTPUT_VARIABLE ${variant}_prints COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "\n$" "" ${variant}_lines "${${variant}_prints}")
    string(REPLACE "\n" ";" ${variant}_lines "${${variant}_lines}")
endforeach()
if(as_written_prints STREQUAL "")
    message(FATAL_ERROR "nothing was printed")
endif()
foreach(line other IN ZIP_LISTS as_written_lines moved_lines)
    if(NOT line STREQUAL other)
        message(SEND_ERROR "as written: ${line}\nmoved:      ${other}")
    endif()
endforeach()
if(NOT as_written_prints STREQUAL moved_prints)
    message(FATAL_ERROR "the two do not print the same")
endif()
message(STATUS "both print\n${as_written_prints}")
