"""XGBoost's unmodified package over libkauri.so: each scenario of scenarios/ gives the same as over XGBoost."""

from __future__ import annotations

import pytest
from drop_in.comparison import difference
from drop_in.differences import DIFFERENCES
from drop_in.workers import ENVIRONMENT, Records, environment_python, run_over_both, scenario_names

NAMES = scenario_names()


@pytest.fixture(scope="module")
def records(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Records, Records]:
    """Return the records of the scenarios that pytest has selected."""
    python = environment_python()
    if python is None:
        pytest.skip(f"not there; python tests/peers/environments.py {ENVIRONMENT}")
    selected = [item.callspec.params["name"] for item in request.session.items if "records" in item.fixturenames]
    return run_over_both(python, selected, tmp_path_factory.mktemp("drop-in"))


@pytest.mark.parametrize("name", NAMES)
def test_scenario(name: str, records: tuple[Records, Records]) -> None:
    theirs, ours = records
    assert theirs[name]["outcome"] == "returned", theirs[name]
    found = difference(theirs[name], ours[name])
    if name in DIFFERENCES:
        assert found is not None, "it passes now: take it out of drop_in/differences.py"
        pytest.xfail(DIFFERENCES[name])
    assert found is None, found


def test_differences_name_scenarios() -> None:
    assert set(DIFFERENCES) <= set(NAMES)
    assert len(NAMES) >= 150
