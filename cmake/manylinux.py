"""Makes the folder of libraries that wheels are linked with, so that they run on systems older than this one.

    python cmake/manylinux.py FOLDER

The compiler and the headers stay those of this machine, but the linker sees the libraries of a system with glibc 2.28
and GCC 8, which is what the tag manylinux_2_28 stands for:

- Zig, from PyPI, knows the symbols of every glibc. It makes the start file of programs and the glibc to link with.
- The older libstdc++.so and libgcc_s.so are this machine's without the symbols that came later. What the library needs
  of the later ones is taken from this machine's libstdc++.a, and so becomes part of the wheel.
- `manylinux.c` has what the headers of a later glibc use behind the programmer's back.

If a function exists in none of them, the link fails with its name. auditwheel checks the outcome.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
GLIBC = "2.28"
# The newest symbols in the libraries of GCC 8, which manylinux_2_28 takes for granted.
NEWEST = {"GLIBCXX": (3, 4, 25), "CXXABI": (1, 3, 11), "GCC": (8,)}
SECTIONS = {"function": ".text", "object": ".data", "tls_object": '.section .tbss, "awT", @nobits'}
FROM_ZIG = (
    *("Scrt1.o", "libc_nonshared.a", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"),
    "libld.so.2",
)
# Since glibc 2.34 these are parts of libc, so nobody names them to the linker.
PARTS = ("libpthread.so.0", "libdl.so.2", "librt.so.1", "libld.so.2")
SYMBOL = re.compile(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+)\s+\(?([A-Z]+)_([\d.]+)\)?\s+(\S+)$")


def run(*command: object) -> str:
    """Run a command and return what it prints, or end with its errors."""
    words = [str(word) for word in command]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"error: '{' '.join(words)}' failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def of_compiler(name: str) -> Path:
    """Return the path of a library of this machine's compiler."""
    return Path(run("g++", f"-print-file-name={name}").strip()).resolve()


def take_glibc(folder: Path) -> None:
    """Let Zig link an empty program for the older glibc, and copy the files that it was linked with."""
    scratch = folder / "scratch"
    scratch.mkdir()
    (scratch / "empty.c").write_text("int main(void) { return 0; }\n")
    os.environ.update(ZIG_GLOBAL_CACHE_DIR=str(scratch / "zig"), ZIG_LOCAL_CACHE_DIR=str(scratch / "zig"))
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"x86_64-linux-gnu.{GLIBC}", "-fno-sanitize=all"]
    linked = run(*command, "-pie", "-fPIE", scratch / "empty.c", "-o", scratch / "empty", "-v").split()
    for name in FROM_ZIG:
        paths = [Path(word) for word in linked if word.endswith(f"/{name}")]
        if not paths:
            raise SystemExit(f"error: Zig linked no {name}, but: {' '.join(linked)}")
        shutil.copy(paths[-1], folder)
    for name in ("libm.so.6", *PARTS[:3]):
        (folder / f"{name.partition('.')[0]}.so").symlink_to(name)
    (folder / "libc.so").write_text(f"GROUP(libc.so.6 libc_nonshared.a libolder.a AS_NEEDED({' '.join(PARTS)}))\n")
    shutil.rmtree(scratch)


def symbols_until(library: Path) -> dict[str, tuple[str, str, int]]:
    """Return for each symbol its newest version that is old enough, its kind, and its size."""
    found: dict[str, tuple[tuple[int, ...], str, str, int]] = {}
    for line in run("objdump", "-T", library).splitlines():
        match = SYMBOL.match(line)
        if match is None or "*UND*" in line or "*ABS*" in line:
            continue
        flags, section, size, family, number, name = match.groups()
        version = tuple(int(part) for part in number.split("."))
        if version > NEWEST.get(family, (0,)) or (name in found and found[name][0] > version):
            continue
        kind = "tls_object" if section == ".tbss" else {"O": "object"}.get(flags[-1], "function")
        found[name] = (version, f"{family}_{number}", kind, int(size, 16))
    return {name: (version, kind, size) for name, (_, version, kind, size) in found.items()}


def write_older(library: Path, target: Path) -> None:
    """Write a library that has the older symbols of another in name alone, for the linker."""
    code: list[str] = []
    versions: dict[str, list[str]] = {}
    for name, (version, kind, size) in symbols_until(library).items():
        code.append(SECTIONS[kind])
        code.append(f'.globl "{name}"\n.type "{name}", @{kind}\n.size "{name}", {size}\n"{name}":\n.skip 8')
        versions.setdefault(version, []).append(name)
    source, script = target.with_suffix(".s"), target.with_suffix(".map")
    source.write_text("\n".join([*code, '.section .note.GNU-stack, "", @progbits', ""]))
    nodes = (f"{version} {{ global: {'; '.join(names)}; }};" for version, names in sorted(versions.items()))
    script.write_text("\n".join(nodes))
    run("gcc", "-shared", "-nostdlib", f"-Wl,--version-script={script},-soname,{target.name}", source, "-o", target)
    source.unlink()
    script.unlink()


def make_older_compiler_libraries(folder: Path) -> None:
    """Write the older libraries of the compiler, and what `-lstdc++` and `-lgcc_s` mean to the linker."""
    for name in ("libstdc++.so.6", "libgcc_s.so.1"):
        write_older(of_compiler(name), folder / name)
    (folder / "libgcc_s.so").write_text("INPUT(libgcc_s.so.1)\n")
    (folder / "libstdc++.so").write_text(f"INPUT(libstdc++.so.6 {of_compiler('libstdc++.a')})\n")


def make_older_parts(folder: Path) -> None:
    """Compile what the newer headers use and the older glibc lacks."""
    run("gcc", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", HERE / "manylinux.c", "-o", folder / "older.o")
    run("ar", "rcs", folder / "libolder.a", folder / "older.o")


def main(folder: Path) -> None:
    """Make the folder, whole or not at all."""
    made = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    take_glibc(made)
    make_older_compiler_libraries(made)
    make_older_parts(made)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
