"""Other libraries read our model files, of every kind and dialect, and predict the same.

Libraries that can be installed in the tests' own environment read there. For the others, mainly other versions of
XGBoost, tests/peers/environments.py makes environments; missing ones are skipped.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import kauriboost as kb
import numpy as np
import pytest
from reader_models import KINDS, REFUSED, Sample

PEERS = Path(__file__).parents[1] / "peers"
sys.path.append(str(PEERS))
from environments import ENVIRONMENTS, interpreter  # noqa: E402

DIALECTS = ["1.7", "2.1", "3.0", "3.2", "3.4"]
DEFAULT = "default"
FORMATS = ["json", "ubj"]


class Reader(NamedTuple):
    """A script of tests/peers, the dialects that it must read, and the kinds that it does not support."""

    script: str
    python: Path | None
    newest: str
    formats: list[str] = FORMATS
    unreadable: frozenset[str] = frozenset()
    without: str = ""  # how to install it


# ---- models and their files ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def samples() -> dict[str, Sample]:
    return {kind: make() for kind, make in KINDS.items()}


@pytest.fixture(scope="module")
def folder(samples: dict[str, Sample], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every model in every dialect that can represent it."""
    path = tmp_path_factory.mktemp("models")
    for number, (kind, sample) in enumerate(samples.items()):
        np.save(path / f"{number}.npy", sample.rows)
        for dialect in [DEFAULT, *(d for d in DIALECTS if d not in REFUSED.get(kind, ()))]:
            for extension in FORMATS:
                chosen = None if dialect == DEFAULT else dialect
                sample.booster.save_model(path / f"{number}-{dialect}.{extension}", dialect=chosen)
    return path


def margins_of(sample: Sample) -> np.ndarray:
    data = kb.DMatrix(sample.rows, feature_types=sample.feature_types, feature_names=sample.feature_names)
    return sample.booster.predict(data, output_margin=True)


def cases_for(reader: Reader, samples: dict[str, Sample]) -> list[dict[str, object]]:
    readable = [dialect for dialect in DIALECTS if dialect_key(dialect) <= dialect_key(reader.newest)]
    if dialect_key(reader.newest) >= dialect_key("3.2"):
        readable.append(DEFAULT)
    return [
        {
            "name": f"{kind}/{dialect}/{extension}",
            "file": f"{number}-{dialect}.{extension}",
            "rows": f"{number}.npy",
            "feature_types": sample.feature_types,
            "feature_names": sample.feature_names,
        }
        for number, (kind, sample) in enumerate(samples.items())
        if kind not in reader.unreadable
        for dialect in readable
        if dialect not in REFUSED.get(kind, ()) and not (dialect == DEFAULT and reader.newest in REFUSED.get(kind, ()))
        for extension in reader.formats
    ]


def dialect_key(dialect: str) -> tuple[int, ...]:
    return tuple(int(part) for part in dialect.split("."))


# ---- readers ---------------------------------------------------------------------------------------------------------


def here(module: str) -> Path | None:
    return Path(sys.executable) if importlib.util.find_spec(module) is not None else None


# Kinds that the readers do not support, in files written by XGBoost, either.
_STARTS = {"classes", "quantiles", "targets"}  # differing base scores: they use the first one
LACKING = {
    "treelite": {"expectile", "unbiased", "linear", "linear classes", "named categories", "one class only"},
    "shap": {
        *("one-hot", "sets of categories", "named categories", "counted, unseen", "expectile", "one class only"),
        *("dart", "linear", "linear classes", "forest", "forest of classes", "vector leaves", "unequal rounds"),
        *("early stopped", *_STARTS),  # it explains the rounds up to the best one
    },
    "onnx": {
        *("logistic", "raw logits", "hinge", "one class only", "expectile", "dart", "linear", "linear classes"),
        *("cox", "aft", "ndcg", "map", "unbiased", "forest of classes", "targets, one base score", "vector leaves"),
        *_STARTS,
    },
}
READERS = {
    "treelite": Reader(
        "read_treelite.py",
        here("treelite"),
        "3.4",
        unreadable=frozenset(LACKING["treelite"]),
        without="pip install treelite (tests/requirements.txt)",
    ),
    "shap": Reader(
        "read_shap.py",
        here("shap"),
        "3.2",
        formats=["ubj"],  # the format that it requests from boosters
        unreadable=frozenset(LACKING["shap"]),
        without="pip install shap (tests/requirements.txt)",
    ),
    "xgboost": Reader("read_xgboost.py", here("xgboost"), "3.2", without="pip install xgboost-cpu==3.2.0"),
}
for name in ENVIRONMENTS:
    library, _, version = name.partition("-")
    if not (PEERS / f"read_{library}.py").exists():
        continue  # an environment for other tests
    READERS[name] = Reader(
        f"read_{library}.py",
        interpreter(name),
        version or "3.2",
        unreadable=frozenset(LACKING.get(name, ())),
        without=f"python tests/peers/environments.py {name}",
    )


def read_with(name: str, cases: list[dict[str, object]], samples: dict[str, Sample], folder: Path) -> dict[str, str]:
    """Return the failures by case: an error, or predictions that differ from ours."""
    reader = READERS[name]
    (folder / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    # paths in $PYTHONPATH are not for the other interpreters
    own_paths = [] if reader.python == Path(sys.executable) else ["-E"]
    command = [str(reader.python), *own_paths, str(PEERS / reader.script), str(folder), name]
    subprocess.run(command, check=True, timeout=300)
    errors = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{name}.npz") as read:
        for case in (str(case["name"]) for case in cases if case["name"] in read):
            ours = margins_of(samples[case.split("/")[0]])
            theirs = read[case].reshape(ours.shape)
            if not np.allclose(theirs, ours, rtol=1e-5, atol=2e-6 * (1 + np.abs(ours).max())):
                errors[case] = f"differs by {np.abs(theirs - ours).max()}"
    return errors


def require(name: str) -> None:
    if READERS[name].python is None:
        pytest.skip(f"not there; {READERS[name].without}")


@pytest.mark.parametrize("name", READERS)
def test_reads_and_predicts(name: str, samples: dict[str, Sample], folder: Path) -> None:
    require(name)
    cases = cases_for(READERS[name], samples)
    assert len(cases) > 50
    assert read_with(name, cases, samples, folder) == {}


def test_what_treelite_lacks(samples: dict[str, Sample], folder: Path) -> None:
    """These models fail in the same way if XGBoost has written them."""
    require("treelite")
    xgboost = pytest.importorskip("xgboost")
    kinds = [kind for kind in samples if kind in LACKING["treelite"] and kind != "expectile"]  # new in XGBoost 3.3
    cases = []
    for kind in kinds:
        file = f"theirs-{kind}.json"
        xgboost.Booster(model_file=bytearray(samples[kind].booster.save_raw())).save_model(folder / file)
        cases.append({"name": kind, "file": file, "rows": f"{list(samples).index(kind)}.npy"})
    assert set(read_with("treelite", cases, samples, folder)) == set(kinds)


@pytest.mark.parametrize("kind", KINDS)
def test_what_dialects_refuse(kind: str, samples: dict[str, Sample]) -> None:
    """The refusals match the table exactly."""
    refused = set()
    for dialect in DIALECTS:
        try:
            samples[kind].booster.save_raw(dialect=dialect)
        except kb.ParameterError:
            refused.add(dialect)
    assert refused == REFUSED.get(kind, set())
