"""`cmake --install`: the files that clients compile and run with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cli_program import BUILD, ROOT

CLIENTS = ROOT / "tests" / "install"


def run(*command: object, **env: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], env={**os.environ, **env}, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def clients(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clients")
    example = ROOT / "plugin" / "example" / "log_cosh.cc"
    run("cmake", "-S", CLIENTS, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DEXAMPLE={example}")
    run("cmake", "--build", folder)
    return folder


def test_clients_in_c_and_cpp_find_the_package(clients: Path) -> None:
    assert run(clients / "client_c") == "Kauri 0.1.0: 1 round\n"
    assert run(clients / "client_cpp") == "Kauri 0.1.0: 0.00 1.00\n"


def test_clients_ask_for_the_version_that_they_were_linked_with(prefix: Path, clients: Path) -> None:
    """Before 1.0 another minor version may be incompatible; the loader then reports it."""
    (links,) = {path.parent for path in prefix.rglob("libkauri.so")}
    assert sorted(path.name for path in links.glob("libkauri.so*") if path.is_symlink()) == [
        "libkauri.so",
        "libkauri.so.0.1",
    ]
    for client in ("client_c", "client_cpp"):
        needed = [line for line in run("readelf", "-d", clients / client).splitlines() if "(NEEDED)" in line]
        assert any("[libkauri.so.0.1]" in line for line in needed)


def test_an_installed_program_takes_a_plug_in_that_was_compiled_with_the_installed_headers(
    prefix: Path, clients: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.libsvm"
    rows.write_text("".join(f"{row % 7} 0:{row}\n" for row in range(50)))
    model = tmp_path / "model.json"
    arguments = [f"data={rows}", f"model_out={model}", "objective=example:logcosh", "num_round=2"]
    run(prefix / "bin" / "kauri", *arguments, KAURI_PLUGINS=str(clients / "libexample.so"))
    assert "example:logcosh" in model.read_text()


def test_pkg_config_says_how_to_compile(prefix: Path, tmp_path: Path) -> None:
    (folder,) = {path.parent for path in prefix.rglob("kauri.pc")}
    flags = run("pkg-config", "--cflags", "--libs", "kauri", PKG_CONFIG_PATH=str(folder)).split()
    program = tmp_path / "client"
    run("cc", CLIENTS / "client.c", *flags, f"-Wl,-rpath,{folder.parent}", "-o", program)
    assert run(program) == "Kauri 0.1.0: 1 round\n"
