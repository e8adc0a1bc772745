"""Whatever is edited and committed: what was recorded is explained, and what was not is named."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from intent_lsp.core.check.report import CheckedPart, CheckReport
from intent_lsp.governance.check.change import CheckWishes
from intent_lsp.governance.check.check import CheckTarget, RootCheck
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.governance.root.rules import RulesCache
from tests.support.check_stories import begin
from tests.support.recorded_edits import By, RecordedRepository
from tests.support.repository import create

PATHS = ("src/auth/login.py", "src/auth/token.py", "src/auth/new.py")
COMMIT = ("commit", "", 0)
BY = By("AI", "INT-001")

Step = tuple[str, str, int]

edits = st.tuples(
    st.sampled_from(["insert", "replace", "cut", "double", "delete"]),
    st.sampled_from(PATHS),
    st.integers(0, 12),
)
steps = st.lists(edits | st.just(COMMIT), min_size=1, max_size=8)


def edit(world: RecordedRepository, step: Step, number: int, by: By) -> None:
    """Change a file in one way; a file that is not there is created."""
    verb, path, at = step
    place = world.root / path
    lines = place.read_text().splitlines(keepends=True) if place.is_file() else []
    if verb == "delete" or not lines:
        if place.is_file():
            world.write(path, None, by)
        else:
            world.write(path, f"made {number}\n", by)
        return
    at %= len(lines)
    match verb:
        case "insert":
            lines.insert(at, f"inserted {number}\n")
        case "replace":
            lines[at] = f"replaced {number}\n"
        case "cut":
            del lines[at : at + 3]
        case _:
            lines.insert(at, lines[at])
    world.write(path, "".join(lines), by)


def check(root: Path, base: str) -> CheckReport:
    wishes = CheckWishes(intents=("INT-001",))
    target = CheckTarget(part=CheckedPart.RANGE, base=base)
    with tracing(root) as trace:
        checking = RootCheck(trace, RulesCache(root).current(), wishes)
        return checking.run(target, lambda _done, _of: None)


def worked(world: RecordedRepository, story: Sequence[Step]) -> str:
    """Do the steps, all recorded; commit; return the base."""
    base = begin(world).marks["base"]
    for number, step in enumerate(story):
        if step == COMMIT:
            world.commit()
        else:
            edit(world, step, number, BY)
    world.commit()
    return base


EMPTIED = [("cut", "src/auth/new.py", 0), ("cut", "src/auth/new.py", 0), COMMIT]
CAME_AND_WENT = [("delete", "src/auth/token.py", 0), COMMIT] * 3


@given(story=steps)
@example(story=EMPTIED)
@example(story=CAME_AND_WENT)
@settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
def test_what_is_recorded_is_explained_in_every_commit(story: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as room:
        world = RecordedRepository(create(Path(room) / "repository"))
        report = check(world.root, worked(world, story))
    assert report.findings == ()
    assert all(change.recorded == change.hunks for change in report.changes)


@given(story=steps, path=st.sampled_from(PATHS))
@settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
def test_a_line_that_no_record_tells_is_named(story: list[Step], path: str) -> None:
    with tempfile.TemporaryDirectory() as room:
        world = RecordedRepository(create(Path(room) / "repository"))
        base = worked(world, story)
        world.append(path, "a line that nobody saw\n")
        world.commit()
        report = check(world.root, base)
    named = [each for each in report.findings if each.code == "UNRECORDED_CHANGE"]
    assert [each.path for each in named] == [path]
    assert report.ok
