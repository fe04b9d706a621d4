"""Runs auditwheel for the tag of another system than this one.

    python cmake/repair_wheel.py TAG ARGUMENT...

auditwheel's command takes the tags of the machine that it runs on only; its checks know all systems. TAG is such as
musllinux_1_2_aarch64, and the arguments are those of `auditwheel repair`.
"""

from __future__ import annotations

import sys

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.main import main

tag = sys.argv[1]
architecture = next(one for one in Architecture if tag.endswith(f"_{one.value}"))
libc = next(one for one in Libc if tag.startswith(one.tag_prefix))
Architecture.detect = staticmethod(lambda **_: architecture)  # type: ignore[method-assign]
Libc.detect = staticmethod(lambda: libc)  # type: ignore[method-assign]
sys.argv[:] = ["auditwheel", "repair", "--plat", tag, *sys.argv[2:]]
sys.exit(main())
