"""Lines examined together: the same is said of each as when it is examined alone."""

import hashlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.support.ledger_maker import lines
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.ledger.chain import ChainEnd, Link, draft
from intent_lsp.core.records import Event
from intent_lsp.formats.ledger.batch import LineBatch, examine_lines, index_lines
from intent_lsp.formats.ledger.jsonl import entry, examine, seal
from intent_lsp.formats.ledger.schema import WireRecord
from tests.support.ledgers import HASH, edit, events, new_id

TIME = "2026-11-21T20:27:33.123Z"
PLAIN = list(lines(3))
DIGITS = "0123456789abcdef" * 4
RANGES = "files.0.conversations.0.ranges"


def line_of(event: Event) -> bytes:
    return seal(draft(event, id=new_id(), timestamp=TIME, end=ChainEnd()))[1]


def check(several: list[bytes]) -> None:
    data, alone = b"".join(several), [examine(line) for line in several]
    found = examine_lines(data)
    if isinstance(found, LineBatch):
        check_stretch(found, alone)
    else:
        assert found == alone
    assert index_lines(data) == [entry(line) for line in several]


def check_stretch(found: LineBatch, alone: list[Link]) -> None:
    assert (found.first, found.last) == (alone[0], alone[-1])
    assert found.ids == [link.id for link in alone]
    assert [f"sha256:{digest.hex()}" for digest in found.digests] == [link.hash for link in alone]
    for above, link in pairwise(alone):
        assert (link.flaw, link.merges, link.prev) == (None, (), above.hash)
        assert link.timestamp >= above.timestamp


def flaws(several: list[bytes]) -> list[LedgerCode | None]:
    return [link.flaw.code if link.flaw else None for link, *_ in index_lines(b"".join(several))]


def changed(part: str, value: object, line: bytes = PLAIN[1]) -> bytes:
    """Spell a plain record that has another value, and the hash that is then right."""
    wire = msgspec.json.decode(line)
    *inner, last = part.split(".")
    place = wire
    for name in inner:
        place = place[int(name) if name.isdigit() else name]
    place[last] = value
    del wire["integrity"]["record_hash"]
    digest = hashlib.sha256(msgspec.json.encode(wire, order="sorted")).hexdigest()
    wire["integrity"]["record_hash"] = f"sha256:{digest}"
    return msgspec.json.encode(wire) + b"\n"


def stated(line: bytes) -> str:
    found: str = msgspec.json.decode(line)["integrity"]["record_hash"]
    return found


def run(start: int, end: int, *replaced: int, fallback: bool = False) -> dict[str, object]:
    found = {"start_line": start, "end_line": end, "content_hash": f"sha256:{DIGITS}"}
    told = {"replaced": replaced} if replaced else {}
    return found | told | ({"fallback": True} if fallback else {})


@given(st.lists(events.map(line_of), max_size=6))
def test_records_that_the_program_writes_are_examined_alike(several: list[bytes]) -> None:
    check(several)
    assert flaws(several) == [None] * len(several)


@given(st.data())
def test_a_line_of_which_anything_is_changed_is_examined_alike(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(PLAIN[1]) - 2))
    byte = data.draw(st.sampled_from(b'\x00"\\ 0aAx{}[],:\xc3\n') | st.integers(0, 255))
    broken = PLAIN[1][:at] + bytes([byte]) + PLAIN[1][at + 1 :]
    several = [line + b"\n" for line in broken.split(b"\n")[:-1]]
    check([PLAIN[0], *several, PLAIN[2]])


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("id", "00000000-0000-1000-8000-000000000000"),
        ("id", "00000000-0000-4000-c000-000000000000"),
        ("id", "00000000-0000-4000-8000-00000000000A"),
        ("id", "00000000-0000-4000-8000-00000000000x"),
        ("id", "00000000-0000-4000-8000-000000000000\n00000000-0000-4000-8000-000000000000"),
        ("id", "0"),
        ("id", "ä"),
        ("timestamp", "2026-11-21T24:27:33.123Z"),
        ("timestamp", "2026-02-30T20:27:33.123Z"),
        ("timestamp", "2026-11-21T20:60:33.123Z"),
        ("timestamp", "2026-11-21T20:27:60.123Z"),
        ("timestamp", "2026-11-21T20:27:33.12xZ"),
        ("timestamp", "2026-11-21 20:27:33.123Z"),
        ("intent_hash", f"sha256:{DIGITS[1:]}A"),
        ("intent_hash", f"sha256:{DIGITS[1:]}x"),
        ("intent_hash", f"0sha256:{DIGITS[1:]}"),
        ("intent_hash", f"sha256:{DIGITS[1:]}ä"),
        ("intent_hash", f"\n{DIGITS}sha256"),
        ("integrity.prev_record_hash", f"sha512:{DIGITS}"),
        ("integrity.merges", [f"sha256:{DIGITS}", f"SHA256:{DIGITS}"]),
        ("vcs.revision_id", "main"),
        ("files.0.pre_hash", f"sha256 {DIGITS}"),
        ("files.0.post_hash", f"sha256:{DIGITS[:-7]}sha256:"),
        ("error", "it failed"),
        ("grant", {"patterns": [], "reason": None, "granted_by": "me", "expires_at": None}),
        (RANGES, [run(0, 0), run(2, 2, 2, 0, 1)]),
        (RANGES, [run(3, 2, 2, 0, 1)]),
        (RANGES, [run(3, 4, 2, 0, 2), run(4, 4, 2, 0, 1)]),
        (RANGES, [run(3, 4, 2, 0, 1)]),
        (RANGES, [run(3, 4, 0, 0, 2)]),
        (RANGES, [run(3, 4, 2, 0, 2, fallback=True)]),
        (RANGES, [run(3, 4) | {"content_hash": f"sha256:{DIGITS[:-1]}g"}]),
        (f"{RANGES}.0.content_hash", f"sha256:{DIGITS}0"),
        (
            "files.0.ast_fingerprint",
            {"parser": "p", "language": "l", "summary_hash": f"sha256;{DIGITS}"},
        ),
    ],
)
def test_a_broken_rule_is_found_in_company_too(part: str, value: object) -> None:
    broken = changed(part, value)
    flaw = examine(broken).flaw
    assert flaw is not None
    assert flaw.code is LedgerCode.BAD_RECORD
    check([PLAIN[0], broken, PLAIN[2]])


def test_a_rare_hash_of_the_wrong_form_is_found_in_company_too() -> None:
    wire = msgspec.json.decode(
        changed("refused_call_hash", f"sha256:{DIGITS[:-1]}G"), type=WireRecord
    )
    broken = msgspec.json.encode(wire) + b"\n"
    below = changed("integrity.prev_record_hash", stated(broken), PLAIN[2])
    assert flaws([PLAIN[0], broken, below]) == [None, LedgerCode.BAD_RECORD, None]
    check([PLAIN[0], broken, below])


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("files.0.path_encoding", "percent"),
        ("files.0.previous_path", "src/old.py"),
        ("files", []),
        (RANGES, []),
        (RANGES, [run(0, 0)]),
        (RANGES, [run(3, 3, 1, 4, 1), run(3, 3, 9, 2, 0)]),
        (RANGES, [run(1, 900, fallback=True)]),
        ("integrity.merges", [f"sha256:{DIGITS}"]),
        ("vcs.revision_id", "UNKNOWN"),
        ("tool_name", "grant → me"),
    ],
)
def test_a_rare_and_valid_record_is_examined_alike(part: str, value: object) -> None:
    wire = msgspec.json.decode(changed(part, value), type=WireRecord)
    rare = msgspec.json.encode(wire) + b"\n"
    assert examine(rare).flaw is None
    check([PLAIN[0], rare, PLAIN[2]])


@pytest.mark.parametrize(
    ("other", "code"),
    [
        (PLAIN[1].replace(b"editor/save", b"editor/load"), LedgerCode.BAD_HASH),
        (PLAIN[1].replace(b'":"', b'": "', 1), LedgerCode.BAD_FORM),
        (PLAIN[1].replace(b"{", b"[", 1), LedgerCode.BAD_JSON),
        (b"{}\n", LedgerCode.BAD_RECORD),
        (b"[" * 100_000 + b"\n", LedgerCode.BAD_JSON),
        (b"\n", LedgerCode.BAD_JSON),
        (b"\xff\n", LedgerCode.BAD_JSON),
        (PLAIN[1].replace(b"editor/save", b"\\ud800"), LedgerCode.BAD_JSON),
        (PLAIN[1][:-1] + b"\r\n", LedgerCode.BAD_FORM),
    ],
    ids=[str(number) for number in range(9)],
)
def test_a_flaw_is_told_of_its_own_line_alone(other: bytes, code: LedgerCode) -> None:
    several = [PLAIN[0], other, PLAIN[2]]
    assert flaws(several) == [None, code, None]
    check(several)


@pytest.mark.parametrize(
    "named", [f"sha512:{DIGITS}", f"sha256:{DIGITS[1:]}A", f"{DIGITS}sha256:", HASH]
)
def test_what_the_first_of_lines_that_follow_one_another_names_is_looked_at(named: str) -> None:
    first = changed("integrity.prev_record_hash", named)
    below = changed("integrity.prev_record_hash", stated(first), PLAIN[2])
    check([first, below])
    assert isinstance(examine_lines(first + below), LineBatch) == (named == HASH)


@pytest.mark.parametrize(
    "spell",
    [
        str.upper,
        lambda hash_: hash_.removeprefix("sha256:"),
        lambda hash_: f"{hash_} ",
        lambda hash_: f"{hash_}\n{hash_}",
        lambda hash_: hash_.replace("sha256:", "sha256:\n"),
        lambda _: stated(PLAIN[2]),
        lambda _: "sha256:ä",
        lambda _: "",
    ],
    ids=[str(number) for number in range(8)],
)
def test_a_hash_is_right_in_one_spelling_alone(spell: Callable[[str], str]) -> None:
    wire = msgspec.json.decode(PLAIN[1], type=WireRecord)
    wire.integrity.record_hash = spell(wire.integrity.record_hash)
    broken = msgspec.json.encode(wire) + b"\n"
    assert examine(broken).flaw is not None
    for several in ([PLAIN[0], broken, PLAIN[2]], [broken, PLAIN[2]], [PLAIN[0], broken]):
        check(several)


def test_a_hash_that_ends_in_the_next_line_s_is_none() -> None:
    wires = [msgspec.json.decode(line, type=WireRecord) for line in PLAIN]
    first, second, _ = (wire.integrity for wire in wires)
    first.record_hash, second.record_hash = first.record_hash + "s", second.record_hash[1:]
    broken = [msgspec.json.encode(wire) + b"\n" for wire in wires]
    assert flaws(broken) == [LedgerCode.BAD_RECORD, LedgerCode.BAD_RECORD, None]
    check(broken)


def test_of_no_lines_nothing_is_said() -> None:
    check([])


def test_lines_that_follow_one_another_are_one_stretch() -> None:
    assert isinstance(examine_lines(b"".join(PLAIN)), LineBatch)


@pytest.mark.parametrize(
    "several",
    [
        PLAIN[:1],
        [PLAIN[1], PLAIN[0]],
        [PLAIN[0], PLAIN[2]],
        [PLAIN[0], PLAIN[0]],
        [PLAIN[0], PLAIN[1].replace(b"editor/save", b"editor/load"), PLAIN[2]],
    ],
    ids=["alone", "swapped", "one is missing", "doubled", "one is changed"],
)
def test_other_lines_are_told_one_by_one(several: list[bytes]) -> None:
    check(several)
    assert not isinstance(examine_lines(b"".join(several)), LineBatch)


@pytest.mark.parametrize(
    "told", [{"merges": (HASH,)}, {"time": "2026-11-21T20:27:33.122Z"}, {"above": HASH}]
)
def test_a_line_that_ties_or_whose_clock_went_back_is_in_no_stretch(told: dict[str, Any]) -> None:
    first, line = seal(draft(edit(), id=new_id(), timestamp=TIME, end=ChainEnd()))
    above, time = told.get("above", first.integrity.record_hash), told.get("time", TIME)
    end = ChainEnd(above, (*told.get("merges", ()), above))
    _, next_line = seal(draft(edit(), id=new_id(), timestamp=time, end=end))
    check([line, next_line])
    assert not isinstance(examine_lines(line + next_line), LineBatch)


def test_the_maker_of_large_ledgers_writes_what_the_program_would_write() -> None:
    links = [link for link, *_ in index_lines(b"".join(lines(50)))]
    assert [link.flaw for link in links] == [None] * 50
    assert [link.prev for link in links] == [None, *(link.hash for link in links[:-1])]
    assert len({link.id for link in links}) == 50
    assert list(lines(50)) == list(lines(50))
