# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs tilewise, then builds and runs a project that uses it: by find_package, by add_subdirectory, by pkg-config.
# Needs SOURCE_DIR, BUILD_DIR (of tilewise), WORK_DIR and CXX.
set(prefix "${WORK_DIR}/prefix")
set(consumer "${CMAKE_CURRENT_LIST_DIR}")

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(build_and_run name)
    run(${CMAKE_COMMAND} -S "${consumer}" -B "${WORK_DIR}/${name}" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}" ${ARGN})
    run(${CMAKE_COMMAND} --build "${WORK_DIR}/${name}" --target consumer)
    run("${WORK_DIR}/${name}/consumer")
    message(STATUS "${name}: built and ran")
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${prefix}")

build_and_run(find_package "-DCMAKE_PREFIX_PATH=${prefix}")
build_and_run(add_subdirectory "-DTILEWISE_SOURCES=${SOURCE_DIR}")

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
    set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig")
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs tilewise
        COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${CXX}" -std=c++20 "${consumer}/consumer.cpp" -o "${WORK_DIR}/consumer" ${flags})
    run("${WORK_DIR}/consumer")
    message(STATUS "pkg-config: built and ran")
else()
    message(STATUS "pkg-config: skipped, not found")
endif()
