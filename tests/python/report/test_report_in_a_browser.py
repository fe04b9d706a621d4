"""The page in a browser: every picture is visible, nothing runs, nothing is blocked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest

pytest.importorskip("matplotlib").use("Agg")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NAMES = ["<img src=x onerror=\"document.title='run'\">", "<script>document.title='run'</script>", "plain"]


def browse(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--hide-scrollbars"]
    profile = f"--user-data-dir={page.parent / 'profile'}"
    done = subprocess.run(
        [*command, profile, *arguments, page.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_it_is_shown(tmp_path: Path, regression: tuple[np.ndarray, np.ndarray]) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = regression
    booster = kb.train({"max_depth": 2}, kb.DMatrix(X, label=y), 5, verbose_eval=False)
    evaluations = {name: {"rmse": [2.0, 1.0]} for name in NAMES}
    page = tmp_path / "page.html"
    kb.report(booster, X, page, y=y, evaluations=evaluations, title=NAMES[0] + NAMES[1], n_features=1, n_trees=1)
    shown = browse(page, "--dump-dom")
    head = shown.stdout.partition("</title>")[0]
    assert "<title>" in head
    assert "<title>run" not in head
    assert "<script" not in shown.stdout
    assert "CONSOLE" not in shown.stderr  # messages about blocked content and failed scripts
    picture = tmp_path / "page.png"
    browse(page, "--window-size=1000,2400", f"--screenshot={picture}")
    pixels = plt.imread(picture)[..., :3]
    in_color = np.ptp(pixels, axis=-1) > 0.2
    # bars, points and branches; a page without pictures has only some links in colour
    assert in_color[:, :500].sum() > 2000
    assert in_color[:, 500:].sum() > 2000
    assert pixels[5, 5].min() == 1.0
    browse(page, "--window-size=1000,2400", "--blink-settings=preferredColorScheme=0", f"--screenshot={picture}")
    dark = plt.imread(picture)[..., :3]
    assert dark.mean() < 0.25  # the pictures are dark, too
    assert (dark.max(axis=-1) > 0.6).sum() > 2000  # and their texts and points are bright
    assert width_on_a_phone(page) == 375


def width_on_a_phone(page: Path) -> int:
    """Return the width that a page needs in a frame of 375 pixels, where a window of a browser is wider."""
    frame = page.with_name("frame.html")
    measure = "document.title = this.contentDocument.documentElement.scrollWidth"
    frame.write_text(f'<iframe src="{page.name}" style="width:375px;border:0" onload="{measure}"></iframe>')
    shown = browse(frame, "--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom").stdout
    return int(shown.partition("<title>")[2].partition("<")[0])


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
def test_the_test_would_see_a_script(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<title>still</title>{NAMES[1]}<script>console.error('seen')</script>", encoding="utf-8")
    shown = browse(page, "--dump-dom")
    assert "<title>run" in shown.stdout
    assert "CONSOLE" in shown.stderr
    page.write_text('<div style="width: 500px">wide</div>', encoding="utf-8")
    assert width_on_a_phone(page) > 375
