"""Directories that are polled: what differs is reported, and little is spent."""

import os
import threading
from pathlib import Path

import pytest

from intent_lsp.store.watch import targets
from intent_lsp.store.watch.targets import Polled


def changed(polled: Polled) -> set[str]:
    return {Path(path).name for path in polled.changed()}


def test_what_came_went_or_changed_is_told_once(tmp_path: Path) -> None:
    for name in ("kept", "changed", "gone", "same size"):
        (tmp_path / name).write_text("1")
    looking = Polled([str(tmp_path), str(tmp_path / "later")])
    assert changed(looking) == set()
    (tmp_path / "changed").write_text("22")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").touch()
    (tmp_path / "same size").write_text("2")
    os.utime(tmp_path / "same size", ns=(1, 1))
    assert changed(looking) == {"changed", "gone", "new", "same size"}
    assert changed(looking) == set()
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "file").touch()
    assert changed(looking) == {"later", "file"}


def test_looking_takes_a_fiftieth_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    class Interrupt(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waited.append(timeout or 0.0)
            return False

    moments = iter([0.001, 0.5, 3.0, 0.0])
    monkeypatch.setattr(targets, "stopwatch", lambda: lambda: next(moments))
    looking = Polled([str(tmp_path)])
    for _ in range(3):
        looking.wait(Interrupt())
    assert waited == [1.0, 25.0, 150.0]


def test_a_look_that_is_interrupted_tells_nothing(tmp_path: Path) -> None:
    looking = Polled([str(tmp_path)])
    (tmp_path / "new").touch()
    interrupt = threading.Event()
    interrupt.set()
    assert looking.wait(interrupt) == frozenset()
    assert changed(looking) == {"new"}
