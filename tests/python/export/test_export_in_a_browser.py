"""demo/browser: the page loads the exported model, tests it and predicts."""

from __future__ import annotations

import html
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import export_models as models
import kauriboost as kb
import pytest

pytest.importorskip("ziglang")
ROOT = Path(__file__).resolve().parents[3]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Return the address of a folder with the page and a model."""
    shutil.copy(ROOT / "demo" / "browser" / "index.html", tmp_path)
    models.model("awkward names").export(tmp_path / "model.wasm")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_the_page_predicts(address: str, tmp_path: Path) -> None:
    booster = models.model("awkward names")
    names = booster.feature_names
    city = booster.get_categories()[names[3]][1]
    row = models.pd.DataFrame({name: [float("nan")] for name in names})
    row[names[0]] = 0.25
    for column, value in [(names[3], city), (names[4], 20)]:
        row[column] = models.pd.Categorical([value], booster.get_categories()[column])
    row[names[1:3]] = row[names[1:3]].astype("float32")
    expected = booster.predict(kb.DMatrix(row))[0]
    query = urlencode({names[0]: "0.25", names[3]: city, names[4]: "20"})
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run(
        [*command, profile, f"{address}?{query}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "its own test passed" in done.stdout, done.stdout[-2000:]
    shown = float(done.stdout.partition("<strong>")[2].partition("</strong>")[0])
    assert shown == pytest.approx(float(expected), rel=1e-5)
    assert all(html.escape(name, quote=False) in done.stdout for name in names)
