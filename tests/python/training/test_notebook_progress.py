"""Progress in a notebook: one bar below the cell for each training, redrawn in place."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._training import progress

X = np.arange(40, dtype=np.float32).reshape(20, 2)


class Notebook:
    """A fake IPython that records the last states of the bars that it shows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kernel: object) -> None:
        self.bars: list[dict[str, str]] = []
        module, inner = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        vars(module)["get_ipython"] = lambda: types.SimpleNamespace(kernel=kernel)
        vars(inner)["display"] = self.display
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setitem(sys.modules, "IPython.display", inner)
        # A fake clock of this test's own, because threads of other tests still read the real one.
        monkeypatch.setattr(progress, "time", types.SimpleNamespace(monotonic=iter(range(10**6)).__next__))

    def display(self, shown: dict[str, str], raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        self.bars.append(shown)
        place = len(self.bars) - 1

        def update(again: dict[str, str], raw: bool) -> None:
            assert raw
            self.bars[place] = again

        return types.SimpleNamespace(update=update)


def train(rounds: int, name: str = "all", **how: Any) -> None:
    data = kb.DMatrix(X, label=X[:, 0])
    kb.train({"max_depth": 2}, data, rounds, evals=[(data, name)], **how)


def test_a_bar_for_each_training(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = Notebook(monkeypatch, object())
    bar = progress.bar_of(4)
    for rounds in (4, 4):
        train(rounds, "<b>", verbose_eval=False, callbacks=[bar])
    train(3)
    train(3, early_stopping_rounds=1, progress_bar=True)
    assert [shown["text/plain"].split()[0] for shown in notebook.bars] == ["4/4", "4/4", "3/3", "3/3"]
    drawn = r'<progress value="4" max="4"></progress> 4/4 in \d+\.\d s  &lt;b&gt;-rmse:'
    assert re.search(drawn, notebook.bars[0]["text/html"])
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "all-rmse" not in printed.out


def test_a_bar_for_each_setting_of_a_cross_validation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = Notebook(monkeypatch, object())
    data = kb.DMatrix(X, label=X[:, 0])
    kb.cv({"max_depth": 2}, data, 3, verbose_eval=True)
    kb.cv([{}, {"max_depth": 2}], data, 4, verbose_eval=True)
    assert [shown["text/plain"].split()[0] for shown in notebook.bars] == ["3/3", "4/4", "4/4"]
    assert "test-rmse:" in notebook.bars[0]["text/html"]
    for verbose_eval in (None, False, 2):
        kb.cv({"max_depth": 2}, data, 3, verbose_eval=verbose_eval)
    assert len(notebook.bars) == 3
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("how", [{"verbose_eval": False}, {"progress_bar": False}, {"verbose_eval": 2}])
def test_not_asked_for(monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]) -> None:
    notebook = Notebook(monkeypatch, object())
    train(3, **how)
    assert notebook.bars == []


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = Notebook(monkeypatch, None)
    train(3, progress_bar=True)
    assert notebook.bars == []
    assert not progress.in_notebook()
