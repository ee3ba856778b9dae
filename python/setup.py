"""Builds the wheel: CMake compiles the extension module, and the library of documents is packaged with it.

OPLEDGER_BUILD names the build folder; the default is build/wheel. An already configured folder is used unchanged.
Where patchelf is installed, the shared libraries are packaged too, and the tag of the wheel names the oldest version of the GNU C library
that it works with. Otherwise the wheel is for this machine.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

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


# The libraries that a wheel expects of every system with its version of the GNU C library (PEP 600).
EVERYWHERE = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so\.\d+")


def said(*words: object) -> str:
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout


def libraries(module: Path) -> "list[Path]":
    """Returns the shared libraries that the module loads and not every system has."""
    found = map(Path, re.findall(r" => (/\S+)", said("ldd", module)))
    return [library for library in found if not EVERYWHERE.fullmatch(library.name)]


def bundle(module: Path) -> None:
    """Copies the libraries of a module to the folder ``libs`` beside it, under names that no other library in the process has."""
    folder = module.parent / "libs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    needed = libraries(module)

    def rename(file: Path, folder: str) -> None:
        said("patchelf", *(word for library in needed for word in ("--replace-needed", library.name, "opledger-" + library.name)), file)
        said("patchelf", "--set-rpath", folder, file)  # patchelf 0.14 mixes it up with other changes of the same call

    for library in needed:
        copy = folder / ("opledger-" + library.name)
        shutil.copy(library, copy)
        said("patchelf", "--set-soname", copy.name, copy)
        rename(copy, "$ORIGIN")
    rename(module, "$ORIGIN/libs")
    if shutil.which("dpkg-query") and (BUILD / "build.ninja").exists():
        said(ROOT / "scripts" / "record_packages.sh", BUILD, f"python/opledger/{module.name}", folder, *needed)


def oldest_glibc(package: Path) -> "tuple[int, int]":
    """Returns the version of the GNU C library that has all symbols of a package's modules and libraries."""
    versions = re.findall(r"\bGLIBC_(\d+)\.(\d+)", said("readelf", "--version-info", *package.rglob("*.so*")))
    return max((int(major), int(minor)) for major, minor in versions)


class Wheel(bdist_wheel):
    """A wheel whose tag tells the version of Python and of the C library."""

    def get_tag(self) -> "tuple[str, str, str]":
        python, abi, platform = super().get_tag()
        package = Path(self.bdist_dir) / "opledger"
        if (package / "libs").exists():
            platform = platform.replace("linux", "manylinux_{}_{}".format(*oldest_glibc(package)), 1)
        return python, abi, platform


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
            if shutil.which("patchelf"):
                bundle(package / module.name)
        shutil.copy2(ROOT / "LICENSE", package)
        shutil.rmtree(package / "documents", ignore_errors=True)
        cmake("--install", str(BUILD), "--component", "documents", "--prefix", str(package.resolve()), "--strip")


SCRATCH.mkdir(parents=True, exist_ok=True)
os.chdir(HERE)
setup(
    version=re.search(r"project\(opledger VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1],
    ext_modules=[Extension("opledger._core", [])],
    cmdclass={"build_ext": CMakeBuild, "bdist_wheel": Wheel},
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
)
