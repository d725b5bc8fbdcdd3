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

    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_NAME "${runtime_package}")
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_TILEWISE_COMPILED_PACKAGE_GENERATE_SHLIBS ON)
    set(CPACK_COMPONENT_TILEWISE_COMPILED_DESCRIPTION "Compiled device algorithms, shared library
Reductions, scans and histograms of arithmetic types for NVIDIA GPUs. A GPU
needs the driver; without one, calls throw an exception.")

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
