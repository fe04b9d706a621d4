"""Runs auditwheel for the tag of another system than this one.

    python cmake/repair_wheel.py TAG WHEEL ARGUMENT...

auditwheel's command takes the tags of the machine that it runs on only; its checks know all systems. TAG is such as
musllinux_1_2_aarch64, and the arguments are those of `auditwheel repair`. auditwheel leaves out files of another
processor or C library with a warning and then gives the wheel its tag, so such files are an error here.
"""

from __future__ import annotations

import sys
import zipfile

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.main import main
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

MACHINES = {Architecture.x86_64: "EM_X86_64", Architecture.aarch64: "EM_AARCH64"}


def foreign_files(wheel: str, machine: str, c_library: str) -> list[str]:
    """Return a line for each binary of the wheel that is for another processor or does not need this C library."""
    lines = []
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                if file.read(4) != b"\x7fELF":
                    continue
                elf = ELFFile(file)
                dynamic = [part for part in elf.iter_sections() if isinstance(part, DynamicSection)]
                needed = [tag.needed for part in dynamic for tag in part.iter_tags("DT_NEEDED")]
                if elf["e_machine"] != machine or c_library not in needed:
                    lines.append(f"{name} is for {elf['e_machine']} and needs {', '.join(needed) or 'no library'}")
    return lines


tag, wheel = sys.argv[1:3]
architecture = next(one for one in Architecture if tag.endswith(f"_{one.value}"))
libc = next(one for one in Libc if tag.startswith(one.tag_prefix))
c_library = f"libc.musl-{architecture.value}.so.1" if libc is Libc.MUSL else "libc.so.6"
found = foreign_files(wheel, MACHINES[architecture], c_library)
if found:
    sys.exit("\n".join([f"error: {tag} asks for {MACHINES[architecture]} and {c_library}, but", *found]))
Architecture.detect = staticmethod(lambda **_: architecture)  # type: ignore[method-assign]
Libc.detect = staticmethod(lambda: libc)  # type: ignore[method-assign]
sys.argv[:] = ["auditwheel", "repair", "--plat", tag, wheel, *sys.argv[3:]]
sys.exit(main())
