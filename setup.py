"""The compiled part of the package, pipeline/native; all else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

FOLDER = Path("pipeline", "native")

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
            py_limited_api=True,  # one build serves Python 3.11 and all later ones
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
