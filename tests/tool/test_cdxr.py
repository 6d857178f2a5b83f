#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cdxr program as a person meets it: exit codes, one clear message per mistake, and the same picture, bit for bit, for
every thread count and instruction set.

Usage: test_cdxr.py CDXR_PROGRAM errors|picture|formats
"""
import base64
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

CDXR = MODE = None
MODEL = "/usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"
CUBE = """v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""


def run(*arguments, **environment):
    return subprocess.run([CDXR, *arguments], capture_output=True, text=True, timeout=240, check=False,
                          env={**os.environ, **environment})


def png_pixels(path):
    """(width, height, inflated bytes) of a PNG, with every chunk's checksum verified."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    return (*size, zlib.decompress(packed))


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.cube = self.write("cube.obj", CUBE.encode())

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def out(self, name="out.png"):
        return os.path.join(self.folder, name)


class Errors(Folder):
    def refused(self, arguments, *texts, code=None, **environment):
        result = run(*arguments, **environment)
        self.assertGreater(result.returncode, 0, f"{arguments} ended with {result.returncode}: {result.stderr}")
        self.assertLess(result.returncode, 128, f"{arguments} was killed: {result.stderr}")
        if code is not None:
            self.assertEqual(result.returncode, code)
        for text in texts:
            self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_options(self):
        for arguments, texts in (
                ([], ("usage:",)),
                (["paint"], ("'paint' is no command",)),
                (["render"], ("cdxr render",)),
                (["render", self.cube], ("cdxr render",)),
                (["render", self.cube, "-o", self.out(), "--size", "0x5"], ("--size", "'0x5'", "1 to 16384")),
                (["render", self.cube, "-o", self.out(), "--size", "10"], ("--size", "'10'")),
                (["render", self.cube, "-o", self.out(), "--spp", "many"], ("--spp", "'many'")),
                (["render", self.cube, "-o", self.out(), "--threads", "-1"], ("--threads", "'-1'")),
                (["render", self.cube, "-o", self.out(), "--exposure", "nan"], ("--exposure", "'nan'")),
                (["render", self.cube, "-o", self.out(), "--camera", "1,2"], ("--camera", "'1,2'")),
                (["render", self.cube, "-o", self.out(), "--camera", "1,2,3:1,2,3"], ("--camera", "differ")),
                (["render", self.cube, "-o", self.out(), "--what"], ("--what",)),
                (["render", self.cube, self.cube, "-o", self.out()], ("cdxr render",)),
                (["render", self.cube, "-o", self.out("out.bmp")], (".bmp", ".png")),
                (["info", "--what"], ("--what",))):
            with self.subTest(arguments=arguments[:1] + arguments[3:]):
                self.refused(arguments, *texts)
                self.assertFalse(os.path.exists(self.out()))

    def test_models(self):
        engine = open(MODEL, "rb").read()
        for name, data in (("cut.glb", engine[:len(engine) // 2]), ("head.glb", engine[:30]), ("empty.glb", b""),
                           ("noise.glb", bytes(range(256)) * 8), ("empty.obj", b""), ("words.obj", b"hello\n"),
                           ("cut.ply", b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"),
                           ("strange.xyzzy", b"\0" * 100), ("nan.obj", CUBE.replace("-1", "nan").encode())):
            with self.subTest(name=name):
                self.refused(["render", self.write(name, data), "-o", self.out(), "-s", "8x8", "-n", "1"], name, code=1)
                self.assertFalse(os.path.exists(self.out()))
        self.refused(["render", self.out("gone.glb"), "-o", self.out()], "gone.glb", code=1)
        self.refused(["render", self.folder, "-o", self.out()], self.folder, code=1)

    def gltf(self, **changes):
        """A triangle as glTF text."""
        data = struct.pack("<9f3H2x", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 2)
        scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}], "materials": [{}],
                 "buffers": [{"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(),
                              "byteLength": len(data)}],
                 "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
                 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0],
                                "max": [1, 1, 0]},
                               {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"}]}
        return json.dumps({**scene, **changes}).encode()

    def test_nodes_nested_too_deeply(self):
        nodes = [{"children": [i + 1]} for i in range(40000)] + [{"mesh": 0}]
        self.refused(["render", self.write("deep.gltf", self.gltf(nodes=nodes)), "-o", self.out()], "deep.gltf", code=1)

    def test_unreadable_texture_is_named_once(self):
        textured = {"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], "textures": [{"source": 0}],
                    "images": [{"uri": "gone.png"}]}
        path = self.write("textured.gltf", self.gltf(**textured))
        result = run("render", path, "-o", self.out(), "-s", "8x8", "-n", "1", "-q")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("gone.png"), 1, result.stderr)

    def test_output(self):
        for path in (self.out("no/such/folder.png"), "/dev/full/x.png"):
            self.refused(["render", self.cube, "-o", path, "-s", "8x8", "-n", "1"], path, code=1)
        if os.path.exists("/dev/full"):
            full = self.out("full.png")
            os.symlink("/dev/full", full)
            self.refused(["render", self.cube, "-o", full, "-s", "64x64", "-n", "1"], full, code=1)

    def test_bad_environment_is_named_and_ignored(self):
        for name in ("CDXR_ISA", "CDXR_THREADS", "CDXR_WAVE_SIZE", "CDXR_TIMEOUT", "CDXR_LOG", "CDXR_DEBUG"):
            with self.subTest(name=name):
                result = run("render", self.cube, "-o", self.out(), "-s", "8x8", "-n", "1", **{name: "nonsense"})
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(name, result.stderr)
                self.assertIn("nonsense", result.stderr)

    @unittest.skipIf(os.environ.get("CDXR_TEST_SANITIZE"), "a sanitizer's shadow needs the address space")
    def test_memory_runs_out(self):
        """A picture that needs more address space than the process may have: a message, no crash."""
        result = subprocess.run(
            [CDXR, "render", self.cube, "-o", self.out(), "-s", "16384x16384", "-n", "1"], capture_output=True, text=True,
            timeout=240, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30)))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("memory", result.stderr.lower())


class Picture(Folder):
    def test_bit_identical(self):
        """Threads, instruction sets and the on-disk cache change nothing."""
        hashes, tried = {}, []
        known = run("info").stdout
        for isa in ("scalar", "sse42", "avx2", "avx512", "neon"):
            for threads in ("1", "2", "7"):
                out = self.out(f"{isa}{threads}.png")
                result = run("render", MODEL, "-o", out, "-s", "80x45", "-n", "4", "-t", threads, CDXR_ISA=isa,
                             CDXR_CACHE_DIR=self.folder)
                if result.returncode == 0 and "CDXR_ISA" in result.stderr:
                    continue  # this CPU lacks it: the message says so and the best one is used
                self.assertEqual(result.returncode, 0, result.stderr)
                tried.append(isa)
                hashes.setdefault(hashlib.sha256(repr(png_pixels(out)).encode()).hexdigest(), []).append(isa + threads)
        self.assertEqual(len(hashes), 1, hashes)
        self.assertGreaterEqual(len(set(tried)), 2, known)
        width, height, pixels = png_pixels(self.out("scalar1.png"))
        self.assertEqual((width, height), (80, 45))
        self.assertGreater(len(set(pixels)), 60)  # a picture, not one colour

    def test_seed_changes_the_noise(self):
        for seed in ("0", "1"):
            self.assertEqual(run("render", self.cube, "-o", self.out(seed + ".png"), "-s", "32x32", "-n", "1", "--seed",
                                 seed).returncode, 0)
        self.assertNotEqual(png_pixels(self.out("0.png")), png_pixels(self.out("1.png")))


class Formats(Folder):
    def test_outputs(self):
        result = run("render", self.cube, "-o", self.out(), "-s", "33x17", "-n", "2", "--aov")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("\r", result.stderr)  # no bar in a pipe
        for name in ("out.png", "out.albedo.png", "out.normal.png"):
            self.assertEqual(png_pixels(self.out(name))[:2], (33, 17))
        self.assertNotEqual(png_pixels(self.out("out.albedo.png")), png_pixels(self.out("out.normal.png")))
        self.assertEqual(run("render", self.cube, "-o", self.out("x.exr"), "-s", "9x9", "-n", "1").returncode, 0)
        self.assertEqual(open(self.out("x.exr"), "rb").read(4), b"v/1\x01")

    def test_quiet_and_help(self):
        quiet = run("render", self.cube, "-o", self.out(), "-s", "8x8", "-n", "1", "-q")
        self.assertEqual((quiet.returncode, quiet.stderr, quiet.stdout), (0, "", ""))
        loud = run("render", self.cube, "-o", self.out(), "-s", "8x8", "-n", "1")
        self.assertIn("million rays/s", loud.stderr)
        for arguments in (["--help"], ["render", "--help"], ["info", "--help"], ["--version"]):
            with self.subTest(arguments=arguments):
                result = run(*arguments)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("cdxr", result.stdout)

    def test_info(self):
        result = run("info")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = dict(line.split("  ", 1) for line in result.stdout.splitlines())
        for name in ("processor", "rays traced with", "threads", "shader compiler", "raytracing tier", "shader model",
                     "feature level", "root signature"):
            self.assertTrue(rows[name].strip(), name)
        self.assertEqual(run("info", CDXR_ISA="scalar", CDXR_THREADS="3").stdout,
                         result.stdout.replace(*self.row(result, "rays traced with", "scalar"))
                         .replace(*self.row(result, "threads", "3")))

    @staticmethod
    def row(result, name, value):
        line = next(line for line in result.stdout.splitlines() if line.startswith(name + " "))
        return line, f"{name:<23}{value}"


if __name__ == "__main__":
    CDXR, MODE = sys.argv[1:3]
    chosen = {"errors": Errors, "picture": Picture, "formats": Formats}[MODE]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
