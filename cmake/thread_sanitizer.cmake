# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Under the thread sanitizer every program of the project that links tilewise gets test/tsan/visible_tbb.cpp.
add_library(tilewise_visible_tbb OBJECT "${PROJECT_SOURCE_DIR}/test/tsan/visible_tbb.cpp")
target_compile_features(tilewise_visible_tbb PRIVATE cxx_std_20)
target_link_libraries(tilewise_visible_tbb PRIVATE TBB::tbb tilewise_warnings)

set(is_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
target_sources(tilewise INTERFACE "$<BUILD_INTERFACE:$<${is_program}:$<TARGET_OBJECTS:tilewise_visible_tbb>>>")
