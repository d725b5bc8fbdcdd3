# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conan 2:  conan create packaging/conan --build=missing

The package has the headers and their CMake files; programs use find_package(tilewise CONFIG) as with an installed copy.
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class Tilewise(ConanFile):
    name = "tilewise"
    description = "STL-compatible parallel algorithms for C++20 and CUDA, with one order of combination"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("parallel", "cuda", "reduction", "scan", "histogram", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        macros = load(self, os.path.join(self._root, "include", "tilewise", "core", "config.hpp"))
        self.version = ".".join(re.search(rf"#define TILEWISE_VERSION_{part} (\d+)", macros)[1]
                                for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("onetbb/[>=2021.8 <2023]", transitive_headers=True, transitive_libs=True)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            self.output.warning("tilewise is tested on Linux only")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"TILEWISE_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none") # the package has its own tilewise-config.cmake
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "tilewise")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
