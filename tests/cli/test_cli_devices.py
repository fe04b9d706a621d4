"""Errors of `device="cuda"` if a part is missing, and the plug-in in --help and --version."""

from __future__ import annotations

import re

import pytest
from cli_program import BUILD, ROOT, Kauri

FAKE_PLUGIN = BUILD / "fake_plugin" / "libkauri_cuda.so"
EMPTY = "."

# KAURI_PLUGIN_PATH, kind of the fake plug-in, device, fragments of the message
PROBLEMS = {
    "missing": (EMPTY, "", "cuda", ["the CUDA plug-in is missing", "KAURI_PLUGIN_PATH"]),
    "broken": ("broken.so", "", "cuda", ["'broken.so' cannot be loaded", "Install it again."]),
    "no plug-in": (str(BUILD / "lib" / "libkauri.so"), "", "cuda", ["is no plug-in of Kauri", "KauriPluginEntry"]),
    "version": (str(FAKE_PLUGIN), "other version", "cuda", ["is of version 99.1.2", "this library of"]),
    "no device": (str(FAKE_PLUGIN), "no device", "cuda", ["the fake driver sees no device. Invent one."]),
    "ordinal": (str(FAKE_PLUGIN), "one device", "cuda:7", ["device=cuda:7: there is no such device", "cuda:0"]),
    "several": (str(FAKE_PLUGIN), "two devices", "cuda:0,1,2", ["device=cuda:2: there is no such device", "cuda:1"]),
}


def with_plugin(kauri: Kauri, path: str, kind: str = "") -> Kauri:
    kauri.environment |= {"KAURI_PLUGIN_PATH": path, "FAKE_PLUGIN": kind}
    return kauri


@pytest.mark.parametrize(("path", "kind", "device", "fragments"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_training_says_why_and_what_helps(
    kauri: Kauri, path: str, kind: str, device: str, fragments: list[str]
) -> None:
    kauri.write("broken.so", "no shared object")
    done = with_plugin(kauri, path, kind).run(
        f"data={kauri.train_uri}", f"device={device}", "tree_method=exact", "model_out=m.json", status=1
    )
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert done.err.count("device=cpu") == 1
    for fragment in fragments:
        assert fragment in done.err
    assert not (kauri.folder / "m.json").exists()


def test_too_little_memory(kauri: Kauri) -> None:
    arguments = [f"data={kauri.train_uri}", "device=cuda", "tree_method=exact", "model_out=m.json"]
    done = with_plugin(kauri, str(FAKE_PLUGIN), "little memory").run(*arguments, status=1)
    assert done.err == "error: cuda:0 has too little memory for a test: 2 bytes are needed, 1 is free.\n"


def test_prediction_says_it_too(kauri: Kauri) -> None:
    kauri.train()
    arguments = ["task=pred", "model_in=model.json", f"test:data={kauri.test_uri}", "device=cuda"]
    done = with_plugin(kauri, EMPTY).run(*arguments, status=1)
    assert "the CUDA plug-in is missing" in done.err


@pytest.mark.parametrize("device", ["cuda:0,1", "gpu:all"])
def test_several_devices_predict(kauri: Kauri, device: str) -> None:
    kauri.train()
    arguments = ["task=pred", "model_in=model.json", f"test:data={kauri.test_uri}"]
    kauri.run(*arguments, "name_pred=cpu.txt")
    with_plugin(kauri, str(FAKE_PLUGIN), "two devices").run(*arguments, f"device={device}", "name_pred=several.txt")
    assert (kauri.folder / "several.txt").read_text() == (kauri.folder / "cpu.txt").read_text()


def test_help_and_version_name_the_devices(kauri: Kauri) -> None:
    program = with_plugin(kauri, str(FAKE_PLUGIN), "two devices")
    shown = program.run("help", "all").out
    assert shown.endswith(f"\nCUDA plug-in\n  {FAKE_PLUGIN}\n      cuda:0 Fake A\n      cuda:1 Fake B\n")
    assert "\n  gpu_exact\n" in shown
    assert program.run("--version").out.endswith("CUDA: cuda:0 Fake A\n      cuda:1 Fake B\n")


def test_help_and_version_say_why_there_is_none(kauri: Kauri) -> None:
    program = with_plugin(kauri, EMPTY)
    shown = program.run("help", "all").out
    section = " ".join(shown[shown.index("\nCUDA plug-in\n") :].split())
    assert section.startswith("CUDA plug-in the CUDA plug-in is missing: no file './libkauri_cuda.so'.")
    assert "\n  gpu_exact\n" not in shown
    assert "CUDA: the CUDA plug-in is missing" in program.run("--version").out
    program = with_plugin(kauri, str(FAKE_PLUGIN), "no device")
    section = f"\nCUDA plug-in\n  {FAKE_PLUGIN}\n      the fake driver sees no device. Invent one.\n"
    assert section in program.run("help", "all").out


def test_one_configuration_runs_with_and_without_the_plugin(kauri: Kauri) -> None:
    config = f"data = {kauri.train_uri}\nobjective = binary:logistic\ntree_method = exact\nnum_round = 2\n"
    kauri.write("plain.conf", config)
    kauri.write("device.conf", config + "interleaved_levels = 2\nshap_bin_packing = nf\n")
    with_plugin(kauri, EMPTY)
    kauri.run("plain.conf", "model_out=plain.ubj")
    done = kauri.run("device.conf", "model_out=device.ubj")
    assert (kauri.folder / "device.ubj").read_bytes() == (kauri.folder / "plain.ubj").read_bytes()
    for name in ("interleaved_levels", "shap_bin_packing"):
        assert f"parameter '{name}' has no effect: " in done.err
    assert "the CUDA plug-in is missing" in done.err
    refused = kauri.run("plain.conf", "interleaved_level=2", status=1)
    assert "unknown parameter 'interleaved_level'" in refused.err
    assert "interleaved_levels" in refused.err


def test_the_library_knows_all_parameters_of_the_plugin() -> None:
    sources = [path for kind in ("*.h", "*.cc", "*.cu") for path in (ROOT / "plugin" / "cuda").rglob(kind)]
    declared = {name for path in sources for name in re.findall(r"DMLC_DECLARE_FIELD\((\w+)\)", path.read_text())}
    check = (ROOT / "src" / "booster" / "config" / "parameter_check.cc").read_text()
    table = check.partition("OfCudaPlugin()")[2].partition("};")[0]
    assert declared == set(re.findall(r'\{"(\w+)", "', table))
