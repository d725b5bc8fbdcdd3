# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the headers only declare if they are linked: a project that uses tilewise compiles it once. Nothing changes for
# targets with the property TILEWISE_HEADER_ONLY, with the variable of that name, or in a project without C++.

# tilewise_linked_part(name include_folder header definition): a static library that defines what `header` does.
function(tilewise_linked_part name include_folder header definition)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include <@header@>\n" @ONLY)
    add_library(${name} STATIC EXCLUDE_FROM_ALL "${source}")
    target_compile_features(${name} PRIVATE cxx_std_20)
    target_compile_definitions(${name} PRIVATE TILEWISE_LINKED_THREADS ${definition})
    target_include_directories(${name} PRIVATE "${include_folder}")
    set_target_properties(${name} PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden)
endfunction()

# tilewise_link_threads(library include_folder): what links `library` calls oneTBB through a static library, and does
# not include oneTBB's headers. If CUDA is enabled, its CUDA files also link the functions that manage memory and errors.
function(tilewise_link_threads library include_folder)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(TILEWISE_HEADER_ONLY OR NOT CXX IN_LIST languages)
        return()
    endif()
    if(NOT TARGET tilewise_threads)
        tilewise_linked_part(tilewise_threads "${include_folder}" tilewise/host/onetbb.hpp "")
        target_link_libraries(tilewise_threads PRIVATE TBB::tbb)
    endif()
    set(is_linked "$<NOT:$<BOOL:$<TARGET_PROPERTY:TILEWISE_HEADER_ONLY>>>")
    target_link_libraries(${library} INTERFACE "$<BUILD_INTERFACE:tilewise_threads>")
    target_compile_definitions(${library} INTERFACE "$<BUILD_INTERFACE:$<${is_linked}:TILEWISE_LINKED_THREADS>>")

    if(NOT CUDA IN_LIST languages OR NOT CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES)
        return()
    endif()
    if(NOT TARGET tilewise_cuda) # C++, so that a program without CUDA files does not link the CUDA runtime
        tilewise_linked_part(tilewise_cuda "${include_folder}" tilewise/device/cuda/linked.cuh TILEWISE_LINKED_CUDA)
        target_include_directories(tilewise_cuda SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
        target_link_libraries(tilewise_cuda PRIVATE tilewise_threads)
    endif()
    target_link_libraries(${library} INTERFACE "$<BUILD_INTERFACE:tilewise_cuda>")
    target_compile_definitions(${library} INTERFACE
        "$<BUILD_INTERFACE:$<$<AND:${is_linked},$<COMPILE_LANGUAGE:CUDA>>:TILEWISE_LINKED_CUDA>>")
endfunction()
