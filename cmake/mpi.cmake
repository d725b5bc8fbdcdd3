# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tilewise_find_mpi(): the target tilewise::mpi, where MPI is found. Nothing else of tilewise needs MPI.
function(tilewise_find_mpi)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT MPI_CXX_FOUND AND CXX IN_LIST languages AND NOT CMAKE_CROSSCOMPILING)
        set(is_new TRUE)
        if(TARGET MPI::MPI_CXX)
            set(is_new FALSE)
        endif()
        find_package(MPI QUIET COMPONENTS CXX)
        if(MPI_CXX_FOUND AND is_new)
            set_target_properties(MPI::MPI_CXX PROPERTIES IMPORTED_GLOBAL ON) # tilewise may be a subdirectory
        endif()
    endif()
    if(NOT MPI_CXX_FOUND) # CMake makes the target MPI::MPI_CXX in any case
        message(STATUS "MPI not found: no target tilewise::mpi")
    elseif(NOT TARGET tilewise::mpi)
        add_library(tilewise::mpi INTERFACE IMPORTED GLOBAL)
        target_link_libraries(tilewise::mpi INTERFACE tilewise::tilewise MPI::MPI_CXX)
        # MPI's own bindings for C++, which MPI 3 has removed
        target_compile_definitions(tilewise::mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    endif()
endfunction()
