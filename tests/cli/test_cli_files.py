"""Files of every kind as inputs and outputs: refused before the work, or followed; nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
from cli_program import BUILD, Kauri

ODD_NAMES = [b"caf\xe9", b"a b'c\"d", b"new\nline", b"q?x=1#y", b"stdin", b"a:b", b"-"]


def run_bytes(
    kauri: Kauri, *arguments: bytes, status: int = 0, file_bytes: int | None = None, timeout: float = 60
) -> str:
    """Run the program with arguments of arbitrary bytes; return the message."""
    limit = None if file_bytes is None else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    done = subprocess.run(
        [os.fsencode(BUILD / "bin" / "kauri"), *arguments],
        cwd=kauri.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=timeout,
        preexec_fn=limit,
    )
    assert done.returncode == status, done.stderr
    return done.stderr.decode()  # a message is UTF-8, whatever the arguments


def training(kauri: Kauri, **settings: str) -> list[str]:
    defaults = {"data": kauri.train_uri, "objective": "binary:logistic", "num_round": "2", "max_depth": "2"}
    return [f"{key}={value}" for key, value in {**defaults, **settings}.items()]


def as_bytes(arguments: list[str]) -> list[bytes]:
    return [os.fsencode(argument) for argument in arguments]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- one training in a folder ----


@contextlib.contextmanager
def waiting_training(kauri: Kauri, folder: str):
    """Start a training with checkpoints that waits after its first round until its output is read."""
    arguments = training(
        kauri, save_period="1", model_dir=folder, num_round="100000", model_out="long.ubj", eval_train="1"
    )
    command = [str(BUILD / "bin" / "kauri"), *arguments]
    with subprocess.Popen(command, cwd=kauri.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.readline()
        os.kill(process.pid, signal.SIGSTOP)
        try:
            yield process
        finally:
            process.kill()


def test_a_second_training_in_the_folder_is_refused(kauri: Kauri) -> None:
    (kauri.folder / "a").mkdir()
    again = training(kauri, save_period="1", model_dir="a", resume="1", model_out="m.ubj")
    with waiting_training(kauri, "a") as first:
        half = kauri.folder / "a" / "0099.model.new-1-0"
        half.touch()
        before = names_in(kauri.folder / "a")
        done = kauri.run(*again, status=1)
        assert f"model_dir='a' is in use by another training (process {first.pid})" in done.err
        assert "give each training a folder of its own" in done.err
        assert names_in(kauri.folder / "a") == before
        assert not (kauri.folder / "m.ubj").exists()
    kauri.run(*again, "num_round=3")  # the killed process no longer locks the folder
    assert not half.exists()
    assert ".kauri.lock" not in names_in(kauri.folder / "a")


def test_a_half_written_file_of_a_living_process_stays(kauri: Kauri) -> None:
    import fcntl

    alive, dead = kauri.folder / "0001.model.new-1-0", kauri.folder / "0002.model.new-1-0"
    dead.touch()
    with alive.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        kauri.run(*training(kauri, save_period="5", resume="1", model_out="m.ubj"))
        assert alive.exists()
        assert not dead.exists()


def test_of_two_trainings_at_once_one_goes_on(kauri: Kauri) -> None:
    (kauri.folder / "a").mkdir()
    command = [str(BUILD / "bin" / "kauri"), *training(kauri, save_period="1", model_dir="a", num_round="60")]
    both = [
        subprocess.Popen([*command, f"model_out={name}.ubj", "resume=1"], cwd=kauri.folder, stderr=subprocess.PIPE)
        for name in "xy"
    ]
    errors = [process.communicate(timeout=100)[1] for process in both]
    ended = sorted(process.returncode for process in both)
    assert ended in ([0, 0], [0, 1])  # the second may have begun after the first had ended
    if ended == [0, 1]:
        assert any(b"is in use by another training" in error for error in errors)
    assert len(names_in(kauri.folder / "a")) == 60


# ---- outputs that cannot be written ----

BAD_OUTPUTS = {
    "folder of the kernel": ("/proc/self", "Check the folder"),
    "name": ("n" * 260, "Give a shorter name"),
    "circle": ("circle", "Links lead in a circle"),
    "link into nothing": ("nowhere", "No such file"),
}


def output_path(case: str, ending: str) -> str:
    path = BAD_OUTPUTS[case][0]
    return f"{path}/x{ending}" if path.startswith("/") else path + ending


@pytest.mark.parametrize("case", BAD_OUTPUTS)
@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        (["model_out={}"], ".ubj"),
        (["task=pred", "model_in=model.json", "test:data={uri}", "name_pred={}"], ".txt"),
        (["task=explain", "model_in=model.json", "test:data={uri}", "name_explain={}"], ".csv"),
        (["task=dump", "model_in=model.json", "name_dump={}"], ".txt"),
    ],
    ids=["model", "pred", "explain", "dump"],
)
def test_outputs_are_tried_first(trained: Kauri, case: str, arguments: list[str], ending: str) -> None:
    path = output_path(case, ending)
    for link, target in ((f"circle{ending}", f"circle{ending}"), (f"nowhere{ending}", "no/such/folder")):
        with contextlib.suppress(FileExistsError):
            (trained.folder / link).symlink_to(target)
    before = names_in(trained.folder)
    filled = [part.format(path, uri=trained.test_uri) for part in arguments]
    if arguments[0].startswith("model_out"):
        filled = [*training(trained, num_round="1000000", eval_train="1"), *filled]
    done = trained.run(*filled, status=1)
    assert BAD_OUTPUTS[case][1] in done.err
    assert done.out == ""  # no round has begun
    assert names_in(trained.folder) == before


def test_checkpoints_are_tried_first(kauri: Kauri) -> None:
    (kauri.folder / "link").symlink_to("/proc/self")
    done = kauri.run(
        *training(kauri, save_period="1000", model_dir="link", model_out="m.ubj", num_round="1000000"), status=1
    )
    assert "the checkpoint: cannot write 'link/1000000.best.model'" in done.err


@pytest.mark.parametrize(
    "output", ["model_out=m.ubj", "save_period=1", "name_pred=p", "name_explain=e.csv", "name_dump=d"]
)
def test_a_full_disk_is_noticed_first(trained: Kauri, output: str) -> None:
    name = output.partition("=")[2]
    old = trained.folder / ("m.ubj" if output.startswith("save") else name)
    old.write_text("old")
    before = names_in(trained.folder)
    task = {"p": "pred", "e.csv": "explain", "d": "dump"}.get(name, "train")
    base = training(trained, num_round="1000000", eval_train="1", model_out="m.ubj") if task == "train" else []
    rest = (
        []
        if task == "train"
        else ["model_in=model.json", *([] if task == "dump" else [f"test:data={trained.test_uri}"])]
    )
    message = run_bytes(
        trained, *as_bytes([*base, f"task={task}", *rest, output]), status=1, file_bytes=1000, timeout=20
    )
    assert "File too large" in message
    assert "Make room" in message
    assert names_in(trained.folder) == before
    assert old.read_text() == "old"


def test_a_disk_that_fills_later_leaves_the_old_model(kauri: Kauri) -> None:
    kauri.write("m.json", "old")
    arguments = training(kauri, num_round="200", max_depth="8", min_child_weight="0", model_out="m.json")
    message = run_bytes(kauri, *as_bytes(arguments), status=1, file_bytes=100000)
    assert "An older file of that name is unchanged" in message
    assert names_in(kauri.folder) == ["m.json"]
    assert (kauri.folder / "m.json").read_text() == "old"


@pytest.mark.parametrize(
    ("setting", "ending"),
    [("model_out", ".ubj"), ("name_pred", ".txt"), ("name_explain", ".csv"), ("name_dump", ".txt")],
)
def test_dangling_links_are_followed(trained: Kauri, setting: str, ending: str) -> None:
    (trained.folder / "there").mkdir(exist_ok=True)
    link, middle, target = (trained.folder / f"{part}-{setting}{ending}" for part in ("link", "middle", "target"))
    link.symlink_to(middle.name)
    middle.symlink_to(trained.folder / "there" / target.name)
    task = {"model_out": "train", "name_pred": "pred", "name_explain": "explain", "name_dump": "dump"}[setting]
    rest = training(trained) if task == "train" else ["model_in=model.json", f"test:data={trained.test_uri}"]
    rest = [part for part in rest if task != "dump" or not part.startswith("test")]
    trained.run(f"task={task}", *rest, f"{setting}={link.name}")
    assert link.is_symlink()
    assert middle.is_symlink()
    written = trained.folder / "there" / target.name
    assert written.is_file()
    assert not written.is_symlink()


# ---- inputs that are no files ----


SIDE_FILES = {"weight": "weight", "group": "group", "margins": "base_margin", "types": "feature_types"}


@pytest.mark.parametrize("name", ["/dev/zero", "folder", "pipe", "/proc/self/mem", "sparse"])
@pytest.mark.parametrize("role", ["model", "data", "config", "fmap", *SIDE_FILES])
def test_endless_inputs_end(trained: Kauri, name: str, role: str) -> None:
    folder = trained.folder
    (folder / "folder").mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkfifo(folder / "pipe")
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 42)
    if role in SIDE_FILES:
        (folder / "rows.libsvm").write_bytes(Path(trained.train_uri.partition("?")[0]).read_bytes())
        side = folder / f"rows.libsvm.{SIDE_FILES[role]}"
        side.symlink_to(name if name.startswith("/") else folder / name)
    arguments = {
        "model": ["task=dump", f"model_in={name}"],
        "data": [f"data={name}?format=csv"],
        "config": [name],
        "fmap": ["task=dump", "model_in=model.json", f"fmap={name}"],
    }.get(role, ["data=rows.libsvm?format=libsvm"])
    limit = 3 << 30  # far more than any of them needs, far less than an endless input
    began = time.monotonic()
    try:
        done = subprocess.run(
            [str(BUILD / "bin" / "kauri"), *arguments, "nthread=1", "name_dump=stdout"][
                : None if role != "config" else 2
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
    finally:
        if role in SIDE_FILES:
            side.unlink()
    assert time.monotonic() - began < 50
    if role == "config" and name == "pipe":  # an empty configuration is valid
        return
    assert done.returncode == 1
    message = done.stderr.decode()
    assert message.startswith("error: ")
    assert "not enough memory" not in message
    assert len(message) < 1000


# ---- names and texts of any bytes ----


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_files(kauri: Kauri, name: bytes) -> None:
    folder = os.fsencode(kauri.folder) + b"/"
    source = Path(kauri.train_uri.partition("?")[0]).read_bytes()
    for ending in (b".libsvm", b""):
        with open(folder + name + ending, "wb") as file:
            file.write(source)
        with open(folder + name + ending + b".weight", "wb") as file:
            file.write(b"1\n" * source.count(b"\n"))
    rest = as_bytes(training(kauri)[1:])
    for number, uri in enumerate([name + b".libsvm", name + b"?format=libsvm", name + b".libsvm?format=libsvm"]):
        if uri.startswith(b"-") or uri.count(b"#") > 1:
            uri = b"./" + uri
        out = name + b"%d.ubj" % number
        run_bytes(kauri, b"data=" + uri, *rest, b"model_out=" + out)
        assert os.path.getsize(folder + out) > 0
        run_bytes(kauri, b"task=dump", b"model_in=" + out, b"name_dump=" + name + b".dump")
        assert os.path.getsize(folder + name + b".dump") > 0


def test_messages_are_short_and_printable(kauri: Kauri) -> None:
    long = b"x" * 100_000
    cases = [
        [b"eta=" + long],
        [long + b"=1"],
        [long],
        [b"objective=" + long],
        [b"eval_metric=" + long, b"eval_train=1"],
        [b"interaction_constraints=" + long],
        [b"data=" + long],
        [b"eval[" + long + b"]=no.csv"],
        [b"model_in=" + long],
        [b"eta=\x1b[2J\xff\n"],
        [b"\x1b]0;title\x07=1"],
        [b"data=no\r\n\x9b.csv"],
        [b"quantile_alpha=" + long, b"objective=reg:quantileerror"],
        [b"updater=" + long, b"process_type=update"],
    ]
    base = as_bytes([*training(kauri), "model_out=m.ubj"])
    for case in cases:
        message = run_bytes(kauri, *base, *case, status=1)
        assert len(message) < 5000, message
        assert not [letter for letter in message.rstrip("\n") if ord(letter) < 32 or ord(letter) == 127], message


def test_long_lines_of_files_are_cut(kauri: Kauri) -> None:
    long = b"y" * 50_000_000
    kauri.write("long.conf", b"task = train\n" + long[:15_000_000] + b"\n")
    kauri.write("long.csv", b"1,2\n" + long + b"\n")
    kauri.write("long.libsvm", b"1 " + long + b"\n")
    kauri.write("first.csv", long + b"\n")
    kauri.write("rows.csv", b"1,2\n3,4\n")
    kauri.write("rows.csv.feature_types", long)
    kauri.write("model.json", b'{"' + long + b'": 1}')
    kauri.train("model_out=good.json")
    kauri.write("long.fmap", b"0 " + long + b" q\n" + long)
    cases = [
        ["long.conf"],
        *([f"data={name}"] for name in ("long.csv", "long.libsvm", "first.csv", "rows.csv")),
        ["task=dump", "model_in=model.json"],
        ["task=dump", "model_in=good.json", "fmap=long.fmap"],
    ]
    for case in cases:
        done = kauri.run(*case, status=1)
        assert len(done.err) < 5000, case
