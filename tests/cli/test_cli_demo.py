"""The demo's configuration, and the script that explains its predictions."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cli_program import DATA, ROOT, Kauri


def test_explained_rows(tmp_path: Path) -> None:
    kauri = Kauri(ROOT)  # the configuration's paths are relative to it
    config, model = "demo/cli/breast_cancer.conf", tmp_path / "model.json"
    kauri.run(config, f"model_out={model}")
    files = [tmp_path / "predictions.txt", tmp_path / "contributions.csv"]
    for file, contributions in zip(files, ("false", "true"), strict=True):
        kauri.run(config, "task=pred", f"model_in={model}", f"name_pred={file}", f"pred_contribs={contributions}")
    data = [DATA / "breast_cancer.test.libsvm", DATA / "breast_cancer.features.txt"]
    command = [sys.executable, str(ROOT / "demo" / "explain_rows.py"), *map(str, data + files)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^row (\d+): malignant with probability ([\d.]+)", out, re.MULTILINE)
    probabilities = [float(line) for line in files[0].read_text().splitlines()]
    assert [round(probabilities[int(row)], 3) for row, _ in rows] == [float(shown) for _, shown in rows]
    assert probabilities[int(rows[0][0])] == max(probabilities)
    assert probabilities[int(rows[1][0])] == min(probabilities)
    assert len(re.findall(r"^  \w+ += \S+ +[+-]\d\.\d{3}  #+$", out, re.MULTILINE)) == 15


def test_the_data_is_what_its_script_writes(tmp_path: Path) -> None:
    script = tmp_path / "make_breast_cancer.py"
    script.write_text((DATA / script.name).read_text())
    subprocess.run([sys.executable, str(script)], check=True)
    for name in ("breast_cancer.train.libsvm", "breast_cancer.test.libsvm", "breast_cancer.features.txt"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()
