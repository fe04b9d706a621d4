"""The library in WebAssembly (cmake/wasm.sh) trains and predicts with the bytes of this platform, and explains."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from headless import BROWSER, document, served

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
WASM = ROOT / "build-wasm" / "bin"
NODE = shutil.which("node") or shutil.which("nodejs")

pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node.js")

# Runs a module that has main(), with its arguments.
PROGRAM = """
import { WASI } from 'node:wasi';
import { readFileSync } from 'node:fs';
const [path, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [path, ...args] });
const module = new WebAssembly.Module(readFileSync(path));
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
"""

# Trains on the table of the standard input; answers with what the model is and says.
LEARNS = """
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const { load } = await import(pathToFileURL(process.argv[2]));
const { params, rows, labels, names, types, weights, rounds, opened } = JSON.parse(readFileSync(0));
const kauri = await load();
const text = (bytes) => Buffer.from(bytes).toString('base64');
const told = [];
const options = { featureNames: names, featureTypes: types, weights, onRound: (round, metrics) => told.push(metrics) };
const model = kauri.train(params, rows, labels, rounds, options);
const again = kauri.open(Buffer.from(opened, 'base64'));
const answer = { told, model: text(model.save()), opened: text(again.predict(rows, 'margin').values.buffer) };
for (const kind of ['value', 'margin', 'leaf', 'shap', 'interactions']) {
  const { values, shape } = model.predict(rows, kind);
  answer[kind] = { values: text(values.buffer), shape };
}
model.free();
again.free();
console.log(JSON.stringify(answer));
"""

# Loads the module, and keeps the messages of calls that fail.
FAILING = """
import { pathToFileURL } from 'node:url';
const { KauriError, load } = await import(pathToFileURL(process.argv[2]));
const kauri = await load();
const messages = [];
const fails = (call) => {
  try {
    call();
    messages.push('no error');
  } catch (problem) {
    messages.push(problem instanceof KauriError ? problem.message : `${problem.stack}`);
  }
};
"""

# Calls that fail, and the same calls after them that do not.
FAILS = """
const rows = [[1, 2], [3, null], [5, 6]];
const model = kauri.train({ max_depth: 2 }, rows, [1, 2, 4], 3);
const before = model.predict(rows).values.join();
fails(() => kauri.train({ max_deph: 2 }, rows, [1, 2, 4], 3));
fails(() => kauri.train({}, rows, [1, 2], 3));
fails(() => kauri.train({}, [[1, 2], [3]], [1, 2], 3));
fails(() => kauri.train({ objective: 'survival:aft' }, rows, [1, 2, 4], 3));
fails(() => kauri.train({ device: 'cuda' }, rows, [1, 2, 4], 3));
fails(() => kauri.open(new TextEncoder().encode('no model')));
fails(() => model.predict([[1, 2, 3]]));
fails(() => model.predict(rows, 'leaves'));
fails(() => kauri.with((args) => kauri.call('XGBoosterLoadModel', model.handle, args.text('/model.ubj'))));
const stopped = kauri.train({}, rows, [1, 2, 4], 100, { onRound: (round) => round < 4 });
const nothing = kauri.train({ nthread: 8 }, rows, [1, 2, 4], 3);
console.log(JSON.stringify({ messages, kept: before === model.predict(rows).values.join() }));
"""

# Asks for arrays of more than 2^32 numbers, whose sizes have no 32 bits; then for a small one.
TOO_LARGE = """
const rows = { shape: [65537, 1], values: new Float32Array(65537).fill(1) };
fails(() => kauri.train({ objective: 'multi:softprob', num_class: 65536 }, rows, new Float32Array(65537), 1));
const orders = '{"method": "mc", "d": 65536, "n": 65537}';
fails(() => kauri.with((args) => kauri.call('KauriSampleOrders', args.text(orders), args.space(8), args.space(8))));
kauri.train({}, [[1, 2], [3, null]], [1, 2], 3).free();
console.log(JSON.stringify(messages));
"""


def run(script: str, folder: Path, *arguments: str, given: str = "") -> str:
    """Return what Node.js prints for a script."""
    assert NODE is not None
    (folder / "script.mjs").write_text(script)
    command = [NODE, "--no-warnings", str(folder / "script.mjs"), *arguments]
    done = subprocess.run(command, input=given, text=True, capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def built(name: str) -> Path:
    """Return a file of the build, or skip the test."""
    path = WASM / name
    if not path.exists():
        pytest.skip("only after cmake/wasm.sh kauri_wasm model_checksums: the library is not compiled for WebAssembly")
    return path


def table(n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with missing values and a column of categories, and a signal of them."""
    random = np.random.default_rng(3)
    rows = np.round(random.normal(size=(n_rows, 5)), 3).astype(np.float32)
    rows[:, 4] = random.integers(0, 6, n_rows)
    signal = rows[:, 0] * rows[:, 1] + (rows[:, 4] % 2) + random.normal(size=n_rows) / 4
    rows[random.random(rows.shape) < 0.1] = np.nan
    return rows, signal.astype(np.float32)


CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "numbers": ({}, lambda signal: signal),
    "two classes": ({"objective": "binary:logistic", "max_depth": 4}, lambda signal: signal > 0),
    "classes": ({"objective": "multi:softprob", "num_class": 3}, lambda signal: np.digitize(signal, [0, 1])),
    "sampled": ({"tree_method": "approx", "subsample": 0.5, "seed": 7}, lambda signal: signal),
    "constrained": ({"monotone_constraints": [1, 0, 0, 0, 0]}, lambda signal: signal),
}


@pytest.mark.parametrize("name", CASES)
def test_models_and_answers_have_the_same_bytes(name: str, tmp_path: Path) -> None:
    module = built("kauri.mjs")
    rows, signal = table()
    params, label_of = CASES[name]
    labels = np.asarray(label_of(signal), np.float32)
    weights = np.round(np.abs(rows[:, 1]), 2)
    weights[np.isnan(weights)] = 1
    names, types = ["a", "b", "c", "größe", "e"], ["float"] * 4 + ["c"]
    constraints = {key: f"({','.join(map(str, value))})" for key, value in params.items() if isinstance(value, list)}
    data = kb.DMatrix(rows, labels, weight=weights, feature_names=names, feature_types=types)
    history: dict[str, Any] = {}
    booster = kb.train(
        {**params, **constraints}, data, 6, evals=[(data, "train")], evals_result=history, verbose_eval=False
    )
    asked = {
        "params": {**params, **constraints},
        "rows": [[None if value != value else float(value) for value in row] for row in rows],
        "labels": labels.tolist(),
        "weights": weights.tolist(),
        "names": names,
        "types": types,
        "rounds": 6,
        "opened": base64.b64encode(booster.save_raw("json")).decode(),
    }
    answer = json.loads(run(LEARNS, tmp_path, str(module), given=json.dumps(asked)))
    theirs = kb.Booster(model_file=bytearray(base64.b64decode(answer["model"])))
    assert theirs.save_raw("json") == booster.save_raw("json")
    assert base64.b64decode(answer["model"]) == booster.save_raw("ubj")
    assert answer["told"] == [{metric: values[i] for metric, values in history["train"].items()} for i in range(6)]
    kinds: dict[str, dict[str, bool]] = {
        "value": {},
        "margin": {"output_margin": True},
        "leaf": {"pred_leaf": True},
        "shap": {"pred_contribs": True},
        "interactions": {"pred_interactions": True},
    }
    for kind, options in kinds.items():
        expected = np.asarray(booster.predict(data, **options), np.float32)
        found = np.frombuffer(base64.b64decode(answer[kind]["values"]), np.float32)
        assert answer[kind]["shape"] == list(expected.shape), kind
        if kind in ("shap", "interactions"):  # WebAssembly has no fused multiply-add
            assert found == pytest.approx(expected.ravel(), abs=2e-6), kind
        else:
            assert found.tobytes() == expected.tobytes(), kind
    assert base64.b64decode(answer["opened"]) == booster.predict(data, output_margin=True).tobytes()


def test_failed_calls_say_why_and_change_nothing(tmp_path: Path) -> None:
    answer = json.loads(run(FAILING + FAILS, tmp_path, str(built("kauri.mjs"))))
    expected = [
        "max_depth",
        "label has 2",
        "3 values",
        "label_lower",
        "cuda",
        "model",
        "columns",
        "kind is",
        "/model.ubj",
    ]
    assert len(answer["messages"]) == len(expected)
    for message, part in zip(answer["messages"], expected):
        assert message != "no error", answer
        assert "    at " not in message, message
        assert part in message, answer
    assert answer["kept"]


def test_arrays_that_addresses_cannot_reach_are_errors(tmp_path: Path) -> None:
    messages = json.loads(run(FAILING + TOO_LARGE, tmp_path, str(built("kauri.mjs"))))
    assert len(messages) == 2
    for message in messages:
        assert "memory" in message, messages


def without_explanations(line: str) -> str:
    """Return a line of checksums without those of SHAP values, unless they are of treeshap or of a linear model."""
    name, _, sums = line.rpartition(": ")
    exact = "treeshap" in name or "gblinear" in name
    return line if exact or not sums[:16].isalnum() else f"{name}: {' '.join(sums.split()[:3])}"


@pytest.mark.parametrize("n_rows", ["400", "3000"])
def test_checksums_are_those_of_this_platform(n_rows: str, tmp_path: Path) -> None:
    program = BUILD / "bin" / "model_checksums"
    if not program.exists():
        pytest.skip("this build has no program model_checksums: build that target")
    found = run(PROGRAM, tmp_path, str(built("model_checksums.wasm")), "1", n_rows).splitlines()
    done = subprocess.run([program, "1", n_rows], text=True, capture_output=True, check=True)
    assert [without_explanations(line) for line in found] == [
        without_explanations(line) for line in done.stdout.splitlines()
    ]
    assert len(found) > 100


# Presses the button as a visitor would, once the page has a table.
PRESSES = """<script type="module">
const waiting = setInterval(() => {
  const button = document.querySelector("button");
  if (button.disabled) return;
  clearInterval(waiting);
  button.click();
}, 10);
</script>
</body>"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a folder with the page that trains, the library and a table."""
    for name in ("kauri.mjs", "kauri.wasm"):
        shutil.copy(built(name), tmp_path)
    page = (ROOT / "demo" / "browser" / "train.html").read_text()
    (tmp_path / "pressed.html").write_text(page.replace("</body>", PRESSES))
    rows, signal = table()
    lines = ['kind,"size, mm",b,c,d,town']
    for row, value in zip(rows, signal):
        cells = ["" if cell != cell else repr(float(cell)) for cell in row[:4]]
        town = "" if np.isnan(row[4]) else f'"town ""{int(row[4])}"""'
        lines.append(",".join(["high" if value > 0 else "low", *cells, town]))
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n3\n")
    with served(tmp_path) as found:
        yield found


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_a_page_trains(address: str, tmp_path: Path) -> None:
    found = document(f"{address}/pressed.html?data=table.csv&target=kind", tmp_path / "profile")
    rows, signal = table()
    names = ["size, mm", "b", "c", "d", "town"]
    label = (signal <= 0).astype(np.float32)  # "low" comes after "high"
    kept = np.arange(len(rows)) % 4 == 3
    types = ["float"] * 4 + ["c"]
    data = [kb.DMatrix(rows[part], label[part], feature_names=names, feature_types=types) for part in (~kept, kept)]
    booster = kb.train({"objective": "binary:logistic", "eta": 0.1, "max_depth": 4}, data[0], 100)
    accuracy = ((booster.predict(data[1]) > 0.5) == label[kept]).mean()
    assert f"accuracy {accuracy:.3f} on the other {kept.sum()} rows" in found, found[-3000:]
    strengths = np.abs(booster.predict(data[1], pred_contribs=True)[:, :-1].astype(np.float64)).mean(axis=0)
    order = np.argsort(-strengths)
    shown = [html.unescape(name) for name in re.findall(r'class="name">([^<]*)<', found)]
    assert shown == [names[i] for i in order]
    bars = [float(number) for number in re.findall(r'class="number">([^<]*)<', found)]
    assert bars == pytest.approx(strengths[order], rel=5e-3)


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_a_page_says_what_is_wrong_with_a_table(address: str, tmp_path: Path) -> None:
    found = document(f"{address}/pressed.html?data=wrong.csv", tmp_path / "profile")
    assert "Not possible: row 2 has 1 cells, the header 2." in found
