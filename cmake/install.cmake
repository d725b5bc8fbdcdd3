# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilewise")

# The rules are there in any case, so that a project that has tilewise as a subdirectory can export targets that link it.
# Without TILEWISE_INSTALL they install something only where somebody asks for a component: tilewise, the headers;
# tilewise_compiled, the compiled library; tilewise_compiled_dev, what linking it takes.
set(rule COMPONENT tilewise)
set(compiled_rule COMPONENT tilewise_compiled)
set(compiled_dev_rule COMPONENT tilewise_compiled_dev)
if(NOT TILEWISE_INSTALL)
    list(APPEND rule EXCLUDE_FROM_ALL)
    list(APPEND compiled_rule EXCLUDE_FROM_ALL)
    list(APPEND compiled_dev_rule EXCLUDE_FROM_ALL)
endif()

# Headers and targets
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tilewise" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${rule})
install(TARGETS tilewise tilewise_strict_fp tilewise_hardened
    EXPORT tilewise-targets
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT tilewise-targets NAMESPACE tilewise:: DESTINATION "${package_dir}" ${rule})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" ${rule})

# The compiled library, where it is built
set(compiled_type "")
if(TARGET tilewise_compiled)
    get_target_property(compiled_type tilewise_compiled TYPE)
    install(TARGETS tilewise_compiled EXPORT tilewise-compiled-targets
        RUNTIME ${compiled_rule} LIBRARY ${compiled_rule} NAMELINK_COMPONENT tilewise_compiled_dev
        ARCHIVE ${compiled_dev_rule})
    install(EXPORT tilewise-compiled-targets NAMESPACE tilewise:: DESTINATION "${package_dir}" ${compiled_dev_rule})

    set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    file(RELATIVE_PATH prefix_from_pkgconfig "/${pkgconfig_dir}" "/")
    string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
    set(compiled_libs "-L\${libdir} -ltilewise_compiled")
    if(compiled_type STREQUAL "STATIC_LIBRARY")
        get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
        string(APPEND compiled_libs " ${cudart} -ldl -lrt -lpthread")
    endif()
    configure_file("${CMAKE_CURRENT_LIST_DIR}/tilewise-compiled.pc.in" "${PROJECT_BINARY_DIR}/tilewise-compiled.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/tilewise-compiled.pc" DESTINATION "${pkgconfig_dir}" ${compiled_dev_rule})
endif()

# find_package(tilewise CONFIG)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/tilewise-config.cmake.in"
    "${PROJECT_BINARY_DIR}/tilewise-config.cmake" INSTALL_DESTINATION "${package_dir}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
configure_file("${CMAKE_CURRENT_LIST_DIR}/tilewise-config-version.cmake.in"
    "${PROJECT_BINARY_DIR}/tilewise-config-version.cmake" @ONLY)
install(FILES
    "${CMAKE_CURRENT_LIST_DIR}/cuda_standard.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/mpi.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/nccl.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/threads.cmake"
    "${PROJECT_BINARY_DIR}/tilewise-config.cmake"
    "${PROJECT_BINARY_DIR}/tilewise-config-version.cmake"
    DESTINATION "${package_dir}" ${rule})

# pkg-config
configure_file("${CMAKE_CURRENT_LIST_DIR}/tilewise.pc.in" "${PROJECT_BINARY_DIR}/tilewise.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilewise.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig" ${rule})

# Removing it again
if(PROJECT_IS_TOP_LEVEL)
    configure_file("${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake.in" "${PROJECT_BINARY_DIR}/uninstall.cmake" @ONLY)
    add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" -P "${PROJECT_BINARY_DIR}/uninstall.cmake" VERBATIM)
endif()
