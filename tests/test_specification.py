"""The specification in docs/spec/: cited sections exist, and the gate asks its rows."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.explain import explain_call
from intent_lsp.core.gate.gate import CHECKS, judge_call
from intent_lsp.core.gate.request import Denied
from tests.support import markdown
from tests.support.gate_questions import CALL, FINE, NUMBERS, broken
from tests.support.gate_table import gate_table

ROOT = Path(__file__).parent.parent
SPEC = ROOT / "docs" / "spec"
PAGES = {path.stem: markdown.read(path) for path in SPEC.glob("*.md") if path.stem != "README"}
SECTIONS = {
    name: {found for text in page.headings() for found in re.findall(r"^(\d+(?:\.\d+)?)\.? ", text)}
    for name, page in PAGES.items()
}

_NUMBER = r"\d+(?:\.\d+)?"
_CITATION = re.compile(
    rf"(?P<page>[\w-]+,?)\s+sections?\s+(?P<numbers>{_NUMBER}(?:(?:,| and| to|, and)\s{_NUMBER})*)",
    flags=re.IGNORECASE,
)
_NOT_OURS = re.compile(r"\d+,|in")
"""What stands before a section of something else: an RFC's number, a word of code."""


class Citation(NamedTuple):
    """A section of a page, and who cites it."""

    file: str
    page: str
    number: str


def citations() -> Iterator[Citation]:
    """Find what code, tests and pages cite; within the specification a page's own need no name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in listed.split("\0"):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".ts", ".lua", ".el", ".mjs"} and path.is_file():
            # A link's text may cite the section that its target names.
            text = re.sub(r"[#\[\](]", " ", path.read_text(encoding="utf-8"))
            for found in _CITATION.finditer(text):
                page = found["page"].lower()
                if path.is_relative_to(SPEC) and page not in PAGES:
                    page = path.stem
                if not _NOT_OURS.fullmatch(page):
                    for number in re.findall(_NUMBER, found["numbers"]):
                        yield Citation(name, page, number)


def test_every_section_that_is_cited_exists() -> None:
    cited = list(citations())
    assert len(cited) > len(SECTIONS)
    assert [each for each in cited if each.number not in SECTIONS.get(each.page, ())] == []


@pytest.mark.parametrize("name", PAGES)
def test_sections_are_numbered_without_a_gap(name: str) -> None:
    tops = [int(number) for number in SECTIONS[name] if "." not in number]
    assert sorted(tops) == list(range(1, len(tops) + 1))
    for top in tops:
        below = sorted(
            int(each.removeprefix(f"{top}."))
            for each in SECTIONS[name]
            if each.startswith(f"{top}.")
        )
        assert below == list(range(1, len(below) + 1))


def test_the_gate_asks_the_rows_of_the_specification() -> None:
    table = gate_table()
    explained = explain_call(FINE, CALL)
    assert [row.number for row in explained] == list(table)
    assert [row.label for row in explained] == [row.label for row in table.values()]
    codes = {row.number: f"`{row.code}`" for row in explained if row.code is not None}
    assert codes == {number: row.code for number, row in table.items() if row.code.isascii()}
    calls = {row.number for row in CHECKS if row.agents_only}
    assert {number for number, row in table.items() if row.applies.startswith("calls")} - calls == {
        16
    }


@pytest.mark.parametrize("number", NUMBERS)
def test_each_row_refuses_with_the_message_of_the_specification(number: int) -> None:
    denied = judge_call(*broken(number))
    assert isinstance(denied, Denied)
    assert denied.code is not GateCode.GOVERNANCE_UNAVAILABLE
    messages = re.findall(r"`([A-Z][^`]* [^`]*)`", gate_table()[number].message)
    patterns = [re.sub(r"<[a-zA-Z]+>", ".+", re.escape(each)) for each in messages]
    assert any(re.fullmatch(each, denied.message) for each in patterns), (messages, denied.message)
