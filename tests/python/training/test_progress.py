"""The progress bar stays on one line of the terminal, for any width and content."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
import unicodedata
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._training.terminal import cut, width_of
from kauriboost.callback import ProgressBar

X = np.arange(40, dtype=np.float32).reshape(20, 2)
ROUNDS = 12


class Screen:
    """The lines shown by a terminal; a character that does not fit goes to the next line."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.lines: list[list[str]] = [[""] * columns]
        self.at = 0

    def write(self, text: str) -> None:
        for character in text:
            if character == "\r":
                self.at = 0
            elif character == "\n":
                self._next_line()
            else:
                self._put(character)

    def _put(self, character: str) -> None:
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1 - bool(unicodedata.combining(character))
        if self.at + width > self.columns:
            self._next_line()
        for place in range(self.at, self.at + width):
            self.lines[-1][place] = ""
        if width:
            self.lines[-1][self.at] = character
        self.at += width

    def _next_line(self) -> None:
        self.lines.append([""] * self.columns)
        self.at = 0

    def text(self) -> list[str]:
        return ["".join(line).rstrip() for line in self.lines]


class Clock:
    """A clock that lets every round be drawn."""

    now = 0.0

    def monotonic(self) -> float:
        self.now += 7.0
        return self.now


class Terminal:
    """A pseudo terminal with a given number of columns."""

    def __init__(self, columns: int) -> None:
        self._reader, self._writer = pty.openpty()
        self.resize(columns)
        self.stream = os.fdopen(self._writer, "w", encoding="utf-8", newline="")
        self.seen = ""

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self) -> str:
        """Return the received text up to the end of a line."""
        text = b""
        while not text.endswith(b"\n"):
            text += os.read(self._reader, 1 << 16)
        self.seen = text.decode().replace("\r\n", "\n")
        return self.seen

    def close(self) -> None:
        self.stream.close()
        os.close(self._reader)


def train(bar: ProgressBar, evals: list[str], rounds: int = ROUNDS) -> None:
    data = kb.DMatrix(X, X[:, 0])
    params = {"nthread": 1, "eval_metric": ["rmse", "mae"]}
    kb.train(params, data, rounds, evals=[(data, name) for name in evals], callbacks=[bar], verbose_eval=False)


SETS = {
    "one": ["train"],
    "many": ["train", "validation_0", "validation_1", "test"],
    "wide": ["訓練データ", "検証データ", "テスト"],
    "marks": ["é̂" * 9, "ñ" * 30],
    "none": [],
}


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 15, 24, 40, 60, 80, 81, 120, 300])
@pytest.mark.parametrize("names", SETS.values(), ids=SETS.keys())
def test_one_line(names: list[str], columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kauriboost._training.progress.time", Clock())
    terminal = Terminal(columns)
    train(ProgressBar(ROUNDS, terminal.stream), names)
    screen = Screen(columns)
    screen.write(terminal.read())
    terminal.close()
    assert len(terminal.seen.split("\r")) == ROUNDS + 2  # one for each round, and the last one again
    assert len(screen.text()) == 2  # the line, and the one started by its end
    if columns >= 40:
        assert screen.text()[0].startswith(f"{ROUNDS}/{ROUNDS} [########")
        assert f"in {7 * ROUNDS} s" in screen.text()[0]
        assert terminal.seen.count("s left") == ROUNDS
    if columns == 300:
        assert screen.text()[0].count("rmse:") == len(names)
    elif len(names) > 1 and columns >= 15:
        assert screen.text()[0].endswith("…") or columns >= 81


def test_a_terminal_that_is_resized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kauriboost._training.progress.time", Clock())
    terminal = Terminal(120)
    bar = ProgressBar(4, terminal.stream)
    train(bar, SETS["many"], 4)
    assert max(map(len, terminal.read().strip("\n").split("\r"))) > 79
    terminal.resize(50)
    train(bar, SETS["many"], 4)  # reuses the bar for another training
    assert max(map(len, terminal.read().strip("\n").split("\r"))) <= 49
    terminal.close()


@pytest.mark.parametrize("columns", ["50", "100"])
def test_without_a_terminal(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kauriboost._training.progress.time", Clock())
    monkeypatch.setenv("COLUMNS", columns)
    stream = io.StringIO()
    train(ProgressBar(ROUNDS, stream), SETS["many"])
    assert max(map(len, stream.getvalue().strip("\n").split("\r"))) == int(columns) - 1


def test_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kauriboost._training.progress.time", Clock())
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    metrics = ["rmse", "mae", "rmsle", "mape", "mphe"]
    bar = ProgressBar(3, stream)
    kb.cv({"nthread": 1}, kb.DMatrix(X, X[:, 0]), 3, metrics=metrics, callbacks=[bar], verbose_eval=False)
    assert max(map(len, stream.getvalue().strip("\n").split("\r"))) == 59


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("plain", 5),
        ("温度", 4),
        ("한글", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("…", 1),
        ("🙂", 2),
        ("❤\ufe0f", 2),
        ("a\u200db", 2),
    ],
)
def test_widths(text: str, width: int) -> None:
    assert width_of(text) == width


def test_what_is_left_out_is_marked() -> None:
    assert [cut("abcdef", room) for room in (-1, 0, 1, 2, 5, 6, 7)] == ["", "", "…", "a…", "abcd…", "abcdef", "abcdef"]
    assert [cut("温度計", room) for room in (1, 2, 3, 4, 5, 6)] == ["…", "…", "温…", "温…", "温度…", "温度計"]


def shown(bar: Any) -> str:
    return bar.stream.getvalue()


def test_more_rounds_than_announced() -> None:
    bar = ProgressBar(2, io.StringIO())
    train(bar, ["train"], 5)
    assert shown(bar).strip("\n").split("\r")[-1].startswith("5/2 [########################] in ")
