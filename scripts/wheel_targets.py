"""The platforms that wheels are built for: what the compiler calls them, and what pip does.

`PARETONYM_WHEEL=musl-arm64` makes hatch_build.py build for that platform instead of this one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

SWITCH = "PARETONYM_WHEEL"


@dataclass(frozen=True)
class Target:
    """A platform: `triple` for the compiler in `ziglang`, `tags` for the wheel, the library's name there."""

    triple: str
    tags: str
    library: str

    @property
    def flags(self) -> tuple[str, ...]:
        """Nothing that only some processors have, no symbols for debuggers, and no name of a folder."""
        named = (f"-Wl,-install_name,@rpath/{self.library}",) if "macos" in self.triple else ()
        return ("-target", self.triple, "-mcpu=baseline", "-g0", "-s", *named)


TARGETS: dict[str, Target] = {
    "gnu-x86_64": Target(
        "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", "_kernels.so"
    ),
    "gnu-arm64": Target(
        "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", "_kernels.so"
    ),
    "musl-x86_64": Target("x86_64-linux-musl", "musllinux_1_1_x86_64", "_kernels.so"),
    "musl-arm64": Target("aarch64-linux-musl", "musllinux_1_1_aarch64", "_kernels.so"),
    "macos-x86_64": Target("x86_64-macos.11.0-none", "macosx_11_0_x86_64", "_kernels.dylib"),
    "macos-arm64": Target("aarch64-macos.11.0-none", "macosx_11_0_arm64", "_kernels.dylib"),
    "windows-x86_64": Target("x86_64-windows-gnu", "win_amd64", "_kernels.dll"),
    "windows-arm64": Target("aarch64-windows-gnu", "win_arm64", "_kernels.dll"),
}


def wanted() -> Target | None:
    """The platform that the environment names; None for this one."""
    name = os.environ.get(SWITCH)
    if name is None:
        return None
    if name not in TARGETS:
        raise SystemExit(f"{SWITCH}={name}: known are {', '.join(TARGETS)}")
    return TARGETS[name]
