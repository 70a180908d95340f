"""The compiled part of the package; all else is in pyproject.toml."""

import os
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from html.entities import html5
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

FOLDER = Path("skord", "native")
# One build serves Python 3.11 and all later ones, but for those without a GIL, which have no
# stable ABI.
STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")

REFERENCES = FOLDER / "html" / "character_references.inc"
"""Of HTML's named character references (WHATWG HTML, section 13.5), which Python knows and which
no longer change: each name without its `&`, and the UTF-8 of what it stands for."""


def write_references() -> None:
    """Sorted by bytes; left alone where it says so already, or all would be compiled anew."""
    octets = {name: "".join(f"\\{byte:03o}" for byte in of.encode()) for name, of in html5.items()}
    table = "".join(f'{{"{name}", "{octets[name]}"}},\n' for name in sorted(html5, key=str.encode))
    if not REFERENCES.exists() or REFERENCES.read_text() != table:
        REFERENCES.write_text(table)


class BuildOnAllCores(build_ext):
    """Compiles a file on each core, and only those that are older than what they are made of."""

    def build_extension(self, ext: Extension) -> None:
        """Hands on what it compiled, which is linked where any of it is new."""
        made_of = [*ext.depends, __file__]
        sources, ext.sources = ext.sources, []
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            ext.extra_objects = [*pool.map(lambda of: self._object(ext, of, made_of), sources)]
        ext.depends = ext.extra_objects
        super().build_extension(ext)

    def _object(self, ext: Extension, source: str, made_of: list[str]) -> str:
        (path,) = self.compiler.object_filenames([source], output_dir=self.build_temp)
        if self.force or newer_group([source, *made_of], path):
            self.compiler.compile(
                [source],
                output_dir=self.build_temp,
                macros=ext.define_macros,
                include_dirs=ext.include_dirs,
                extra_postargs=ext.extra_compile_args,
            )
        return path


OPTIONS = ["-std=c++17", "-O3", "-g0", "-Wno-uninitialized", "-Wno-maybe-uninitialized"]
# A product and the sum that it goes into are rounded once by every vector width: newer versions of
# GCC, or older ones for some processors, would leave them apart in vectors of 256 bits only.
OPTIONS += ["-ffp-contract=fast", "--param=avoid-fma-max-bits=0"]
# Only the module's start is called from outside: other calls need no detour through a table.
OPTIONS += ["-fvisibility=hidden", "-fno-semantic-interposition"]

write_references()
setup(
    cmdclass={"build_ext": BuildOnAllCores},
    ext_modules=[
        Extension(
            "skord.native._native",
            sources=sorted(map(str, FOLDER.rglob("*.cpp"))),
            depends=sorted(map(str, [*FOLDER.rglob("*.hpp"), *FOLDER.rglob("*.inc")])),
            include_dirs=[str(FOLDER)],
            language="c++",
            extra_compile_args=OPTIONS,
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE_ABI else [],
            py_limited_api=STABLE_ABI,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
)
