# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the Debian packages, unpacks them, and builds and runs a program that finds what was unpacked.
# Needs BUILD_DIR (of tilewise), WORK_DIR, CXX, CPACK and VERSION, which other files repeat.
cmake_path(SET sources NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
file(READ "${sources}/packaging/vcpkg/tilewise/vcpkg.json" port)
string(JSON port_version GET "${port}" version)
file(STRINGS "${sources}/CITATION.cff" citation REGEX "^version: ")
if(NOT port_version STREQUAL VERSION OR NOT citation STREQUAL "version: ${VERSION}")
    message(FATAL_ERROR "vcpkg.json has version ${port_version}, CITATION.cff `${citation}`, the headers ${VERSION}")
endif()

find_program(DPKG_DEB dpkg-deb)
if(NOT DPKG_DEB)
    message(STATUS "skipped, there is no dpkg-deb")
    return()
endif()

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "failed with ${status}: ${ARGV}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_field package field value)
    run("${DPKG_DEB}" --field "${package}" "${field}")
    string(STRIP "${output}" output)
    if(NOT output STREQUAL value)
        message(FATAL_ERROR "${package}: ${field} is `${output}`, not `${value}`")
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run("${CPACK}" --config "${BUILD_DIR}/CPackConfig.cmake" -G DEB -B "${WORK_DIR}/packages")

set(package "${WORK_DIR}/packages/tilewise-dev_${VERSION}_all.deb")
if(NOT EXISTS "${package}")
    message(FATAL_ERROR "there is no ${package}")
endif()
expect_field("${package}" Package tilewise-dev)
expect_field("${package}" Version "${VERSION}")
expect_field("${package}" Depends libtbb-dev)
run("${DPKG_DEB}" --extract "${package}" "${WORK_DIR}/root")

# It has all that an installation has, and nothing else.
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --component tilewise --prefix "${WORK_DIR}/installed")
file(GLOB_RECURSE unpacked RELATIVE "${WORK_DIR}/root/usr" "${WORK_DIR}/root/*")
file(GLOB_RECURSE installed RELATIVE "${WORK_DIR}/installed" "${WORK_DIR}/installed/*")
if(NOT unpacked STREQUAL installed)
    message(FATAL_ERROR "the package has\n${unpacked}\nand an installation\n${installed}")
endif()

run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/consumer" -G Ninja "-DCMAKE_CXX_COMPILER=${CXX}"
    "-DCMAKE_PREFIX_PATH=${WORK_DIR}/root/usr")
file(STRINGS "${WORK_DIR}/consumer/CMakeCache.txt" found REGEX "^tilewise_DIR:.*=${WORK_DIR}/root/usr/")
if(NOT found)
    message(FATAL_ERROR "the program found another copy of tilewise")
endif()
run(${CMAKE_COMMAND} --build "${WORK_DIR}/consumer" --target consumer)
run("${WORK_DIR}/consumer/consumer")
message(STATUS "built and ran a program with ${package}")
