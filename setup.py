"""The compiled part of the package, pipeline/native; all else is in pyproject.toml."""

import sysconfig
from pathlib import Path

from setuptools import Extension, setup

FOLDER = Path("pipeline", "native")
# One build serves Python 3.11 and all later ones, but for those without a GIL, which have no
# stable ABI.
STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    ext_modules=[
        Extension(
            "pipeline.native._native",
            sources=sorted(map(str, FOLDER.rglob("*.cpp"))),
            depends=sorted(map(str, [*FOLDER.rglob("*.hpp"), *FOLDER.rglob("*.inc")])),
            include_dirs=[str(FOLDER)],
            language="c++",
            extra_compile_args=[
                "-std=c++17",
                "-O3",
                "-g0",
                "-Wno-uninitialized",
                "-Wno-maybe-uninitialized",
            ],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE_ABI else [],
            py_limited_api=STABLE_ABI,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
)
