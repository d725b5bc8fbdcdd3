# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages: cpack --config FOLDER/CPackConfig.cmake, where FOLDER is the build folder, writes
#   tilewise-dev                headers, CMake and pkg-config files, for every architecture
#   libtilewise-compiledX.Y     the shared compiled library, where it is built
#   libtilewise-compiled-dev    what linking it takes
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewise)
set(CPACK_PACKAGE_CONTACT "The tilewise maintainers <maintainers@tilewise.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS # whatever the umask is
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE) # a package for each component
set(CPACK_COMPONENTS_ALL tilewise)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# Debian requires a copyright file and a compressed changelog in each package. `cmake --install` installs them only with
# --component. Sources without packaging/debian (Conan exports none) make packages without them.
set(debian_sources "${PROJECT_SOURCE_DIR}/packaging/debian")
set(debian_documents "")
find_program(GZIP_EXECUTABLE gzip)
mark_as_advanced(GZIP_EXECUTABLE)
if(GZIP_EXECUTABLE AND EXISTS "${debian_sources}")
    file(READ "${debian_sources}/changelog" changelog)
    if(NOT changelog MATCHES "^tilewise \\(([^)]*)\\)" OR NOT CMAKE_MATCH_1 STREQUAL PROJECT_VERSION)
        message(FATAL_ERROR
            "packaging/debian/changelog begins with version ${CMAKE_MATCH_1}, the headers have ${PROJECT_VERSION}")
    endif()
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/debian")
    foreach(source IN ITEMS "${debian_sources}/changelog" "${PROJECT_SOURCE_DIR}/CHANGELOG.md")
        get_filename_component(name "${source}" NAME)
        set(compressed "${PROJECT_BINARY_DIR}/debian/${name}.gz")
        execute_process(COMMAND "${GZIP_EXECUTABLE}" -9nc "${source}" OUTPUT_FILE "${compressed}" COMMAND_ERROR_IS_FATAL ANY)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
        list(APPEND debian_documents "${compressed}")
    endforeach()
    list(APPEND debian_documents "${debian_sources}/copyright")
endif()

function(add_debian_documents component package)
    install(FILES ${debian_documents} DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}"
        COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

add_debian_documents(tilewise tilewise-dev)
set(CPACK_DEBIAN_TILEWISE_PACKAGE_NAME tilewise-dev)
set(CPACK_DEBIAN_TILEWISE_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_TILEWISE_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TILEWISE_PACKAGE_DEPENDS libtbb-dev)
set(CPACK_DEBIAN_TILEWISE_PACKAGE_SUGGESTS "cmake, pkgconf, libopenmpi-dev")
set(CPACK_COMPONENT_TILEWISE_DESCRIPTION "Headers, CMake and pkg-config files
Reductions, scans, histograms, segmented algorithms and algorithms by key for
C++20 and CUDA, with the same bits on one thread, on all cores and on a GPU.")

if(compiled_type STREQUAL "SHARED_LIBRARY")
    set(runtime_package "libtilewise-compiled${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
    list(APPEND CPACK_COMPONENTS_ALL tilewise_compiled tilewise_compiled_dev)

    add_debian_documents(tilewise_compiled "${runtime_package}")
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_NAME "${runtime_package}")
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_CONTROL_EXTRA "${debian_sources}/triggers") # runs ldconfig
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # CPack has no variable of a component for it
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
    set(CPACK_COMPONENT_TILEWISE_COMPILED_DESCRIPTION "Compiled device algorithms, shared library
Reductions, scans and histograms of arithmetic types for NVIDIA GPUs. A GPU
needs the driver; without one, calls throw an exception.")

    add_debian_documents(tilewise_compiled_dev libtilewise-compiled-dev)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_DEV_PACKAGE_NAME libtilewise-compiled-dev)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_DEV_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_DEV_PACKAGE_DEPENDS
        "tilewise-dev (= ${PROJECT_VERSION}), ${runtime_package} (= ${PROJECT_VERSION})")
    set(CPACK_COMPONENT_TILEWISE_COMPILED_DEV_DESCRIPTION "Compiled device algorithms, development files
CMake and pkg-config files with which programs that nvcc does not compile link
the library.")
elseif(compiled_type)
    message(STATUS "Debian packages of the compiled library need BUILD_SHARED_LIBS=ON: left out")
endif()

include(CPack)
