# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs tilewise, then builds and runs programs that use it: by find_package, by add_subdirectory, by pkg-config;
# without CUDA and, where there is nvcc, with it. Asks for versions and components, exports, follows the guide, uninstalls.
# Needs SOURCE_DIR, BUILD_DIR (of tilewise), WORK_DIR, CXX, MPI: whether there is MPI, and NCCL: whether there is
# tilewise::nccl.
set(prefix "${WORK_DIR}/prefix")
set(consumer "${CMAKE_CURRENT_LIST_DIR}")
find_program(NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
find_program(NM nm)
find_program(PKG_CONFIG pkg-config)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed with ${status}: ${ARGV}\n${output}")
    endif()
endfunction()

# Runs a program that was built; what it prints is shown.
function(run_program name program)
    execute_process(COMMAND "${program}"
        RESULT_VARIABLE status OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(file "${program}" NAME)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${name}: ${file} failed with ${status}: ${output}")
    endif()
    if(output)
        set(output ": ${output}")
    endif()
    message(STATUS "${name}: built and ran ${file}${output}")
endfunction()

function(build_and_run name) # PROGRAMS names... OPTIONS options...
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PROGRAMS;OPTIONS")
    run(${CMAKE_COMMAND} -S "${consumer}" -B "${WORK_DIR}/${name}" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}" ${arg_OPTIONS})
    run(${CMAKE_COMMAND} --build "${WORK_DIR}/${name}" --target ${arg_PROGRAMS})
    foreach(program IN LISTS arg_PROGRAMS)
        run_program("${name}" "${WORK_DIR}/${name}/${program}")
    endforeach()
endfunction()

# Configures the consumer in `name` once more, wanting what is given: a version and components, which must be found, or
# fail with `message`.
function(expect_found name message) # what is wanted
    execute_process(COMMAND ${CMAKE_COMMAND} "-DTILEWISE_WANTED=${ARGN}" "${WORK_DIR}/${name}"
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}")
    string(FIND "${output}" "${message}" found)
    if(message AND (status EQUAL 0 OR found EQUAL -1))
        message(FATAL_ERROR "find_package(tilewise ${ARGN}) does not say `${message}`:\n${output}")
    elseif(NOT message AND NOT status EQUAL 0)
        message(FATAL_ERROR "find_package(tilewise ${ARGN}) fails:\n${output}")
    endif()
endfunction()

# The folder holds no file any more.
function(expect_no_files folder)
    file(GLOB_RECURSE left LIST_DIRECTORIES OFF "${folder}/*")
    if(left)
        message(FATAL_ERROR "uninstall left ${left}")
    endif()
endfunction()

# No two modes define the same name of tilewise: the linker would keep one of the two. What is for all modes says so in
# error.hpp, policy.hpp, policy_properties.hpp and cached_memory.hpp.
string(CONCAT for_all_modes
    "8tilewise(9no_device|10cuda_error|17distributed_error|13cuda_category|3seqE|3parE|6deviceE|7resolveI|13policy_traitsI"
    "|19basic_device_policyI|12resource_ref|8sink_ref|12progress_ref|10cache_list|21release_cached_memory)")

function(check_names name)
    if(NOT NM)
        message(STATUS "${name}: names of the modes skipped, there is no nm")
        return()
    endif()
    file(GLOB objects "${WORK_DIR}/${name}/CMakeFiles/mode_*.dir/*.o")
    set(count 0)
    foreach(object IN LISTS objects)
        execute_process(COMMAND "${NM}" --defined-only --extern-only "${object}"
            COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE names)
        string(REGEX MATCHALL " _Z[^\n]*8tilewise[^\n]*" names "${names}")
        foreach(symbol IN LISTS names)
            if(symbol MATCHES "${for_all_modes}")
                continue()
            endif()
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

file(GLOB_RECURSE compiled "${prefix}/tilewise-compiled-targets.cmake")

build_and_run(add_subdirectory PROGRAMS consumer OPTIONS "${sources}")
run(${CMAKE_COMMAND} --install "${WORK_DIR}/add_subdirectory" --prefix "${WORK_DIR}/exported")
file(STRINGS "${WORK_DIR}/exported/lib/cmake/exported/exported-targets.cmake" link REGEX "LINK_LIBRARIES.*tilewise::tilewise")
if(NOT link OR EXISTS "${WORK_DIR}/exported/include")
    message(FATAL_ERROR "the exported target does not link tilewise::tilewise, or tilewise was installed with it")
endif()
if(NVCC)
    build_and_run(find_package PROGRAMS consumer OPTIONS "${installed}")
    build_and_run(find_package_cuda PROGRAMS device modes OPTIONS "${installed}" ${cuda})
    build_and_run(add_subdirectory_cuda PROGRAMS device OPTIONS "${sources}" ${cuda})
    check_names(find_package_cuda)
else()
    build_and_run(find_package PROGRAMS consumer modes OPTIONS "${installed}")
    check_names(find_package)
    message(STATUS "with CUDA: skipped, there is no nvcc")
endif()
if(compiled) # no compiler of CUDA's from here on
    build_and_run(find_package_compiled PROGRAMS compiled OPTIONS "${installed}")
else()
    message(STATUS "tilewise::compiled: skipped, it was not built")
endif()
if(MPI)
    expect_found(find_package "" 0.2 COMPONENTS mpi)
    run(${CMAKE_COMMAND} --build "${WORK_DIR}/find_package" --target mpi)
    run_program(find_package "${WORK_DIR}/find_package/mpi")
    build_and_run(add_subdirectory_mpi PROGRAMS mpi OPTIONS "${sources}" -DTILEWISE_MPI=ON)
else()
    message(STATUS "tilewise::mpi: skipped, there is no MPI")
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
    if(compiled)
        cmake_path(GET compiled PARENT_PATH libraries) # .../lib/cmake/tilewise
        cmake_path(APPEND libraries ../..)
        cmake_path(NORMAL_PATH libraries)
        set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig:${libraries}/pkgconfig")
        execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs tilewise-compiled
            COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
        separate_arguments(flags UNIX_COMMAND "${flags}")
        run("${CXX}" -std=c++20 "${consumer}/compiled.cpp" -o "${WORK_DIR}/compiled" ${flags} "-Wl,-rpath,${libraries}")
        run_program(pkg-config "${WORK_DIR}/compiled")
    endif()
else()
    message(STATUS "pkg-config: skipped, not found")
endif()

# Versions and components
expect_found(find_package "" 0.1...<0.3)
expect_found(find_package "" 0.2.0...0.2.0)
expect_found(find_package "" 0.2.0 EXACT)
foreach(version IN ITEMS 0.3 0.1 1 0.2.1 0.3...<1 0.1.5...<0.2 0.0...0.1.9)
    expect_found(find_package "that is compatible with requested version" ${version})
endforeach()
expect_found(find_package "tilewise has no component `solver`; there are `compiled`, `mpi` and `nccl`" 0.2 COMPONENTS solver)
if(compiled)
    expect_found(find_package_compiled "" 0.2 COMPONENTS compiled)
else()
    expect_found(find_package "was installed without tilewise::compiled: configure it with TILEWISE_COMPILED_LIBRARY=ON"
        0.2 COMPONENTS compiled)
endif()
expect_found(find_package "" 0.2 OPTIONAL_COMPONENTS compiled solver)
run(${CMAKE_COMMAND} -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON "${WORK_DIR}/find_package")
expect_found(find_package "tilewise::mpi needs MPI for C++, which find_package(MPI) does not find" 0.2 COMPONENTS mpi)
expect_found(find_package "" 0.2 OPTIONAL_COMPONENTS mpi)
# CMake's FindMPI makes the target MPI::MPI_CXX also where it does not find MPI; so does this one.
file(WRITE "${WORK_DIR}/without_mpi/FindMPI.cmake"
    "add_library(MPI::MPI_CXX INTERFACE IMPORTED)\nset(MPI_FOUND FALSE)\nset(MPI_CXX_FOUND FALSE)\n")
run(${CMAKE_COMMAND} -DCMAKE_DISABLE_FIND_PACKAGE_MPI=OFF -DTILEWISE_WANTED=0.2
    "-DCMAKE_MODULE_PATH=${WORK_DIR}/without_mpi" "${WORK_DIR}/find_package")
expect_found(find_package "tilewise::mpi needs MPI for C++, which find_package(MPI) does not find" 0.2 COMPONENTS mpi)
run(${CMAKE_COMMAND} -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DTILEWISE_WANTED=0.2 -U CMAKE_MODULE_PATH
    "${WORK_DIR}/find_package")
if(NCCL)
    expect_found(find_package "" 0.2 COMPONENTS nccl)
    run(${CMAKE_COMMAND} --build "${WORK_DIR}/find_package" --target nccl)
    run_program(find_package "${WORK_DIR}/find_package/nccl")
    build_and_run(add_subdirectory_nccl PROGRAMS nccl OPTIONS "${sources}" -DTILEWISE_NCCL=ON)
else()
    message(STATUS "tilewise::nccl: skipped, there is no NCCL")
endif()
run(${CMAKE_COMMAND} -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON -DTILEWISE_WANTED=0.2 "${WORK_DIR}/find_package")
expect_found(find_package "tilewise::nccl needs NCCL and the CUDA toolkit, which are not found" 0.2 COMPONENTS nccl)
expect_found(find_package "" 0.2 OPTIONAL_COMPONENTS nccl)

# The guide's way to install, with nvcc in the path: it wants no CUDA, and builds nothing.
if(NVCC)
    cmake_path(GET NVCC PARENT_PATH nvcc_folder)
    set(ENV{PATH} "${nvcc_folder}:$ENV{PATH}")
endif()
run(${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${WORK_DIR}/guide" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
    -DTILEWISE_BUILD_TESTS=OFF -DTILEWISE_BUILD_EXAMPLES=OFF -DTILEWISE_BUILD_BENCHMARKS=OFF)
run(${CMAKE_COMMAND} --install "${WORK_DIR}/guide" --prefix "${WORK_DIR}/by_guide")
file(STRINGS "${WORK_DIR}/guide/CMakeCache.txt" cuda REGEX "^CMAKE_CUDA_COMPILER:")
if(cuda OR NOT EXISTS "${WORK_DIR}/by_guide/include/tilewise/tilewise.hpp")
    message(FATAL_ERROR "an installation of the headers looks for CUDA, or lacks them: ${cuda}")
endif()

# Removing both again, but nothing else
file(TOUCH "${prefix}/include/others.hpp")
run(${CMAKE_COMMAND} --build "${WORK_DIR}/guide" --target uninstall)
run(${CMAKE_COMMAND} -P "${BUILD_DIR}/uninstall.cmake")
expect_no_files("${WORK_DIR}/by_guide")
if(EXISTS "${prefix}/include/tilewise" OR NOT EXISTS "${prefix}/include/others.hpp")
    message(FATAL_ERROR "uninstall left headers, or removed others")
endif()
file(REMOVE "${prefix}/include/others.hpp")
expect_no_files("${prefix}")
