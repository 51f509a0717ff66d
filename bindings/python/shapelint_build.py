"""Builds the wheel and the source distribution (PEP 517), with nothing beyond Python's own library.

A wheel holds the program, the module and the package that wraps it. It is built by CMake, 3.25 or newer, and Ninja, from
the libraries that vcpkg.json lists and pybind11 (Debian: scripts/install-deps --pack). A source distribution carries their
sources (scripts/third-party), except SQLite, which is linked where the system has it. Linked with what
scripts/static-libs made, it needs glibc alone and its tag says from which version on; else it needs this machine's
libraries, and the tag says `linux`. SHAPELINT_BUILT names a folder in which all of that was built before.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "bindings/python/shapelint"
# What a source distribution carries, and where scripts/third-party lays it out for one.
THIRD_PARTY, LAID_OUT = ROOT / "third-party", ROOT / "build/third-party"
SOURCE_FOLDERS = ["bindings", "cmake", "contracts", "docs/schema", "examples", "formats", "gpus", "include", "man", "rules", "scripts", "skills", "src", "traces", "web"]
SOURCE_FILES = ["bench/measure.py", "CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "vcpkg.json"]

CMAKE_NEEDED = (3, 25)  # as CMakeLists.txt says

# Pages of the documentation site that are called otherwise than their documents; scripts/site checks them.
PAGES = {"docs/README.md": "documents/", "CHANGELOG.md": "changelog/", "CONTRIBUTING.md": "contributing/", "SECURITY.md": "vulnerabilities/"}


def version() -> str:
    found = re.search(r"^project\(shapelint VERSION ([0-9.]+) ", (ROOT / "CMakeLists.txt").read_text(), re.M)
    if found is None:
        raise RuntimeError("CMakeLists.txt has no version")
    return found.group(1)


def home() -> str:
    """The address of the documentation site."""
    found = re.search(r'^set\(home "(.*)"\)$', (ROOT / "CMakeLists.txt").read_text(), re.M)
    if found is None:
        raise RuntimeError("CMakeLists.txt has no address of the site")
    return os.environ.get("SHAPELINT_HOME") or found.group(1)


def with_addresses(text: str) -> str:
    """Markdown with pages of the site where it links to files: neither an index of packages nor a release's page has them."""

    def address(link: re.Match[str]) -> str:
        path, mark, fragment = link.group(1).partition("#")
        page = f"sources/{path}/"
        if path in PAGES:
            page = PAGES[path]
        elif path.startswith("docs/"):
            page = re.sub(r"(/README)?\.md$", "/", re.sub("^reference/rules/", "rules/", path[5:]))
        return f"]({home()}{page}{mark}{fragment})"

    return re.sub(r"\]\((?![a-z]+:)([^)\s]+)\)", address, text)


def description() -> str:
    return with_addresses((ROOT / "README.md").read_text(encoding="utf-8"))


def metadata() -> str:
    project = (ROOT / "pyproject.toml").read_text()

    def value(key: str) -> str:
        found = re.search(rf'^{key} = "(.*)"$', project, re.M)
        if found is None:
            raise RuntimeError(f"pyproject.toml has no {key}")
        return found.group(1)

    return (
        "Metadata-Version: 2.1\n"
        f"Name: {value('name')}\nVersion: {version()}\nSummary: {value('description')}\n"
        f"Requires-Python: {value('requires-python')}\nLicense: Apache-2.0\nLicense-File: LICENSE\n"
        f"Project-URL: Documentation, {home()}\n"
        "Classifier: Programming Language :: C++\nClassifier: Programming Language :: Python :: 3\n"
        "Classifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n" + description()
    )


def moment() -> int:
    """The time that everything in an archive has: that of the commit, or the one of a reproducible build."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True) if (ROOT / ".git").exists() else None
    return int(done.stdout) if done and done.returncode == 0 and done.stdout.strip() else 315532800  # a zip begins in 1980


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != 0:
        sys.stderr.write("\n".join(done.stdout.splitlines()[-60:]) + "\n")
        raise SystemExit(f"shapelint_build: failed: {' '.join(command)}")


def cmake_version() -> tuple[int, ...]:
    """That of the system's CMake; empty without one."""
    if not shutil.which("cmake"):
        return ()
    said = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()


def interpreter() -> str:
    """The Python that this one's virtual environment is of: a build that remembers the environment breaks when it is gone."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def build() -> pathlib.Path:
    """The folder of a build with the program and the module, made if need be."""
    if os.environ.get("SHAPELINT_BUILT"):
        return pathlib.Path(os.environ["SHAPELINT_BUILT"]).resolve()
    folder = ROOT / "build/wheel"
    options = [f"-DPython3_EXECUTABLE={interpreter()}", "-DSHAPELINT_PYTHON_MODULE=ON", "-DSHAPELINT_TESTS=OFF", "-DSHAPELINT_ONNX=OFF"]
    libraries = ROOT / "build/static-libs" / platform.machine()
    if THIRD_PARTY.is_dir():
        options += [
            f"-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={ROOT / 'cmake/bundled-libraries.cmake'}",
            f"-DSHAPELINT_SOURCES={THIRD_PARTY / 'sources'}",
            f"-DSHAPELINT_SYSTEM_HEADERS={THIRD_PARTY / 'headers'}",
        ]
    if (libraries / "stamp").is_file():
        options.append(f"-DSHAPELINT_STATIC_LIBS={libraries}")
    run("cmake", "--preset", "release", "-B", str(folder), *options)
    run("cmake", "--build", str(folder), "--target", "shapelint-static" if options[-1].startswith("-DSHAPELINT_STATIC") else "shapelint", "shapelint-python")
    return folder


def files_of(folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The program and the module of a build, whose architecture may be another than this machine's."""
    programs = [folder / "static/bin/shapelint", folder / "shapelint", folder / "shapelint.exe", folder / "Release/shapelint.exe"]
    modules = sorted((folder / "python").glob(f"_shapelint.{sys.implementation.cache_tag}-*.so"))
    modules += sorted((folder / "python").glob("_shapelint.*.pyd")) + sorted((folder / "python/Release").glob("_shapelint.*.pyd"))
    program = next((each for each in programs if each.is_file()), None)
    if program is None or not modules:
        raise SystemExit(f"shapelint_build: the program and the module for {sys.implementation.cache_tag} are not both in {folder}")
    return program, modules[0]


def machine_of(path: pathlib.Path) -> str:
    """What Linux calls the architecture of a file of ELF (e_machine of its header)."""
    machine = int.from_bytes(path.read_bytes()[18:20], "little")
    return {62: "x86_64", 183: "aarch64"}.get(machine, platform.machine())


def needs(path: pathlib.Path) -> tuple[set[str], str]:
    """The shared libraries that a file of ELF needs, and the newest version of glibc that it asks for."""
    text = subprocess.run(["readelf", "-dVW", str(path)], capture_output=True, text=True, check=True).stdout
    libraries = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    versions = [tuple(map(int, each.split("."))) for each in re.findall(r"\bGLIBC_([0-9.]+)", text)]
    return libraries, ".".join(map(str, max(versions))) if versions else "2.17"


def tag(program: pathlib.Path, module: pathlib.Path) -> str:
    """For this Python alone, as the module is; of the platform what both files really need."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if not sys.platform.startswith("linux"):
        return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    newest = (0, 0)
    alone = True
    for each in (program, module):
        libraries, glibc = needs(each)
        alone = alone and all(re.match(r"(libc|libm|libdl|libpthread|librt)\.so\.|ld-linux", name) for name in libraries)
        newest = max(newest, tuple(map(int, glibc.split(".")[:2])))  # type: ignore[assignment]
    machine = machine_of(module)
    return f"{python}-{python}-" + (f"manylinux_{newest[0]}_{newest[1]}_{machine}" if alone else f"linux_{machine}")


class Wheel:
    """A zip with a list of what is in it; the same bytes from the same files."""

    def __init__(self, path: pathlib.Path, info: str):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.info = info
        self.record: list[str] = []

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        entry = zipfile.ZipInfo(name, time.gmtime(max(moment(), 315532800))[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        entry.create_system = 3
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self) -> None:
        name = f"{self.info}/RECORD"
        self.add(name, ("".join(self.record) + f"{name},,\n").encode())
        self.zip.close()


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    folder = build()
    program, module = files_of(folder)
    label = tag(program, module)
    name = f"shapelint-{version()}-{label}.whl"
    info = f"shapelint-{version()}.dist-info"
    wheel = Wheel(pathlib.Path(wheel_directory) / name, info)
    for path in sorted(PACKAGE.iterdir()):
        if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
            wheel.add(f"shapelint/{path.name}", path.read_bytes())
    wheel.add(f"shapelint/{module.name}", module.read_bytes(), executable=True)
    wheel.add(f"shapelint-{version()}.data/scripts/{program.name}", program.read_bytes(), executable=True)
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    if "manylinux" in label:  # what is linked in has licences of its own
        sources = ROOT / "build/static-libs" / machine_of(program) / "prefix/share/sources"
    else:
        sources = THIRD_PARTY / "licences"
    for notice in sorted(sources.glob("*.copyright")):
        wheel.add(f"{info}/licenses/{notice.name}", notice.read_bytes())
    wheel.add(f"{info}/entry_points.txt", b"[pytest11]\nshapelint = shapelint.pytest_plugin\n")
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: shapelint_build\nRoot-Is-Purelib: false\nTag: {label}\n".encode())
    wheel.close()
    return name


def sources(root: pathlib.Path) -> list[pathlib.Path]:
    """The project's files of a source distribution, without what tools leave behind in their folders."""
    found = {root / each for each in SOURCE_FILES}
    for each in SOURCE_FOLDERS:
        inside = [path for path in (root / each).rglob("*") if path.is_file()]
        found |= {path for path in inside if not any(part.startswith((".", "__pycache__", "node_modules")) for part in path.relative_to(root).parts)}
    return sorted(found)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    top = f"shapelint-{version()}"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:

        def add(name: str, data: bytes, mode: int) -> None:
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mtime, entry.mode = len(data), moment(), mode
            archive.addfile(entry, io.BytesIO(data))

        def add_file(name: pathlib.PurePath, path: pathlib.Path) -> None:
            add(name.as_posix(), path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)

        for path in sources(ROOT):
            add_file(path.relative_to(ROOT), path)
        third_party = THIRD_PARTY if THIRD_PARTY.is_dir() else LAID_OUT
        for path in sorted(path for path in third_party.rglob("*") if path.is_file() and path.name != "stamp"):
            add_file(pathlib.PurePath("third-party") / path.relative_to(third_party), path)
        add("PKG-INFO", metadata().encode(), 0o644)
    import gzip

    name = f"{top}.tar.gz"
    with open(pathlib.Path(sdist_directory) / name, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=moment()) as packed:
        packed.write(raw.getvalue())
    return name


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """CMake and Ninja, where the system has none: both are packages of the index, too."""
    if os.environ.get("SHAPELINT_BUILT"):
        return []
    missing = [] if cmake_version() >= CMAKE_NEEDED else ["cmake>=" + ".".join(map(str, CMAKE_NEEDED))]
    return missing + ([] if shutil.which("ninja") else ["ninja"])


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return []
