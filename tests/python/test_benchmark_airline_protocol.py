"""airline_protocol.py: its columns, its drawn rows, and a line for each library."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
import airline_protocol


def made_up_flights(n_rows: int) -> airline_protocol.Columns:
    rng = np.random.default_rng(0)
    n_levels = {"month": 12, "day": 31, "weekday": 7, "carrier": 5, "origin": 3, "dest": 20}
    flights = {name: rng.integers(0, n, n_rows).astype(np.uint8) for name, n in n_levels.items()}
    minutes = rng.integers(0, 1440, n_rows)
    flights["dep_time"] = (minutes // 60 * 100 + minutes % 60).astype(np.uint16)
    flights["distance"] = rng.integers(100, 3000, n_rows).astype(np.uint16)
    flights["late"] = minutes + 100 * flights["carrier"] + rng.integers(0, 200, n_rows) > 1400
    return flights


def test_one_hot_columns_say_the_levels() -> None:
    flights = airline_protocol.draw(made_up_flights(500), np.arange(500), 200, 3)
    n_levels = {name: int(flights[name].max()) + 1 for name in airline_protocol.CATEGORIES}
    columns = airline_protocol.one_hot(flights, n_levels).toarray()
    assert columns.shape == (200, 2 + sum(n_levels.values()) - 5)
    assert np.array_equal(columns[:, 0], flights["dep_time"])
    assert np.array_equal(columns[:, 1], flights["distance"])
    begin = 2
    for name, n in n_levels.items():
        first = 0 if name == "month" else 1
        for level in range(first, n):
            assert np.array_equal(columns[:, begin + level - first], flights[name] == level), (name, level)
        begin += n - first


def test_drawn_rows_have_little_noise() -> None:
    flights = made_up_flights(1)
    drawn = airline_protocol.draw(flights, np.zeros(1, int), 4000, 1)
    times = drawn["dep_time"].astype(int)
    assert (times % 100 < 60).all()
    assert (times < 2400).all()
    minutes, middle = (each // 100 * 60 + each % 100 for each in (times, int(flights["dep_time"][0])))
    assert 3 < np.std((minutes - middle + 720) % 1440 - 720) < 7
    assert 0.005 < np.std(drawn["distance"] / float(flights["distance"][0])) < 0.02
    assert (drawn["carrier"] == flights["carrier"][0]).all()


def test_every_library_has_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "flights.npz", tmp_path / "out.json"
    np.savez_compressed(file, **made_up_flights(4000))
    words = ["--rows", "1500", "--rounds", "5", "--threads", "2", "--file", str(file), "--out", str(out)]
    assert airline_protocol.main(words) == 0
    results = json.loads(out.read_text())
    assert [result["library"] for result in results] == ["kauri", "xgboost", "lightgbm"]
    assert all(result["AUC"] > 0.7 for result in results)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_without_flights_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(airline_protocol, "KAURI_DATA", "no such folder")
    assert airline_protocol.main([]) == 0
    assert "no flights" in capsys.readouterr().out


@pytest.mark.skipif(
    not (Path(airline_protocol.KAURI_DATA) / "flights").is_dir(), reason="the real flights are not here"
)
def test_real_flights_have_the_protocols_columns() -> None:
    flights = airline_protocol.real_flights()
    assert set(flights) == {*airline_protocol.CATEGORIES, *airline_protocol.NUMBERS, "late"}
    assert len(flights["late"]) == 327_346
    n_levels = {name: int(flights[name].max()) + 1 for name in airline_protocol.CATEGORIES}
    assert (n_levels["month"], n_levels["day"], n_levels["weekday"], n_levels["origin"]) == (12, 31, 7, 3)
    assert 0.2 < flights["late"].mean() < 0.25
