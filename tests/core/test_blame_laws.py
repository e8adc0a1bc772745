"""Laws of blame: random histories, the truth about each line kept beside (ledger section 5)."""

import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.blame.attribution import Attributions, Confidence
from intent_lsp.core.blame.blame import BlamedText, blame
from intent_lsp.core.blame.line_carry import letters
from intent_lsp.formats.diff import line_hunks
from tests.support.edited_file import EditedFile, LineTruth, like_code, numbered

KINDS = (
    "record",
    "record",
    "record",
    "rename",
    "undo",
    "edit_unrecorded",
    "reformat",
    "shift",
    "keep",
)


def blamed(file: EditedFile) -> Attributions:
    return blame(
        BlamedText(hash=file.hash, lines=file.lines),
        file.steps,
        contents=file.kept.get,
        diff=line_hunks,
        elsewhere=list,
    )


def orders(claims: Attributions) -> list[int | None]:
    return [None if claim is None else claim.order for claim in claims]


def work(file: EditedFile, kind: str) -> None:
    match kind:
        case "record":
            file.record(file.edited("move"))
        case "edit_unrecorded":
            file.edit_unrecorded(file.edited())
        case _:
            {
                "rename": file.rename,
                "undo": file.undo,
                "reformat": file.reformat,
                "shift": file.shift,
                "keep": file.keep,
            }[kind]()


def begun(seed: int, lines: int, fresh: Callable[[], str]) -> EditedFile:
    file = EditedFile(random.Random(seed), fresh)  # noqa: S311 -- no secret
    file.record([fresh() for _ in range(lines)])
    return file


histories = st.lists(st.sampled_from(KINDS), max_size=25)


@given(st.integers(0, 2**32), st.integers(0, 20), histories)
def test_a_line_whose_chain_is_unbroken_is_told_rightly(
    seed: int, lines: int, kinds: list[str]
) -> None:
    file = begun(seed, lines, numbered())
    for kind in kinds:
        work(file, kind)
    claims = blamed(file)
    assert len(claims) == len(file.lines)
    for claim, truth in zip(claims, file.truth, strict=True):
        if truth.unbroken:
            assert claim is not None
            assert (claim.order, claim.confidence) == (truth.order, Confidence.EXACT)


@given(st.integers(0, 2**32), st.integers(0, 20), histories)
def test_without_edits_from_outside_every_line_is_told_rightly_though_nothing_is_kept(
    seed: int, lines: int, kinds: list[str]
) -> None:
    file = begun(seed, lines, like_code(random.Random(seed)))  # noqa: S311 -- no secret
    for kind in kinds:
        if kind in ("record", "rename", "undo"):
            work(file, kind)
    told = zip(file.lines, orders(blamed(file)), file.truth, strict=True)
    # Blank lines and brackets go with the lines around them.
    assert all(order == truth.order for line, order, truth in told if letters(line))


@given(st.integers(0, 2**32), st.integers(0, 20), histories, st.booleans())
def test_what_nobody_recorded_is_claimed_by_nobody(
    seed: int,
    lines: int,
    kinds: list[str],
    kept: bool,  # noqa: FBT001 -- drawn
) -> None:
    file = begun(seed, lines, numbered())
    for kind in kinds:
        # What an undo puts back has a record from then on.
        work(file, "record" if kind == "undo" else kind)
        if kept:
            file.keep()
    for order, truth in zip(orders(blamed(file)), file.truth, strict=True):
        if truth.order is None:
            assert order is None


def history(seed: int, keeping: str) -> EditedFile:
    """Give a file of some age: every sixth edit is from outside, every fourth committed."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    file = begun(seed, 40, like_code(chance))
    for number in range(1, 31):
        if number % 6 == 0:
            work(file, chance.choice(["edit_unrecorded", "edit_unrecorded", "reformat", "shift"]))
        else:
            work(file, "record")
        if keeping == "everything" or (keeping == "commits" and number % 4 == 0):
            file.keep()
    return file


def share(keeping: str) -> tuple[int, int]:
    """Count the lines that are not trivial, and those of them that are told rightly."""
    right = lines = 0
    for line, order, truth, _ in blamed_lines(keeping):
        if letters(line):
            lines += 1
            right += order == truth.order
    return right, lines


def blamed_lines(keeping: str) -> Iterator[tuple[str, int | None, LineTruth, Confidence | None]]:
    """Give each line, whose it is said to be, whose it is, and how surely that is said."""
    for seed in range(40):
        file = history(seed, keeping)
        for line, claim, truth in zip(file.lines, blamed(file), file.truth, strict=True):
            order = None if claim is None else claim.order
            yield line, order, truth, None if claim is None else claim.confidence


@pytest.mark.parametrize(
    ("keeping", "aim"), [("everything", 0.95), ("commits", 0.85), ("nothing", 0.39)]
)
def test_most_lines_are_told_rightly_after_edits_from_outside(keeping: str, aim: float) -> None:
    right, lines = share(keeping)
    told = f"{right / lines:.2%} of {lines} lines, aim {aim:.0%}"
    print(f"\n| kept: {keeping:<10} | {told} |")  # noqa: T201 -- a table for who runs it
    assert right / lines >= aim


@pytest.mark.parametrize("keeping", ["everything", "commits", "nothing"])
def test_what_is_told_for_sure_is_told_rightly(keeping: str) -> None:
    """Of what is called `exact` one line in a thousand may be another's; of what moved, few."""
    said = [
        (confidence, order == truth.order)
        for line, order, truth, confidence in blamed_lines(keeping)
        if letters(line)
    ]
    sure = [right for confidence, right in said if confidence is Confidence.EXACT]
    moved = [right for confidence, right in said if confidence is Confidence.MOVED]
    told = f"wrong: {sure.count(False)}/{len(sure)} exact, {moved.count(False)}/{len(moved)} moved"
    print(f"\n| kept: {keeping:<10} | {told} |")  # noqa: T201 -- a table for who runs it
    assert sure.count(False) <= len(sure) / 1000
    assert moved.count(False) <= len(moved) / 20 + 1
