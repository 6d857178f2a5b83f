#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An installed tree as its users meet it: it may stand anywhere, the program in it finds its library, and programs build
and run by pkg-config, by the names that WSL has, and by find_package.

Usage: test_install.py BUILD_DIRECTORY SOURCE_DIRECTORY
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = SOURCE = None


def run(*command, cwd=None, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd,
                          env={**clean, **environment})


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        first = os.path.join(cls.folder, "first")
        done = run("cmake", "--install", BUILD, "--prefix", first)
        assert done.returncode == 0, done.stderr
        cls.prefix = os.path.join(cls.folder, "moved")
        os.rename(first, cls.prefix)
        pc = next(os.path.join(at, "cdxr.pc") for at, _, files in os.walk(cls.prefix) if "cdxr.pc" in files)
        cls.pkg_config = os.path.dirname(pc)
        cls.lib = os.path.dirname(cls.pkg_config)
        cls.example = os.path.join(cls.folder, "example")
        shutil.copytree(os.path.join(SOURCE, "examples", "hello_triangle"), cls.example)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def flags(self, *arguments):
        found = run("pkg-config", *arguments, PKG_CONFIG_PATH=self.pkg_config)
        self.assertEqual(found.returncode, 0, found.stderr)
        return found.stdout.split()

    def build_and_run(self, name, flags, library_path):
        built = run("cc", "main.c", "-o", name, *flags, cwd=self.example)
        self.assertEqual(built.returncode, 0, built.stderr)
        picture = os.path.join(self.example, "hello_triangle.ppm")
        if os.path.exists(picture):
            os.remove(picture)
        ran = run("./" + name, cwd=self.example, LD_LIBRARY_PATH=library_path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertGreater(os.path.getsize(picture), 512 * 512 * 3)

    def test_program_finds_its_library(self):
        told = run(os.path.join(self.prefix, "bin", "cdxr"), "--version")
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_pkg_config(self):
        self.build_and_run("by_pkg_config", self.flags("--cflags", "--libs", "cdxr"), self.lib)

    def test_wsl_names(self):
        names = os.path.join(self.lib, "cdxr")
        self.build_and_run("by_names", [*self.flags("--cflags", "DirectX-Headers"), "-L" + names, "-ld3d12", "-ldxcore",
                                        *self.flags("--libs", "DirectX-Headers")], names)

    def test_find_package(self):
        with open(os.path.join(self.example, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.20)\nproject(example C)\nfind_package(cdxr 0.1 REQUIRED)\n"
                       "add_executable(example main.c)\ntarget_link_libraries(example PRIVATE cdxr::cdxr)\n")
        made = run("cmake", "-S", ".", "-B", "b", "-DCMAKE_PREFIX_PATH=" + self.prefix, cwd=self.example)
        self.assertEqual(made.returncode, 0, made.stderr)
        built = run("cmake", "--build", "b", cwd=self.example)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        ran = run("b/example", cwd=self.example)
        self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    BUILD, SOURCE = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
