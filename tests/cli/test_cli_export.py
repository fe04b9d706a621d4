"""task=export: the program writes C, SQL and ONNX itself, and becomes Python for WebAssembly, Treelite and tests."""

from __future__ import annotations

import sys

import kauriboost as kb
import pytest
from cli_program import Kauri


@pytest.fixture
def program(trained: Kauri) -> Kauri:
    """Return the program as started by the package's command."""
    return Kauri(trained.folder, environment={"KAURI_PYTHON": sys.executable})


@pytest.mark.parametrize(("file", "target"), [("model.c", ""), ("model.onnx", ""), ("model.sql", "postgresql")])
def test_the_file_is_that_of_the_package(trained: Kauri, file: str, target: str) -> None:
    named = [f"export_target={target}"] if target else []
    done = trained.run("export", "model.json", file, *named)
    language = target or file.partition(".")[2]
    assert done.err == f"model of 5 rounds in {language} written to '{file}'\n"
    kb.Booster(model_file=trained.folder / "model.json").export(trained.folder / "other", language)
    assert (trained.folder / file).read_bytes() == (trained.folder / "other").read_bytes()


def test_contributions_are_those_of_the_package(trained: Kauri) -> None:
    trained.run("export", "model.json", "model.c", "export_contributions=true")
    kb.Booster(model_file=trained.folder / "model.json").export(trained.folder / "other.c", contributions=True)
    assert (trained.folder / "model.c").read_bytes() == (trained.folder / "other.c").read_bytes()
    assert "kauri_contributions" in (trained.folder / "model.c").read_text()
    done = trained.run("export", "model.json", "model.onnx", "export_contributions=true", status=1)
    assert "target=onnx does not compute contributions" in done.err


def test_export_test_says_what_ran(program: Kauri) -> None:
    done = program.run("export", "model.json", "model.sql", "export_target=sqlite", "export_test=true")
    assert done.out.startswith("sqlite 3.")
    assert " 0 of " in done.out
    assert done.err == "export written to 'model.sql'\n"
    done = program.run("export", "model.json", "model.sql", "export_target=postgresql", "export_test=true", status=1)
    assert "target='postgresql' has no test that this machine could run" in done.err


def test_webassembly_comes_with_its_module(program: Kauri) -> None:
    pytest.importorskip("ziglang")
    program.run("export", "model.json", "model.wasm", "export_contributions=true")
    assert (program.folder / "model.wasm").read_bytes().startswith(b"\0asm")
    assert b"contributions" in (program.folder / "model.wasm").read_bytes()
    assert "loadModel" in (program.folder / "model.mjs").read_text()
    alone = Kauri(program.folder, environment={"KAURI_PYTHON": ""})
    assert "KAURI_PYTHON" in alone.run("export", "model.json", "model.wasm", status=1).err


def test_treelite_reads_the_checkpoint(program: Kauri) -> None:
    treelite = pytest.importorskip("treelite")
    done = program.run("export", "model.json", "model.tl", "export_test=true")
    assert done.out.startswith(f"treelite {treelite.__version__}: 0 of ")
    kb.Booster(model_file=program.folder / "model.json").export(program.folder / "other.tl")
    assert (program.folder / "model.tl").read_bytes() == (program.folder / "other.tl").read_bytes()
    alone = Kauri(program.folder, environment={"KAURI_PYTHON": ""})
    said = alone.run("export", "model.json", "tables.json", "export_target=treelite_source").err
    assert said == "model of 5 rounds in treelite_source written to 'tables.json'\n"
    assert "WebAssembly or Treelite" in alone.run("export", "model.json", "model.tl", status=1).err


def test_errors_come_before_the_file(trained: Kauri) -> None:
    assert "fits several targets" in trained.run("export", "model.json", "model.sql", status=1).err
    assert "no export target 'java'" in trained.run("export", "model.json", "m.c", "export_target=java", status=1).err
    assert "model_out=path" in trained.run("export", "model.json", status=1).err
    assert not (trained.folder / "m.c").exists()
