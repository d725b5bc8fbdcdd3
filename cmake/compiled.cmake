# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Link tilewise::compiled to call device algorithms for the arithmetic types from files that nvcc does not compile. It is
# shared or static, as BUILD_SHARED_LIBS says, has kernels for CMAKE_CUDA_ARCHITECTURES, and holds the CUDA runtime.
find_package(CUDAToolkit REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/*.cu")

add_library(tilewise_compiled ${sources})
add_library(tilewise::compiled ALIAS tilewise_compiled)
set_target_properties(tilewise_compiled PROPERTIES
    EXPORT_NAME compiled
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
    POSITION_INDEPENDENT_CODE ON
    CUDA_VISIBILITY_PRESET hidden
    CUDA_RUNTIME_LIBRARY None
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
    TILEWISE_HEADER_ONLY ON) # a static one installs alone
target_link_libraries(tilewise_compiled PUBLIC tilewise::tilewise PRIVATE CUDA::cudart_static)
target_compile_definitions(tilewise_compiled INTERFACE TILEWISE_COMPILED)
target_compile_options(tilewise_compiled PRIVATE # (CMake 3.25 does not know nvcc's C++20.)
    -std=c++20
    $<$<VERSION_GREATER_EQUAL:${CMAKE_CUDA_COMPILER_VERSION},12.8>:-compress-mode=size>) # a quarter of the bytes
target_link_options(tilewise_compiled PRIVATE LINKER:--exclude-libs,libcudart_static.a)
