# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tilewise_link_threads(library include_folder): what links `library` calls oneTBB through a static library that the
# project compiles once, and does not include oneTBB's headers. Nothing changes for targets with the property
# TILEWISE_HEADER_ONLY, with the variable of that name, or in a project without C++.
function(tilewise_link_threads library include_folder)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(TILEWISE_HEADER_ONLY OR NOT CXX IN_LIST languages)
        return()
    endif()
    if(NOT TARGET tilewise_threads)
        set(source "${CMAKE_CURRENT_BINARY_DIR}/tilewise_threads.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "#include <tilewise/host/onetbb.hpp>\n")
        add_library(tilewise_threads STATIC EXCLUDE_FROM_ALL "${source}")
        target_compile_features(tilewise_threads PRIVATE cxx_std_20)
        target_compile_definitions(tilewise_threads PRIVATE TILEWISE_LINKED_THREADS)
        target_include_directories(tilewise_threads PRIVATE "${include_folder}")
        target_link_libraries(tilewise_threads PRIVATE TBB::tbb)
        set_target_properties(tilewise_threads PROPERTIES
            POSITION_INDEPENDENT_CODE ON
            CXX_VISIBILITY_PRESET hidden)
    endif()
    set(is_linked "$<NOT:$<BOOL:$<TARGET_PROPERTY:TILEWISE_HEADER_ONLY>>>")
    target_link_libraries(${library} INTERFACE "$<BUILD_INTERFACE:tilewise_threads>")
    target_compile_definitions(${library} INTERFACE "$<BUILD_INTERFACE:$<${is_linked}:TILEWISE_LINKED_THREADS>>")
endfunction()
