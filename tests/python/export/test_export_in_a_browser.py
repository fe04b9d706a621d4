"""demo/browser: the page loads the exported model, tests it, predicts and explains, also when an input changes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from headless import BROWSER, document, served

pytest.importorskip("ziglang")
ROOT = Path(__file__).resolve().parents[3]


# Moves the first input as a visitor would, once the page has an answer.
MOVES = """<script type="module">
const waiting = setInterval(() => {
  if (!document.querySelector("#answer strong")) return;
  clearInterval(waiting);
  const field = document.querySelector("form input");
  field.value = "-1.5";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}, 10);
</script>
</body>"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a folder with the page and a model."""
    page = (ROOT / "demo" / "browser" / "index.html").read_text()
    (tmp_path / "index.html").write_text(page)
    (tmp_path / "moving.html").write_text(page.replace("</body>", MOVES))
    models.model("awkward names").export(tmp_path / "model.wasm", contributions=True)
    with served(tmp_path) as found:
        yield found


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize(("page", "first"), [("index.html", 0.25), ("moving.html", -1.5)])
def test_the_page_predicts_and_explains(page: str, first: float, address: str, tmp_path: Path) -> None:
    booster = models.model("awkward names")
    names = booster.feature_names
    city = booster.get_categories()[names[3]][1]
    row = models.pd.DataFrame({name: [float("nan")] for name in names})
    row[names[0]] = first
    for column, value in [(names[3], city), (names[4], 20)]:
        row[column] = models.pd.Categorical([value], booster.get_categories()[column])
    row[names[1:3]] = row[names[1:3]].astype("float32")
    query = urlencode({names[0]: "0.25", names[3]: city, names[4]: "20"})
    found = document(f"{address}/{page}?{query}", tmp_path / "profile")
    assert "its own test passed" in found, found[-2000:]
    shown = float(found.partition("<strong")[2].partition(">")[2].partition("</strong>")[0])
    assert shown == pytest.approx(float(booster.predict(kb.DMatrix(row))[0]), rel=1e-5)
    assert all(html.escape(name, quote=False) in found for name in names)
    bars = [float(number) for number in re.findall(r'class="number" title="([^"]*)"', found)]
    expected = booster.predict(kb.DMatrix(row), pred_contribs=True)[0]
    by_size = expected[:-1][np.argsort(-np.abs(expected[:-1]), kind="stable")]
    assert bars == pytest.approx([expected[-1], *by_size, expected.sum()], abs=1e-5)
