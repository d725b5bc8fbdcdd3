# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilewise")

# Headers and targets
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tilewise" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS tilewise tilewise_strict_fp tilewise_hardened
    EXPORT tilewise-targets
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tilewise-targets NAMESPACE tilewise:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# find_package(tilewise CONFIG)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/tilewise-config.cmake.in"
    "${PROJECT_BINARY_DIR}/tilewise-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tilewise-config-version.cmake"
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    "${CMAKE_CURRENT_LIST_DIR}/cuda_standard.cmake"
    "${PROJECT_BINARY_DIR}/tilewise-config.cmake"
    "${PROJECT_BINARY_DIR}/tilewise-config-version.cmake"
    DESTINATION "${package_dir}")

# pkg-config
configure_file("${CMAKE_CURRENT_LIST_DIR}/tilewise.pc.in" "${PROJECT_BINARY_DIR}/tilewise.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilewise.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
