"""Builds the wheel: CMake compiles the extension module, and the library of documents is packaged with it.

OPLEDGER_BUILD names the build folder; the default is build/wheel. An already configured folder is used unchanged.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = Path(os.environ.get("OPLEDGER_BUILD") or ROOT / "build" / "wheel").resolve()
SCRATCH = BUILD / "setuptools"


def cmake(*words: str) -> None:
    subprocess.run(["cmake", *words], check=True)


def configure() -> None:
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0", "-DOPLEDGER_TESTS=OFF", "-DOPLEDGER_BENCHMARKS=OFF", "-DOPLEDGER_MPI=OFF"]
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    cmake("-S", str(ROOT), "-B", str(BUILD), *ninja, f"-DOPLEDGER_PYTHON3={sys.executable}", *options)


class CMakeBuild(build_ext):
    """A build step for everything outside Python."""

    def run(self) -> None:
        if not (BUILD / "CMakeCache.txt").exists():
            configure()
        cmake("--build", str(BUILD), "--target", "opledger_python", "--parallel", str(os.cpu_count() or 1))
        package = Path(self.build_lib) / "opledger"
        package.mkdir(parents=True, exist_ok=True)
        for module in (BUILD / "python" / "opledger").glob("_core*.so"):
            shutil.copy2(module, package)
        shutil.copy2(ROOT / "LICENSE", package)
        shutil.rmtree(package / "documents", ignore_errors=True)
        cmake("--install", str(BUILD), "--component", "documents", "--prefix", str(package.resolve()), "--strip")


SCRATCH.mkdir(parents=True, exist_ok=True)
os.chdir(HERE)
setup(
    version=re.search(r"project\(opledger VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1],
    ext_modules=[Extension("opledger._core", [])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)
