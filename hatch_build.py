"""Builds the compiled kernels into every wheel and editable installation (see scripts/build_kernels.py).

Without a C compiler pip fetches the one in `ziglang`; if nothing compiles them, the installation fails.
`PARETONYM_WHEEL` names another platform to build for (see scripts/wheel_targets.py).
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))

import build_kernels
import wheel_targets

# Its compiler serves where the system has none. Pinned: the same compiler gives the same library.
ZIG = (
    "ziglang==0.17.0; platform_machine in 'x86_64 AMD64 aarch64 arm64 ARM64' "
    "and sys_platform in 'linux darwin win32'"
)


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """One library without Python's own interface: a wheel for each platform serves every Python."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What is needed before building: a compiler, only where there is none."""
        ready = self.target_name != "wheel"
        return [] if ready or (wheel_targets.wanted() is None and build_kernels.system_compiler()) else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        target = wheel_targets.wanted()
        name = target.library if target else build_kernels.library_name()
        # Built apart, so that wheels leave the library of a working copy alone.
        self.folder = tempfile.TemporaryDirectory()
        inside = build_kernels.SOURCES.parent / name
        library = inside if version == "editable" else Path(self.folder.name) / name
        build_kernels.build(_command(target), library, target.flags if target else ())
        if version == "editable":
            build_data["artifacts"].append(str(inside.relative_to(self.root)))
        else:
            place = inside.relative_to(Path(self.root) / "src")
            build_data["force_include"][str(library)] = place.as_posix()
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{target.tags if target else _here()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()


def _command(target: wheel_targets.Target | None) -> list[str]:
    command = build_kernels.zig() if target else build_kernels.compiler()
    if command is None:
        raise FileNotFoundError(
            "the package ziglang is missing" if target else "there is no C compiler: install one, or ziglang"
        )
    return command


def _here() -> str:
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
