"""Plug-ins named in KAURI_PLUGINS: the example trains, and invalid ones are refused."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

from cli_program import BUILD, Kauri

EXAMPLE = BUILD / "example" / "libkauri_example.so"


def logcosh_rounds(kauri: Kauri) -> list[float]:
    """Train with the example's objective; return its metric per round."""
    done = kauri.train("objective=example:logcosh", "num_round=8", f"eval[train]={kauri.train_uri}")
    return [float(line.split("train-mae:")[1]) for line in done.out.splitlines() if "train-mae:" in line]


def test_the_example_trains_predicts_and_is_listed(kauri: Kauri) -> None:
    kauri.environment = {"KAURI_PLUGINS": f":{EXAMPLE}:"}
    errors = logcosh_rounds(kauri)
    assert len(errors) == 8
    assert errors[-1] < 0.5 * errors[0]
    assert all(math.isfinite(value) for value in kauri.predict())
    assert '"name":"example:logcosh"' in (kauri.folder / "model.json").read_text()
    assert "example:logcosh" in kauri.run("help", "all").out


def test_without_the_plug_in_its_objective_is_unknown(kauri: Kauri) -> None:
    done = kauri.run(f"data={kauri.train_uri}", "objective=example:logcosh", "model_out=m.json", status=1)
    assert "Unknown objective function 'example:logcosh'" in done.err


def test_an_absent_library_that_a_plug_in_needs_is_named(kauri: Kauri, tmp_path: Path) -> None:
    compiler = ["cc", "-shared", "-xc", "/dev/null", f"-L{tmp_path}"]
    needed = tmp_path / "libexample.so"
    subprocess.run([*compiler, "-o", needed], check=True)
    subprocess.run([*compiler, "-o", tmp_path / "example.so", "-Wl,--no-as-needed", "-lexample"], check=True)
    needed.unlink()
    kauri.environment = {"KAURI_PLUGINS": "example.so", "LD_LIBRARY_PATH": str(tmp_path)}
    message = kauri.run("help", "all", status=1).err
    assert "'example.so' cannot be loaded: libexample.so: cannot open" in message


def test_what_is_no_plug_in_is_refused(kauri: Kauri, tmp_path: Path) -> None:
    text = tmp_path / "notes.so"
    text.write_text("no object")
    library = BUILD / "lib" / "libkauri.so"
    for path, part in {
        text: f"the plug-in '{text}' cannot be loaded",
        tmp_path / "none.so": "none.so' cannot be loaded",
        library: f"'{library}' is no plug-in of Kauri: it has no function KauriPluginEntry. Correct KAURI_PLUGINS.",
    }.items():
        kauri.environment = {"KAURI_PLUGINS": str(path)}
        done = kauri.run(f"data={kauri.train_uri}", "model_out=m.json", status=1)
        assert part in done.err, done.err


def test_a_name_that_is_taken_is_refused(kauri: Kauri) -> None:
    kauri.environment = {"KAURI_PLUGINS": f"{EXAMPLE}:{EXAMPLE}"}
    done = kauri.run(f"data={kauri.train_uri}", "model_out=m.json", status=1)
    assert "objective function 'example:logcosh' is registered twice" in done.err
