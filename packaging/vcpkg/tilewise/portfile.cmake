# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the source tree that this port is in:  vcpkg install tilewise --overlay-ports=packaging/vcpkg
# A registry replaces this line by vcpkg_from_git, with the address of the repository and a commit.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

set(VCPKG_BUILD_TYPE release) # headers only

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DTILEWISE_BUILD_TESTS=OFF
        -DTILEWISE_BUILD_EXAMPLES=OFF
        -DTILEWISE_BUILD_BENCHMARKS=OFF
        -DTILEWISE_MPI=OFF
        -DTILEWISE_NCCL=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tilewise)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
