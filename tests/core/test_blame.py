"""Who wrote a line, case by case."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from msgspec.structs import replace

from intent_lsp.core.blame import blame as blame_module
from intent_lsp.core.blame import lineage
from intent_lsp.core.blame.attribution import (
    Attribution,
    Attributions,
    Confidence,
    Edit,
    FileRecord,
    best_of,
    blame_runs,
    one_run,
)
from intent_lsp.core.blame.blame import BlamedText, blame, carried_over
from intent_lsp.core.blame.line_carry import carried
from intent_lsp.core.blame.moved_lines import OtherFile
from intent_lsp.core.content import (
    ContentHash,
    content_of,
    decode,
    hash_content,
    hash_if_there,
    split_lines,
)
from intent_lsp.core.line_diff import whole_file_range
from intent_lsp.core.records import Range
from intent_lsp.formats.diff import file_ranges, line_hunks
from tests.support.ledgers import edit
from tests.support.sealed_lines import after

EXACT, NORMALIZED, MOVED = Confidence.EXACT, Confidence.NORMALIZED, Confidence.MOVED


@dataclass
class Steps:
    """Steps as a ledger tells them, and the contents that are still kept."""

    steps: list[Edit] = field(default_factory=list)
    kept: dict[ContentHash, Sequence[str]] = field(default_factory=dict)
    others: list[Edit] = field(default_factory=list)
    others_today: str | None = None
    asked_elsewhere: int = 0

    def edit(self, before: str | bytes | None, after: str | bytes | None, **told: object) -> None:
        self.steps.append(step(len(self.steps), before, after, **told))

    def keep(self, *contents: str) -> None:
        for text in contents:
            self.kept[hash_content(text.encode())] = split_lines(text)

    def elsewhere(self) -> list[OtherFile]:
        """Give one other file, of all those steps; it is gone but for what it holds today."""
        self.asked_elsewhere += 1
        today = None if self.others_today is None else hash_content(self.others_today.encode())
        return [OtherFile(steps=self.others, today=today, contents=self.kept.get)]

    def claims(self, text: str | bytes) -> Attributions:
        data = raw(text)
        found = decode(data)
        assert found is not None
        asked = BlamedText(
            hash=hash_content(data), lines=split_lines(found.text), encoding=found.encoding
        )
        return blame(
            asked,
            self.steps,
            contents=self.kept.get,
            diff=line_hunks,
            elsewhere=self.elsewhere,
        )

    def who(self, text: str | bytes) -> str:
        """Tell the claims in short: `0` exactly, `=0`, `>0`, `?`."""
        marks = {EXACT: "", NORMALIZED: "=", MOVED: ">"}
        return " ".join(
            "?" if claim is None else f"{marks[claim.confidence]}{claim.order}"
            for claim in self.claims(text)
        )


def raw(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def step(order: int, before: str | bytes | None, after: str | bytes | None, **told: object) -> Edit:
    old = None if before is None else raw(before)
    new = None if after is None else raw(after)
    made = Edit(
        order=order,
        pre=hash_if_there(old),
        post=hash_if_there(new),
        talks=(file_ranges(content_of(old), content_of(new)),),
    )
    return replace(made, **told)  # type: ignore[arg-type]  # a test's shorthand


def one_source() -> FileRecord:
    record, _ = after()
    return record, edit().files[0]


def line(name: str) -> str:
    return f"the line that is called {name}\n"


def text(names: str) -> str:
    """Give a text of a line for each letter."""
    return "".join(map(line, names))


def history(*contents: str | None) -> Steps:
    """Tell of edits that led from each content to the next; contents are a letter a line."""
    told = Steps()
    texts = [None if content is None else text(content) for content in contents]
    for old, new in pairwise(texts):
        told.edit(old, new)
    return told


@pytest.mark.parametrize(
    ("contents", "who"),
    [
        pytest.param((None, "abc"), "0 0 0", id="a new file"),
        pytest.param(("abc", "abXc"), "? ? 0 ?", id="what was there before is nobody's"),
        pytest.param((None, "abc", "aXbc", "aXc"), "0 1 0", id="insert and delete"),
        pytest.param((None, "abc", "aXYc", "aXZc", "WaXZc"), "3 0 1 2 0", id="replace, at the top"),
        pytest.param((None, "abc", "cab"), "1 0 0", id="a recorded move is the mover's"),
        pytest.param((None, "abc", "", "xy"), "2 2", id="emptied and filled"),
        pytest.param((None, "abc", None, "abX"), "2 2 2", id="deleted and made anew"),
        pytest.param((None, "abc", "aXc", "abc"), "0 0 0", id="an undo gives back"),
        pytest.param((None, "abc", "aXc", "abc", "abY"), "0 0 3", id="an edit after an undo"),
        pytest.param(("abc", "aXc", "abc"), "? 1 ?", id="an undo to what nobody had recorded"),
        pytest.param((None, "ab", None, "ab"), "0 0", id="deleted and brought back"),
        pytest.param((None, "ab", "ba", "ab", "ba"), "0 1", id="there and back, twice"),
        pytest.param((None, ""), "", id="an empty file"),
    ],
)
def test_an_unbroken_chain_needs_no_content(contents: tuple[str | None, ...], who: str) -> None:
    told = history(*contents)
    last = contents[-1]
    assert last is not None
    assert told.who(text(last)) == who
    assert not told.kept


def test_a_rename_changes_no_line() -> None:
    told = history(None, "abc")
    told.edit(text("abc"), text("abc"), talks=((),))
    told.edit(text("abc"), text("aXc"))
    assert told.who(text("aXc")) == "0 2 0"


def test_a_record_that_goes_round_in_a_circle_ends() -> None:
    told = history("a", "b", "a")
    assert told.who(text("a")) == "1"
    assert told.who(text("b")) == "0"


def test_the_order_of_hashes_counts_more_than_the_order_of_clocks() -> None:
    told = Steps()
    told.edit(text("ab"), text("abc"))
    told.edit(None, text("ab"))
    assert told.who(text("abc")) == "1 1 0"


def test_conversations_of_one_edit_are_told_apart() -> None:
    one, other = file_ranges(content_of(text("abcd").encode()), content_of(text("XbYd").encode()))
    made = step(0, text("abcd"), text("XbYd"), talks=((other,), (one,)))
    claims = Steps([made]).claims(text("XbYd"))
    assert claims == [Attribution(0, 1), None, Attribution(0, 0), None]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_encoding_and_any_line_end_will_do(encoding: str, end: str) -> None:
    def spelled(names: str) -> bytes:
        return end.join(names).encode(encoding)

    told = Steps()
    told.edit(None, spelled("abc"))
    told.edit(spelled("abc"), spelled("abXYc"))
    assert told.who(spelled("abXYc")) == "0 0 1 1 0"
    # Blocks are found again in the bytes that the file has.
    told.steps[1] = replace(told.steps[1], post=hash_content(b"lost"))
    assert told.who(spelled("qXYr")) == "? >1 >1 ?"


@pytest.mark.parametrize(
    ("before", "after", "who"),
    [
        pytest.param("a\n   \nb\n", "a\n\nb\n", "0 0 0", id="a blank line is stripped"),
        pytest.param("a\n{\nb\n", "x\n{\ny\n", "1 1 1", id="all around a bracket is new"),
        pytest.param("a\n\nb\n", "x\n\nb\n", "1 0 0", id="what is around it differs"),
        pytest.param("a\nb\n", "a\n\nb\n", "0 1 0", id="a blank line is put in"),
        pytest.param("a\nb\n", "a\nb\n\n", "0 0 1", id="at the end"),
        pytest.param("a\nb\n", "a\nx\n\ny\n", "0 1 1 1", id="within what is new"),
    ],
)
def test_trivial_lines_go_with_the_lines_around_them(before: str, after: str, who: str) -> None:
    told = Steps()
    told.edit(None, before)
    told.edit(before, after)
    assert told.who(after) == who


def test_a_trivial_line_that_is_put_between_two_lines_is_its_steps() -> None:
    told = Steps()
    told.edit(None, "a\nb\n")
    told.edit("a\nb\n", "x\ny\n")
    told.edit("x\ny\n", "x\n---\ny\n")
    assert told.who("x\n---\ny\n") == "1 2 1"


@pytest.mark.parametrize("removed", [2**24, 2**40])
def test_a_record_that_claims_to_have_replaced_a_great_many_lines_tells_nothing(
    removed: int,
) -> None:
    told = Steps()
    run = Range(start_line=1, end_line=1, content_hash=hash_content(b"a"), replaced=(1, removed, 1))
    told.edit("?", "a\n", talks=((run,),))
    assert told.who("a\n") == "0"


def test_a_blank_line_that_is_touched_among_nobodys_is_nobodys() -> None:
    told = Steps()
    told.edit("a\n  \nb\nc\n", "a\n\nb\nd\n")
    assert told.who("a\n\nb\nd\n") == "? ? ? 0"


# -- where a link is missing -----------------------------------------------------------------------


def test_lines_are_carried_over_an_edit_that_nobody_recorded() -> None:
    told = history(None, "abc", "aXbc")
    told.keep(text("aXbc"))
    assert told.who(text("aXbQc")) == "0 1 0 ? 0"
    told.edit(text("aXbQc"), text("aXbQcZ"))
    assert told.who(text("aXbQcZ")) == "0 1 0 ? 0 2"


def test_the_content_before_a_missing_link_is_known_as_far_as_it_is_left() -> None:
    told = history(None, "abc")
    told.keep(text("abc"))
    told.edit(text("abQc"), text("XbQc"))
    # Nothing keeps what the second record replaced.
    assert told.who(text("XbQc")) == "1 0 ? 0"
    told.keep(text("abQc"))
    assert told.who(text("XbQc")) == "1 0 ? 0"


def test_an_older_content_will_do_where_the_newest_is_not_kept() -> None:
    told = history(None, "abc", "abcX")
    told.keep(text("abc"))
    assert told.who(text("aQbcX")) == "0 ? 0 0 >1"


def test_white_space_alone_is_no_edit() -> None:
    told = history(None, "abc")
    told.keep(text("abc"))
    now = line("a") + "    " + line("b") + line("c").replace(" ", "  ")
    assert told.who(now) == "0 =0 =0"


def test_a_block_that_moved_is_found_where_it_is() -> None:
    told = history(None, "abcdefgh")
    told.keep(text("abcdefgh"))
    assert told.who(text("cdefghab")) == "0 0 0 0 0 0 >0 >0"


def test_brackets_do_not_move() -> None:
    told = Steps()
    body = text("abcd")
    told.edit(None, "}\n\n" + body)
    told.keep("}\n\n" + body)
    assert told.who(body + "}\n\n") == "0 0 0 0 ? ?"
    # Neither do lines of which every file has some.
    told = Steps()
    told.edit(None, "else:\n" + body)
    told.keep("else:\n" + body)
    assert told.who(body + "else:\n") == "0 0 0 0 ?"


def test_brackets_move_with_their_block() -> None:
    old, new = ["q\n", line("a"), "}\n", line("b")], [line("b"), "q\n", line("a"), "}\n"]
    assert carried(old, new, line_hunks)[1:] == [(0, EXACT), (1, EXACT), (2, EXACT)]
    assert carried(old, new, line_hunks)[0] == (3, MOVED)


def test_a_claim_that_is_carried_twice_is_no_surer() -> None:
    told = history(None, "abc")
    told.keep(text("abc"))
    first = "  " + text("abc")
    told.edit(first, first + line("d"))
    told.keep(first + line("d"))
    assert told.who(first + line("d") + line("q")) == "=0 0 0 1 ?"


def test_where_branches_joined_each_line_follows_the_parent_that_holds_it() -> None:
    told = history(None, "abcd")
    told.edit(text("abcd"), text("Xabcd"))
    told.edit(text("abcd"), text("abcdY"))
    told.keep(text("Xabcd"), text("abcdY"))
    assert told.who(text("XabcdY")) == "1 0 0 0 0 2"


def test_what_two_branches_began_with_is_older_than_both() -> None:
    told = Steps()
    told.edit(text("abcd"), text("Xabcd"))
    told.edit(text("Xabcd"), text("XYabcd"))
    told.edit(text("abcd"), text("abcdZ"))
    told.keep(text("abcd"), text("XYabcd"), text("abcdZ"))
    assert told.who(text("XYabcdZ")) == "0 1 ? ? ? ? 2"


def test_of_two_branches_that_made_the_same_change_the_earlier_has_it() -> None:
    told = history(None, "abcd")
    told.edit(text("abcd"), text("Xabcd"))
    told.edit(text("abcd"), text("XabcdY"))
    told.keep(text("Xabcd"), text("XabcdY"))
    assert told.who(text("XabQcdY")) == "1 0 0 ? 0 0 2"
    told = history(None, "abcd", "Xabcd")
    told.edit(text("abcd"), text("Xabcd"))
    assert told.who(text("Xabcd")) == "1 0 0 0 0"


def test_not_every_head_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    told = history(None, "a")
    for name in "bcd":
        told.edit(text("a"), text("a" + name))
        told.keep(text("a" + name))
    monkeypatch.setattr(blame_module, "LINES_HASHED", 0)
    monkeypatch.setattr(lineage, "HEADS_COMPARED", 2)
    assert told.who(text("abcd")) == "0 ? 2 3"
    monkeypatch.setattr(lineage, "HEADS_COMPARED", 4)
    monkeypatch.setattr(lineage, "CONTENTS_ASKED", 1)
    assert told.who(text("abcd")) == "0 ? ? 3"


def test_not_every_link_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    told = history(None, "a")
    now = text("a")
    told.keep(now)
    for name in "bcd":
        told.edit(now + line("q" + name), now + line("q" + name) + line(name))
        now += line("q" + name) + line(name)
        told.keep(now)
    monkeypatch.setattr(blame_module, "LINES_HASHED", 0)
    assert told.who(now) == "0 ? 1 ? 2 ? 3"
    monkeypatch.setattr(lineage, "LINKS_MENDED", 2)
    assert told.who(now) == "? ? 1 ? 2 ? 3"


def test_what_is_left_of_an_older_content_is_compared_in_its_place() -> None:
    told = history(None, "abc", "Xbc", "XbcY")
    told.keep(text("abc"))
    # The first line is gone since then: who wrote it again is not known.
    assert told.who(text("abcQ")) == "? 0 0 ?"
    told.steps[1] = replace(told.steps[1], talks=((), (whole_file_range(b"?", 3),)))
    assert told.who(text("abcQ")) == "0 0 0 ?"


def test_an_older_content_is_looked_for_as_far_as_records_go() -> None:
    told = history("a", *(("a" + "bcdefghijklmnopqrstu"[:number]) for number in range(1, 21)))
    told.keep(text("a"))
    assert told.who(text("qabc")).split()[1] == "?"
    told = history(None, "a", None, "b")
    told.keep(text("a"))
    assert told.who(text("ba")) == ">2 0"


def test_too_much_to_be_compared_explains_nothing() -> None:
    assert carried(["a\n"], ["a\n"], lambda _old, _new: None) == [None]


# -- by the hashes of blocks -----------------------------------------------------------------------


def test_blocks_are_found_again_though_nothing_is_kept() -> None:
    told = history(None, "ab", "abXYZ", "abXYZ1")
    assert told.who(text("XYZqabr")) == ">1 >1 >1 ? >0 >0 ?"
    assert told.who(text("XqYZ1")) == "? ? ? ? >2"


def test_a_block_without_its_last_end_is_the_same_block() -> None:
    told = history(None, "ab")
    assert told.who("q\n" + text("ab").rstrip("\n")) == "? >0 >0"


def test_of_equal_blocks_the_earlier_record_has_it() -> None:
    told = history("a", "aX", "aXbX")
    assert told.who(text("QX")) == "? >0"
    # It is found once.
    assert told.who(text("XQXRX")) == ">0 ? ? ? ?"


def test_no_line_is_given_to_two_blocks() -> None:
    told = history("q", "qabc", "bcdqabc")
    assert told.who(text("Rabcd")) == "? >0 >0 >0 ?"


def test_trivial_blocks_are_not_looked_for() -> None:
    told = Steps()
    told.edit(text("a"), text("a") + "}\n\n}\n")
    assert told.who("}\n\n}\n") == "? ? ?"


def test_a_deletion_puts_nothing_in() -> None:
    told = history("abc", "ac")
    assert told.who(text("qa")) == "? ?"


def test_blocks_of_other_files_are_found_as_moved() -> None:
    told = history(None, "ab")
    told.others = [step(7, None, text("XYZ"))]
    assert told.who(text("XYZ")) == ">7 >7 >7"
    assert told.who(text("qXYZ")) == "? >7 >7 >7"
    # The file itself comes first, and what is explained is not looked for.
    told.others = [step(7, None, text("ab"))]
    assert told.who(text("abq")) == ">0 >0 ?"
    told.asked_elsewhere = 0
    assert told.who(text("ab")) == "0 0"
    assert not told.asked_elsewhere


def test_what_still_stands_in_another_file_was_copied() -> None:
    told = history(None, "ab")
    told.others, told.others_today = [step(7, None, text("XYZ"))], text("XYZ")
    assert told.who(text("qXYZ")) == "? ? ? ?"
    told.others_today = text("Xq")
    told.keep(text("XYZ"), text("Xq"))
    assert told.who(text("qXYZ")) == "? ? >7 >7"


def test_a_block_that_still_stands_in_another_file_is_not_taken_from_it() -> None:
    told = Steps(others=[step(7, None, text("PQXY")), step(8, text("PQXY"), text("XY"))])
    told.others_today = text("XY")
    told.keep(text("PQXY"), text("XY"))
    # Some of the other file is gone, and this is not.
    assert told.who(text("aXYb")) == "? ? ? ?"
    assert told.who(text("aPQb")) == "? >7 >7 ?"


@pytest.mark.parametrize(
    ("now", "who"),
    [
        pytest.param("qXYZr", "? >7 >7 >7 ?", id="a part of what one record put in"),
        pytest.param("qYZWr", "? >7 >7 >8 ?", id="parts of two records"),
        pytest.param("aXbZc", "? ? ? ? ?", id="a line here and a line there"),
    ],
)
def test_a_part_of_what_was_recorded_elsewhere_is_found(now: str, who: str) -> None:
    """A function out of a file that was made in one record: hashes know only the whole of it."""
    told = Steps(others=[step(7, None, text("PXYZS")), step(8, text("PXYZS"), text("PXYZWS"))])
    told.others_today = text("PS")
    told.keep(text("PS"), text("PXYZWS"))
    assert told.who(text(now)) == who


def test_a_short_line_of_another_file_is_nothing_to_go_by() -> None:
    told = Steps(others=[step(7, None, "import os\n")])
    assert told.who("import os\n" + text("pq")) == "? ? ?"
    assert told.asked_elsewhere == 1


def test_what_would_cost_too_much_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = history("a", "aXY", "aXYbZ")
    monkeypatch.setattr(blame_module, "LINES_HASHED", 7)
    # Four places of two lines cost 8, five of one line 5.
    assert told.who(text("ZXYqr")) == "? ? ? ? ?"
    monkeypatch.setattr(blame_module, "LINES_HASHED", 8)
    assert told.who(text("ZXYqr")) == "? >0 >0 ? ?"


@pytest.mark.parametrize(
    ("contents", "now", "who"),
    [
        pytest.param(("ab", "abX"), "abX", "? ? 0", id="an unbroken chain"),
        pytest.param(("Xab", "XabX"), "XabX", "? ? ? 0", id="equal to what was put in"),
        pytest.param(("XYa", "XYaXY"), "XYaXY", "? ? ? 0 0", id="the source of a copied block"),
        pytest.param(("aX", "aXX", "aX"), "aX", "? ?", id="put in beside it and deleted again"),
    ],
)
def test_what_is_older_than_the_first_record_is_nobodys(
    contents: tuple[str, ...], now: str, who: str
) -> None:
    assert history(*contents).who(text(now)) == who


@pytest.mark.parametrize(
    ("contents", "now", "who"),
    [
        pytest.param((None, "abX"), "XabX", "? 0 0 0", id="an equal line"),
        pytest.param((None, "ab", "aXb", "ab"), "QaXb", "? 0 ? 0", id="a line that was deleted"),
        pytest.param((None, "ab", "aXb", "aYb"), "aYbX", "0 2 0 ?", id="one that was replaced"),
    ],
)
def test_what_somebody_put_in_unseen_is_not_taken_for_its_like(
    contents: tuple[str | None, ...], now: str, who: str
) -> None:
    """As long as a content is kept with which the text can be compared."""
    told = history(*contents)
    told.keep(text(contents[-1] or ""))
    assert told.who(text(now)) == who


def test_a_short_line_is_not_found_again() -> None:
    told = Steps()
    told.edit(None, "import os\n")
    assert told.who("import os\n" + text("q")) == "? ?"


# -- records that say less -------------------------------------------------------------------------


def test_a_file_that_was_not_compared_is_its_records_save_what_was_kept() -> None:
    told = history(None, "abc")
    new = text("abX")
    whole = whole_file_range(new.encode(), 3)
    told.edit(text("abc"), new, talks=((whole,),))
    # Which of the lines are older nobody can tell.
    assert told.who(new) == "? ? ?"
    told.keep(text("abc"))
    assert told.who(new) == "0 0 1"


def test_an_edit_that_failed_claims_nothing_without_contents() -> None:
    told = history(None, "abc")
    told.edit(text("abc"), text("aXc"), talks=((),), told=False)
    told.edit(text("aXc"), text("aXcd"))
    assert told.who(text("aXcd")) == "? ? ? 2"
    told.keep(text("abc"))
    assert told.who(text("aXcd")) == "0 ? 0 2"
    told.edit(text("aXcd"), text("aXcd"), talks=((),), told=False)
    assert told.who(text("aXcd")) == "0 ? 0 2"


def test_ranges_of_older_tools_claim_the_lines_they_name() -> None:
    named = Range(start_line=2, end_line=9, content_hash=hash_content(b"?"))
    deletion = replace(named, start_line=1, end_line=1, replaced=(1, 1, 0))
    told = Steps([step(0, text("ab"), text("aXY"), talks=((named, deletion),))])
    assert told.who(text("aXY")) == "? 0 0"


BAD = {
    "before the first line": (0, 1, 1, 1, 1),
    "beyond the end": (9, 1, 1, 9, 9),
    "not where it says": (1, 1, 1, 3, 3),
    "less than nothing": (1, -1, 1, 1, 1),
    "more than there is": (1, 1, 9, 1, 9),
}


@pytest.mark.parametrize("run", BAD.values(), ids=BAD)
def test_a_record_that_does_not_fit_breaks_nothing(run: tuple[int, int, int, int, int]) -> None:
    first, old, new, start, end = run
    bad = Range(
        start_line=start,
        end_line=end,
        content_hash=hash_content(b"?"),
        replaced=(first, old, new),
    )
    told = history(None, "abc")
    told.edit(text("abc"), text("abX"), talks=((bad,),))
    assert len(told.claims(text("abX"))) == 3


def test_half_a_character_is_a_character_too() -> None:
    asked = BlamedText(hash=hash_content(b"?"), lines=["\ud800\n"])
    steps = history(None, "a").steps
    found = blame(asked, steps, contents=lambda _: None, diff=line_hunks, elsewhere=list)
    assert found == [None]


# -- what leaves -----------------------------------------------------------------------------------


def test_lines_that_are_not_saved_are_nobodys() -> None:
    claims: Attributions = [Attribution(0), Attribution(1), None]
    old = split_lines(text("abc"))
    assert carried_over(claims, old, split_lines(text("aXbc")), line_hunks) == [
        Attribution(0),
        None,
        Attribution(1),
        None,
    ]
    assert carried_over(claims, old, old[1:], line_hunks) == claims[1:]
    assert carried_over(claims, old, ["x"], lambda _old, _new: None) == [None]


def test_the_surest_claim_counts_and_then_the_earliest() -> None:
    assert best_of([None, Attribution(2, 0, MOVED), Attribution(5), Attribution(4)]) == Attribution(
        4
    )
    assert best_of([None]) is None


@pytest.mark.parametrize(
    ("first", "last", "lines"),
    [
        (0, 99, [(1, 1), (2, 3)]),
        (-5, 0, [(1, 1)]),
        (1, 1, [(2, 2)]),
        (2, 2, [(3, 3)]),
        (2, 1, []),
        (7, 9, []),
    ],
)
def test_runs_cover_what_is_asked_for(first: int, last: int, lines: list[tuple[int, int]]) -> None:
    claims: Attributions = [None, None, None]
    assert [(r.start_line, r.end_line) for r in blame_runs(claims, (), 0, 9)] == [(1, 3)]
    found = blame_runs([None, *[Attribution(0)] * 2], [one_source()], first, last)
    assert [(run.start_line, run.end_line) for run in found] == lines


def test_a_run_of_a_record_without_conversations_has_no_contributor() -> None:
    record, file = one_source()
    assert (
        one_run(Attribution(0), [(record, replace(file, conversations=()))], 1, 1).contributor
        is None
    )
