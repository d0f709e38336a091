"""Builds the compiled kernels into every wheel and editable installation (see scripts/build_kernels.py).

`PARETONYM_KERNELS=numpy pip install .` installs without them.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))

import build_kernels

# Its compiler serves where the system has none; the wheels of older versions lack some platforms.
ZIG = "ziglang>=0.13"


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """One library without Python's own interface: a wheel for each platform serves every Python."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What is needed before building: a compiler, only where there is none."""
        return [] if _unwanted() or build_kernels.system_compiler() else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or _unwanted():
            return
        command = build_kernels.compiler()
        target = build_kernels.SOURCES.parent / build_kernels.library_name()
        try:
            if command is None:
                raise FileNotFoundError("there is no C compiler")
            build_kernels.build(command, target)
        except (OSError, build_kernels.subprocess.CalledProcessError) as error:
            self.app.display_warning(f"The kernels are not compiled ({error}); numpy will count instead.")
            return
        build_data["artifacts"].append(str(target.relative_to(self.root)))
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"


def _unwanted() -> bool:
    return os.environ.get("PARETONYM_KERNELS") == "numpy"
