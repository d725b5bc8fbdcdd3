# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMake before 3.25.2 does not know how to ask nvcc for C++20, so it would leave out what tilewise::tilewise wants.
if(CMAKE_VERSION VERSION_LESS 3.25.2)
    foreach(kind IN ITEMS STANDARD EXTENSION)
        set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20 CACHE INTERNAL "How to ask nvcc for C++20")
    endforeach()
endif()
