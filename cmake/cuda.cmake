# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CUDA for the project's own programs and for the compiled library. The rest is headers: a project that uses them
# enables CUDA for itself.

set(has_programs OFF)
if(TILEWISE_BUILD_TESTS OR TILEWISE_BUILD_EXAMPLES OR TILEWISE_BUILD_BENCHMARKS)
    set(has_programs ON)
endif()
if(NOT DEFINED TILEWISE_BUILD_CUDA AND PROJECT_IS_TOP_LEVEL AND has_programs)
    include(CheckLanguage)
    check_language(CUDA)
endif()
if(CMAKE_CUDA_COMPILER AND has_programs)
    option(TILEWISE_BUILD_CUDA "Build the tests and benchmarks for the GPU" ${PROJECT_IS_TOP_LEVEL})
else()
    option(TILEWISE_BUILD_CUDA "Build the tests and benchmarks for the GPU" OFF)
endif()

option(TILEWISE_COMPILED_LIBRARY "Build tilewise::compiled, which takes minutes" OFF)

if(TILEWISE_BUILD_CUDA OR TILEWISE_COMPILED_LIBRARY)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 75 CACHE STRING "The GPU architectures to build for") # runs on all later ones
    endif()
    if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
        set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    endif()
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
        message(FATAL_ERROR "tilewise needs CUDA 12.4, this is ${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
endif()
if(TILEWISE_BUILD_CUDA)
    add_custom_target(gpu) # everything that runs on a GPU
endif()

# tilewise_cuda_executable(name [EXTENDED_LAMBDA] SOURCES files...)
# A program for the GPU in build/gpu/bin that also runs on another machine: it holds the CUDA runtime and libstdc++,
# and finds oneTBB, which Debian has only as a shared library, beside itself.
function(tilewise_cuda_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "EXTENDED_LAMBDA" "" "SOURCES")
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES
        COMPILE_WARNING_AS_ERROR "${TILEWISE_WARNINGS_AS_ERRORS}"
        CUDA_RUNTIME_LIBRARY Static
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
        INSTALL_RPATH "$ORIGIN"
        BUILD_WITH_INSTALL_RPATH ON)
    target_link_libraries(${name} PRIVATE tilewise::tilewise)
    target_compile_options(${name} PRIVATE # (CMake 3.25 does not know nvcc's C++20.)
        "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Xcompiler=-Wall,-Wextra>"
        "$<$<AND:$<BOOL:${arg_EXTENDED_LAMBDA}>,$<COMPILE_LANGUAGE:CUDA>>:--extended-lambda>")
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
        COMMAND "${CMAKE_COMMAND}" -E copy_if_different
            "$<TARGET_FILE:TBB::tbb>" "$<TARGET_FILE_DIR:${name}>/$<TARGET_SONAME_FILE_NAME:TBB::tbb>")
    add_dependencies(gpu ${name})
endfunction()
