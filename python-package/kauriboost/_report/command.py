"""What ``kauri task=report`` becomes once it has read its keys (src/cli/page.cc)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .._binding.errors import KauriError
from .._binding.task import Settings, run, say_written, settings_of
from .._data.matrix import DMatrix
from .._model.booster import Booster

_OF_THE_RUN = ("eval_metric", "seed", "verbosity")  # the page shows the model's


def main(arguments: Sequence[str]) -> int:
    """Write the page: a model, rows, where the page goes ("stdout": standard output), and parameters as name=value."""
    model, rows, path, *words = arguments
    settings = settings_of(words)

    def work() -> None:
        _write(model, rows, path, settings)
        say_written("report", path, settings)

    return run(settings, work, "kauriboost[plot]")


def _write(model: str, rows: str, path: str, settings: Settings) -> None:
    import matplotlib

    from .report import report

    matplotlib.use("Agg")  # also where there is a screen
    of_model = [(name, value) for name, value in settings if name not in _OF_THE_RUN]
    booster = Booster(of_model, model_file=model)
    try:
        data = DMatrix(rows)
    except KauriError as error:
        raise type(error)(f"test:data={rows}: {error}") from error
    metrics = [value for name, value in settings if name == "eval_metric"] or None
    seed = int(dict(settings).get("seed", 0))
    title = f"{Path(model).name} on {rows}"
    if path != "stdout":
        report(booster, data, path, metrics=metrics, title=title, seed=seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        report(booster, data, page, metrics=metrics, title=title, seed=seed)
        sys.stdout.buffer.write(page.read_bytes())
        sys.stdout.buffer.flush()
