"""The wheel: built, installed and used in a new environment, without network access."""

import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from support import LLAMA, ROOT

WITHOUT_NUMPY = f"""
import opledger as ol, sys
run = ol.Run(*{LLAMA}, tp=2, fsdp=8)
print(ol.__file__, run.mfu, run.explain("mfu").tree.value == run.mfu, "9.27" in ol.Run(*{LLAMA})._repr_html_())
found = ol.search("standard", "llama-3-8b", "h100-80g-sxm", processors=8, batch_size=64)
print(found.run(0).tokens_per_second > 0, len(run.explore().html) > 100000)
try:
    ol.Run("lama-3-8b")
except ol.DocumentError as error:
    print(error)
try:
    run.table("stages")
except ImportError as error:
    print("no", error.name)
"""

WITH_PANDAS = f"""
import opledger as ol
run = ol.Run(*{LLAMA})
print(len(run.table("operators")) > 10, ol.evaluate({{"seq": [4096, 8192]}}, model=run.model, execution=run.execution, system=run.system)["mfu"][1] == run.mfu)
"""


def ran(*words, cwd=None, **more):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "OPLEDGER_PATH")}
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env={**environment, **more}, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Returns the folder with the environment created by the commands of docs/python.md."""
    folder = tmp_path_factory.mktemp("home")
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), re.MULTILINE | re.DOTALL)
    for old in (ROOT / "build/wheels").glob("*.whl"):
        old.unlink()
    ran("bash", "-ec", commands.replace("python3 ", sys.executable + " "), cwd=ROOT, HOME=str(folder), OPLEDGER_BUILD=os.environ["OPLEDGER_BUILD"])
    return folder


@pytest.fixture(scope="module")
def wheel(home):
    (made,) = (ROOT / "build/wheels").glob("opledger-*.whl")
    return made


def test_contents_of_the_wheel(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("opledger/__init__.py", "opledger/py.typed", "opledger/LICENSE", "opledger/_core.pyi", "opledger/documents/models/llama-3-8b.yaml", "opledger/documents/rules/megatron.yaml", "opledger/documents/measured/accuracy.yaml", "opledger/documents/documents.image"):
        assert name in names
    assert sum(name.startswith("opledger/_core.cpython-") for name in names) == 1 and not [n for n in names if "__pycache__" in n or n.startswith("build")]
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{tag}-{tag}-" in wheel.name and "linux" in wheel.name


@pytest.mark.skipif(shutil.which("patchelf") is None, reason="patchelf is not installed: a wheel has no libraries")
def test_a_wheel_has_its_libraries_and_names_its_c_library(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (module,) = (tmp_path / "opledger").glob("_core*.so")
    folders = dict(re.findall(r"(\S+) => (/\S+)/", ran("ldd", module)))
    assert str(tmp_path / "opledger/libs") in folders.values()
    for name, folder in folders.items():
        assert folder == str(tmp_path / "opledger/libs") or re.match(r"lib(c|m|stdc\+\+|gcc_s|dl|rt|pthread)\.so", name), f"{name} is of the system"
    assert "https://snapshot.debian.org/package/onetbb/" in (tmp_path / "opledger/libs/SOURCES").read_text()
    assert (tmp_path / "opledger/libs/LICENSES/libtbb12").exists()

    needed = {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", ran("readelf", "-V", module, *(tmp_path / "opledger/libs").glob("*.so*")))}
    (tag,) = re.findall(r"-manylinux_(\d+)_(\d+)_", wheel.name)
    assert max(needed) == (int(tag[0]), int(tag[1])) <= tuple(int(part) for part in platform.libc_ver()[1].split("."))


def test_another_python_is_told_which_one_a_wheel_is_for(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (module,) = (tmp_path / "opledger").glob("_core*.so")
    module.rename(module.with_name("_core.cpython-299-x86_64-linux-gnu.so"))
    done = subprocess.run([sys.executable, "-c", "import opledger"], cwd=tmp_path, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 1
    assert "ImportError: the compiled part of opledger is for cpython-299-x86_64-linux-gnu, and this is cpython-3" in done.stderr


def used(python, code, home):
    said = ran(python, "-c", code, HOME=str(home), PYTHONDONTWRITEBYTECODE="1")
    assert "False" not in said, said
    return said


def test_it_works_with_pandas(home):
    used(home / "opledger/bin/python", WITH_PANDAS, home)


def test_it_works_alone(wheel, tmp_path):
    python = tmp_path / "venv/bin/python"
    ran(sys.executable, "-m", "venv", tmp_path / "venv")
    ran(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    said = used(python, WITHOUT_NUMPY, tmp_path)
    package = tmp_path / "venv/lib" / f"python3.{sys.version_info[1]}" / "site-packages/opledger"
    assert str(package) in said and f"`{package}/documents`" in said and "did you mean `llama-3-8b`" in said
    assert "no pandas" in said or "no numpy" in said
