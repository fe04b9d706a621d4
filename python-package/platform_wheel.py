"""Common parts of the builds of kauriboost and kauriboost-cuda: wheels with machine code and no Python extension."""

from __future__ import annotations

from setuptools import Distribution
from setuptools.command.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """One wheel per platform for every Python 3: the library does not link against Python."""

    def finalize_options(self) -> None:
        """Mark the wheel as not pure."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag of the wheel."""
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    """Tells setuptools that there are machine code and modules to build, even if there are no Python ones."""

    def has_ext_modules(self) -> bool:
        """Return True."""
        return True

    def has_pure_modules(self) -> bool:
        """Return True."""
        return True
