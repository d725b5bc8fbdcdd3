# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tilewise_find_nccl(): the target tilewise::nccl, where NCCL and the CUDA toolkit are found: beside the toolkit, where
# the system has libraries, or in NCCL_ROOT, such as the folder nvidia/nccl of a Python package, which has no libnccl.so.
# Nothing else of tilewise needs NCCL.
function(tilewise_find_nccl)
    find_package(CUDAToolkit QUIET)
    set(hints "${NCCL_ROOT}" "$ENV{NCCL_ROOT}")
    if(CUDAToolkit_FOUND)
        list(APPEND hints "${CUDAToolkit_BIN_DIR}/.." "${CUDAToolkit_LIBRARY_DIR}/..")
    endif()
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${hints} PATH_SUFFIXES include)
    find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${hints} PATH_SUFFIXES lib lib64)
    mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
    if(NOT CUDAToolkit_FOUND OR NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY OR CMAKE_CROSSCOMPILING)
        message(STATUS "NCCL or the CUDA toolkit not found: no target tilewise::nccl")
    elseif(NOT TARGET tilewise::nccl)
        add_library(tilewise::nccl INTERFACE IMPORTED GLOBAL)
        target_include_directories(tilewise::nccl SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}" ${CUDAToolkit_INCLUDE_DIRS})
        # Without the CUDA runtime: nvcc's programs have one already, and two in a program do not know each other.
        target_link_libraries(tilewise::nccl INTERFACE tilewise::tilewise "${NCCL_LIBRARY}")
    endif()
endfunction()
