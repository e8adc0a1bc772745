"""Files of ours that are far too large: refused by their size, and little is needed to say so."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from tests.e2e.test_failures import Builder
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

AT_MOST = 200 * 1024
"""Kilobytes over the idle server."""


def gigabyte(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


def line_feeds(path: Path) -> None:
    path.write_text("\n" * 3_900_000)


def pairs(path: Path) -> None:
    path.write_text("".join(f"k{number}: 1\n" for number in range(400_000)))


def numbers(path: Path) -> None:
    path.write_text("active_intents: [" + "1," * 1_900_000 + "]")


def put(place: Path, made: Callable[[Path], None]) -> None:
    """Put it there in one step: an empty policy in between would be a good one."""
    fresh = place.parent.parent / "fresh"
    made(fresh)
    fresh.replace(place)


def most_kilobytes(server: Builder) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1))


@pytest.mark.parametrize("made", [gigabyte, line_feeds, pairs, numbers])
@pytest.mark.parametrize("running", [False, True], ids=["at the start", "while it runs"])
def test_an_intents_file_that_is_too_large_takes_little_memory(
    repository: Repository, made: Callable[[Path], None], *, running: bool
) -> None:
    govern(repository)
    place = repository.root / INTENTS_FILE
    idle = Builder(repository.root)
    assert idle.asked("status")["fileState"] == "ok"
    before = most_kilobytes(idle)
    if not running:
        idle.kill()
    put(place, made)
    server = idle if running else Builder(repository.root)
    told = server.asked("status")
    assert told["fileState"] == "broken"
    assert "is not read" in told["reason"] or "are not read" in told["reason"]
    assert most_kilobytes(server) - before < AT_MOST
    server.kill()


@pytest.mark.parametrize("made", [gigabyte, line_feeds])
def test_a_policy_that_is_too_large_leaves_the_last_good_one(
    repository: Repository, made: Callable[[Path], None]
) -> None:
    govern(repository)
    repository.write(POLICY_FILE, "enforcement: observe\n")
    server = Builder(repository.root)
    assert server.asked("status")["enforcement"] == "observe"
    before = most_kilobytes(server)
    put(repository.root / POLICY_FILE, made)
    for _ in range(3):
        assert server.asked("status")["enforcement"] == "observe"
    assert most_kilobytes(server) - before < AT_MOST
    server.kill()
