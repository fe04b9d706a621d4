"""The built `kauri` executable and the demo's data, used as from a shell."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
DATA = ROOT / "demo" / "data"


@dataclass
class Done:
    """The results of one run of the program."""

    status: int
    out: str
    err: str


@dataclass
class Kauri:
    """Runs the program in its own folder."""

    folder: Path
    train_uri: str = f"{DATA / 'breast_cancer.train.libsvm'}?format=libsvm"
    test_uri: str = f"{DATA / 'breast_cancer.test.libsvm'}?format=libsvm"
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, status: int = 0, given: bytes = b"") -> Done:
        """Run the program with `given` on standard input."""
        command = [str(BUILD / "bin" / "kauri"), *map(str, arguments)]
        environment = {**os.environ, **self.environment}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=120,
            check=False,
        )
        result = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert result.status == status, f"status {result.status}\n{result.out}\n{result.err}"
        return result

    def train(self, *arguments: str) -> Done:
        """Train a small classifier; arguments override the defaults."""
        defaults = [f"data={self.train_uri}", "objective=binary:logistic", "tree_method=exact", "max_depth=3"]
        return self.run(*defaults, "num_round=5", "model_out=model.json", *arguments)

    def predict(self, *arguments: str) -> list[float]:
        self.run("task=pred", "model_in=model.json", f"test:data={self.test_uri}", *arguments)
        return [float(line) for line in (self.folder / "pred.txt").read_text().splitlines()]

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path
