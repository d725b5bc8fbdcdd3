# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs tilewise, then builds and runs programs that use it: by find_package, by add_subdirectory, by pkg-config;
# without CUDA and, where there is nvcc, with it.
# Needs SOURCE_DIR, BUILD_DIR (of tilewise), WORK_DIR and CXX.
set(prefix "${WORK_DIR}/prefix")
set(consumer "${CMAKE_CURRENT_LIST_DIR}")
find_program(NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
find_program(NM nm)
find_program(PKG_CONFIG pkg-config)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

# Runs a program that was built; what it prints is shown.
function(run_program name program)
    execute_process(COMMAND "${program}"
        RESULT_VARIABLE status OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(file "${program}" NAME)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${name}: ${file} failed with ${status}: ${output}")
    endif()
    message(STATUS "${name}: built and ran ${file} ${output}")
endfunction()

function(build_and_run name) # PROGRAMS names... OPTIONS options...
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PROGRAMS;OPTIONS")
    run(${CMAKE_COMMAND} -S "${consumer}" -B "${WORK_DIR}/${name}" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}" ${arg_OPTIONS})
    run(${CMAKE_COMMAND} --build "${WORK_DIR}/${name}" --target ${arg_PROGRAMS})
    foreach(program IN LISTS arg_PROGRAMS)
        run_program("${name}" "${WORK_DIR}/${name}/${program}")
    endforeach()
endfunction()

# No two modes define the same name of tilewise: the linker would keep one of the two.
function(check_names name)
    file(GLOB objects "${WORK_DIR}/${name}/CMakeFiles/mode_*.dir/*.o")
    set(count 0)
    foreach(object IN LISTS objects)
        execute_process(COMMAND "${NM}" --defined-only --extern-only "${object}"
            COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE names)
        string(REGEX MATCHALL " _Z[^\n]*8tilewise[^\n]*" names "${names}")
        foreach(symbol IN LISTS names)
            if(DEFINED "definition_of${symbol}")
                message(FATAL_ERROR "${name}:${symbol} is defined in two modes:\n ${definition_of${symbol}}\n ${object}")
            endif()
            set("definition_of${symbol}" "${object}")
            math(EXPR count "${count} + 1")
        endforeach()
    endforeach()
    if(count LESS 100)
        message(FATAL_ERROR "${name}: the modes define ${count} names, so something is wrong with this check")
    endif()
    message(STATUS "${name}: ${count} names in the modes, none twice")
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${prefix}")
set(installed "-DCMAKE_PREFIX_PATH=${prefix}")
set(sources "-DTILEWISE_SOURCES=${SOURCE_DIR}")
set(cuda "-DCMAKE_CUDA_COMPILER=${NVCC}" "-DCMAKE_CUDA_HOST_COMPILER=${CXX}" -DCMAKE_CUDA_ARCHITECTURES=75)

build_and_run(find_package PROGRAMS consumer modes OPTIONS "${installed}")
build_and_run(add_subdirectory PROGRAMS consumer OPTIONS "${sources}")
if(NVCC)
    build_and_run(find_package_cuda PROGRAMS device modes OPTIONS "${installed}" ${cuda})
    build_and_run(add_subdirectory_cuda PROGRAMS device OPTIONS "${sources}" ${cuda})
else()
    message(STATUS "with CUDA: skipped, there is no nvcc")
endif()

if(NM)
    check_names(find_package)
    if(NVCC)
        check_names(find_package_cuda)
    endif()
else()
    message(STATUS "names of the modes: skipped, there is no nm")
endif()

if(PKG_CONFIG)
    set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig")
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs tilewise
        COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${CXX}" -std=c++20 "${consumer}/consumer.cpp" -o "${WORK_DIR}/consumer" ${flags})
    run_program(pkg-config "${WORK_DIR}/consumer")
    if(NVCC)
        run("${NVCC}" -std=c++20 -arch=sm_75 -ccbin "${CXX}" "${consumer}/device.cu" -o "${WORK_DIR}/device" ${flags})
        run_program(pkg-config "${WORK_DIR}/device")
    endif()
else()
    message(STATUS "pkg-config: skipped, not found")
endif()
