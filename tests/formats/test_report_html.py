"""The report as a page: it shows everything, and no text on it becomes markup or script."""

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.approvals import Approval, ApprovalChoice, Grant
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import UNSEALED, Head
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, LedgerProblem, Verification
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Event,
    Integrity,
    MutationClass,
    Range,
    Record,
    RecordFile,
    ScopeValidation,
    Vcs,
)
from intent_lsp.core.report.aggregates import ReportData, ReportSurvey
from intent_lsp.core.text import escape_unseen
from intent_lsp.formats.report import page as report_page
from intent_lsp.formats.report.page import LONGEST, OPENING, policy
from intent_lsp.store.packaged_files import report_files
from tests.support.ledgers import HASH, edit

FILES = report_files()
BROKEN = "The ledger is DAMAGED, cannot be read, or was CHANGED after it was written: see below"
STYLE, SCRIPT = FILES["page.css"], FILES["page.js"]
SOUND = Verification(
    ok=True,
    records=3,
    segments=1,
    heads=(),
    problems=(),
    proved="nothing: there is no commit, checkpoint or other hash to compare with",
    conditional="all 3 records",
)
FRAGMENTS = (
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "</title><svg/onload=alert(1)>",
    '"><b onmouseover="alert(1)">',
    "'><a href='javascript:alert(1)'>",
    "<!--",
    "-->",
    "]]>",
    "<![CDATA[",
    "&lt;script&gt;",
    "&#x3c;b&#x3e;",
    "&nbsp",
    "\u202ecod.exe",
    "\u2066\u2069\u200b\ufeff",
    "\0",
    "\x1b[31m",
    "\r\n\x85\u2028",
    "\udc80\ud800",
    "\ufffe\U0010ffff",
    "{{7*7}}${7*7}`",
    "עברית",
    "a" * 900,
)
hostile = st.lists(
    st.sampled_from(FRAGMENTS) | st.text(st.characters(), max_size=6), max_size=4
).map(lambda words: "".join(words) or "x")


@dataclass
class Parsed(HTMLParser):
    """What a browser's parser makes of a page: its tags with their attributes, and its text."""

    tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag not in {"meta", "input"}:
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.inside[-1:] and self.inside[-1] in {"style", "script"}:
            self.raw[self.inside[-1]] = data
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def report_html(data: ReportData) -> str:
    return report_page.report_html(data, FILES)


def parsed(page: str) -> Parsed:
    found = Parsed()
    found.feed(page)
    found.close()
    assert found.inside == []
    return found


def recorded(event: Event, number: int = 0, at: str = "2026-11-21T20:27:33.123Z") -> Record:
    place = Integrity(prev_record_hash=None, record_hash=UNSEALED)
    name = f"{number:08x}-0000-4000-8000-000000000000"
    return Record.of(event, id=name, timestamp=at, integrity=place)


def report(*records: Record, **told: object) -> ReportData:
    survey = ReportSurvey()
    for record in records:
        survey.count(record)
    plain = ReportData(
        project="shop",
        product="intent-lsp 1",
        made_at="2026-11-22T09:00:00.000Z",
        filters=(),
        names={"INT-001": "Login"},
        verification=SOUND,
        survey=survey,
    )
    return replace(plain, **told)  # type: ignore[arg-type]  # a test's shorthand


def everything_says(word: str) -> ReportData:
    """Make a report in which every foreign text is this one."""
    talk = Conversation(
        url=word,
        contributor=Contributor(EntityType.AI, word),
        ranges=(Range(start_line=1, end_line=2, content_hash=HASH, replaced=(1, 0, 2)),),
    )
    file = RecordFile(
        relative_path=word, previous_path=word, pre_hash=None, post_hash=HASH, conversations=(talk,)
    )
    stray = edit(
        intent_id=word,
        session_id=word,
        agent_id=word,
        tool_name=word,
        scope_validation=ScopeValidation.FAIL,
        success=False,
        error=word,
        approval=Approval(choice=ApprovalChoice.ONCE, session_id=word),
        grant=Grant(patterns=(word,), reason=word, granted_by=word, expires_at=word),
        vcs=Vcs(word),
        files=(file,),
    )
    problem = LedgerProblem(
        code=LedgerCode.BAD_HASH, severity=Severity.ERROR, file=word, line=1, message=word
    )
    anchor = Anchor(hash=ContentHash(word), kind=AnchorKind.COMMIT, name=word, records=None)
    verification = replace(
        SOUND, ok=False, problems=(problem,), anchors=(anchor,), proved=word, conditional=word
    )
    return report(
        replace(recorded(stray), id=word),
        project=word,
        filters=(word,),
        names={word: word},
        verification=verification,
    )


@given(hostile)
def test_nothing_that_is_told_is_alive(word: str) -> None:
    page = report_html(everything_says(word))
    page.encode()
    plain, told = parsed(report_html(everything_says("plain"))), parsed(page)
    # The same tags with the same attributes, whatever is said between them.
    assert told.tags == plain.tags
    assert told.comments == plain.comments == [" intent-lsp report "]
    assert told.raw == {"style": STYLE, "script": SCRIPT}
    shown = escape_unseen(word if len(word) <= LONGEST else word[: LONGEST - 1] + "…")
    assert told.text.count(shown) >= 20
    unseen = re.compile(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
    )
    assert unseen.search(page) is None


def test_the_policy_lets_in_the_style_and_the_script_and_nothing_else() -> None:
    told = parsed(report_html(report(recorded(edit()))))
    (said,) = [
        dict(attributes)["content"]
        for name, attributes in told.tags
        if name == "meta" and ("http-equiv", "Content-Security-Policy") in attributes
    ]
    assert said == policy(STYLE, SCRIPT)
    assert said.startswith("default-src 'none'; ")
    for text in (STYLE, SCRIPT):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in said
        assert "</" not in text
    names = {attribute for _, attributes in told.tags for attribute, _ in attributes}
    assert not {name for name in names if name.startswith("on") or name in {"src", "style"}}
    links = {dict(attributes).get("href") for name, attributes in told.tags if name == "a"}
    assert all(link is not None and link.startswith("#record-") for link in links)
    assert "url(" not in STYLE
    assert "//" not in STYLE + SCRIPT


def test_a_page_begins_as_every_report_does_and_names_what_it_is_of() -> None:
    page = report_html(report(recorded(edit()), filters=("--since 3d",)))
    assert page.startswith(OPENING)
    text = parsed(page).text
    for told in (
        "Ledger report: shop",
        "1 edit from 2026-11-21 20:27:33 to 2026-11-21 20:27:33. Made 2026-11-22 09:00:00.",
        "This report has only the records that match --since 3d",
        "The ledger is intact: all hashes and links match",
        "provednothing: there is no commit, checkpoint or other hash to compare with",
        "conditionalall 3 records",
        "not provable herethat every edit was recorded, and that clocks were right",
        "No edit was recorded as a violation.",
        "All 1 edit, newest first.",
        "Login",
        "Made by intent-lsp 1 from nothing but the ledger.",
    ):
        assert told in text


def test_a_ledger_without_records_has_a_page_too() -> None:
    text = parsed(report_html(report())).text
    assert "0 edits. Made" in text
    assert "There was no edit in this time." in text
    assert "Intents and files" not in text


def test_what_was_found_is_told_with_its_place() -> None:
    problem = LedgerProblem(
        code=LedgerCode.CLOCK_BACKWARDS,
        severity=Severity.INFORMATION,
        file="x.jsonl",
        line=7,
        message="its time is earlier",
    )
    anchors = (
        Anchor(hash=HASH, kind=AnchorKind.COMMIT, name="a3c5", records=1200),
        Anchor(hash=HASH, kind=AnchorKind.KNOWN_HEAD),
        Anchor(hash=ContentHash("sha256:seen"), kind=AnchorKind.KNOWN_HEAD, records=7),
    )
    head = Head(hash=HASH, line=1, session_id="s1")
    found = replace(SOUND, segments=2, heads=(head,), problems=(problem,), anchors=anchors)
    told = parsed(report_html(report(verification=found)))
    assert "The ledger is intact" in told.text
    assert "sha256:seen" not in told.text
    assert "3 records in 2 files, the whole ledger" in told.text
    assert f"anchor{HASH} (commit a3c5): proves 1,200 records" in told.text
    assert f"anchor{HASH} (known head): in no file" in told.text
    assert f"head{HASH}" in told.text
    many = replace(found, heads=(head,) * 1_012)
    assert "headsand 1,002 more" in parsed(report_html(report(verification=many))).text
    assert "informationCLOCK_BACKWARDSx.jsonl:7its time is earlier" in told.text


@pytest.mark.parametrize(
    ("codes", "title"),
    [
        ([LedgerCode.TRUNCATED], "Records are MISSING from the ledger: a file, or the end of one."),
        (
            [LedgerCode.BAD_HASH],
            BROKEN,
        ),
        (
            [LedgerCode.TRUNCATED, LedgerCode.BAD_HASH],
            BROKEN,
        ),
    ],
)
def test_what_is_wrong_is_the_verdict(codes: list[LedgerCode], title: str) -> None:
    problems = tuple(
        LedgerProblem(code=code, severity=Severity.ERROR, file="x.jsonl", line=1, message="m")
        for code in codes
    )
    told = parsed(report_html(report(verification=replace(SOUND, ok=False, problems=problems))))
    assert title in told.text
    assert ("section", (("class", "verdict broken"),)) in told.tags


def test_files_and_intents_are_crossed_by_heat() -> None:
    stray = edit("b", scope_validation=ScopeValidation.FAIL, intent_id="INT-002")
    records = [edit("a"), edit("a"), edit("a"), edit("b", intent_id=None), stray]
    page = report_html(report(*map(recorded, records)))
    rows = re.findall(r"<tr><th scope=\"row\"><code>.*?</tr>", page)
    cells = [re.findall(r"<t[hd](?: class=\"(h\d)\")?[^>]*>(.*?)</t[hd]>", row) for row in rows]
    plain = [[(heat, re.sub("<[^>]*>", "", text)) for heat, text in row] for row in cells]
    # Columns: the file, INT-001, INT-002, no intent, all.
    assert plain == [
        [("", "a"), ("h4", "3"), ("", ""), ("", ""), ("", "3")],
        [("", "b"), ("", ""), ("h1", "1 ✕1"), ("h1", "1"), ("", "2 ✕1")],
    ]
    assert "2 files and 3 intents" in page


def test_an_intent_that_is_gone_is_said_to_be() -> None:
    text = parsed(report_html(report(recorded(edit(intent_id="INT-9"))))).text
    assert "INT-9no longer in the intents file" in text


def test_tables_show_the_largest_and_say_so() -> None:
    records = [recorded(edit(f"f{n}", intent_id=f"I{n}"), n) for n in range(60)]
    text = parsed(report_html(report(*records))).text
    assert "40 of 60 files and 8 of 60 intents, those with the most edits" in text
    assert "50 of 60 intents" in text


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (edit(files=()), ["-"]),
        (edit(success=False, files=()), ["failed", "no reason was given"]),
        (edit(concurrent_modification=True), ["somebody else changed one of"]),
        (edit(intent_hash=HASH), ["intent's text"]),
        (
            edit(approval=Approval(choice=ApprovalChoice.EXPANDED, session_id="s9")),
            ["expanded, in session s9"],
        ),
        (
            edit(
                grant=Grant(
                    patterns=tuple("abcdefghijk"), reason=None, granted_by="s1", expires_at=None
                ),
                files=(),
                mutation_class=MutationClass.CONFIGURATION,
            ),
            ["a b c d e f g h  and 3 more patterns", "taken back", "no reason was given"],
        ),
    ],
)
def test_a_record_tells_what_is_only_sometimes_there(event: Event, words: list[str]) -> None:
    text = parsed(report_html(report(recorded(event)))).text
    for word in words:
        assert word in text


def test_a_record_tells_which_ends_of_branches_it_ties() -> None:
    record = recorded(edit())
    other = ContentHash("sha256:" + "7" * 64)
    place = replace(record.integrity, prev_record_hash=HASH, merges=(other,))
    text = parsed(report_html(report(replace(record, integrity=place)))).text
    assert f"follows{HASH}ties{other}" in text


def test_a_record_of_many_files_and_ranges_is_bounded() -> None:
    plain = edit().files[0]
    run = plain.conversations[0].ranges[0]
    runs = tuple(replace(run, start_line=n, end_line=n) for n in range(1, 900))
    whole = replace(run, fallback=True, replaced=None)
    none = replace(run, start_line=0, end_line=0, replaced=(1, 4, 0))
    kinds = [runs, (whole,), (none,), ()]
    files = tuple(
        replace(
            plain,
            relative_path=f"file-{n}",
            conversations=(replace(plain.conversations[0], ranges=kinds[n % 4]),),
        )
        for n in range(900)
    )
    page = report_html(report(recorded(edit(files=files))))
    text = parsed(page).text
    assert "12–12 (+1 −0) and 887 more ranges" in text  # noqa: RUF001 -- as in print
    assert "the whole file, not compared line by line" in text
    assert "none left (+0 −4)" in text  # noqa: RUF001 -- as in print
    assert " and 892 more files" in text
    assert text.count("file-899") == 0
    assert len(page) < 60_000


def test_a_link_leads_from_a_violation_to_its_record_while_it_is_there() -> None:
    stray = edit(scope_validation=ScopeValidation.FAIL)
    found = report(*(recorded(stray, number) for number in range(3)))
    assert parsed(report_html(found)).tags.count(("a", (("href", "#record-2"),))) == 1
    found.survey.newest.pop()
    page = report_html(found)
    assert "#record-2" not in page
    assert "The newest 2 of 3 edits; all of them are in the figures above." in page


def test_a_page_of_many_records_stays_small() -> None:
    survey = report(*(recorded(edit(f"src/f{n % 997}.py"), n) for n in range(5_000))).survey
    page = report_html(replace(report(), survey=survey))
    assert page.count("<details") == 1_000
    assert "The newest 1,000 of 5,000 edits" in page
    assert len(page) < 2_500_000


@pytest.mark.parametrize(
    ("moments", "each", "bars"),
    [
        (["2026-11-21T20"], "one bar for every 1 hour", 1),
        (["2026-11-21T08", "2026-11-21T20", "2026-11-21T20"], "one bar for every 1 hour", 2),
        (["2026-11-02T20", "2026-11-21T20"], "one bar for every 12 hours", 2),
        (["2026-10-02T20", "2026-11-21T20"], "one bar for every 1 day", 2),
        (["2020-01-02T20", "2026-11-21T20"], "one bar for every 6 weeks", 2),
    ],
)
def test_the_timeline_is_a_picture_with_words(moments: list[str], each: str, bars: int) -> None:
    records = [recorded(edit(), at=f"{moment}:00:00.000Z") for moment in moments]
    told = parsed(report_html(report(*records)))
    picture = next(dict(attributes) for name, attributes in told.tags if name == "svg")
    assert picture["role"] == "img"
    assert each in str(picture["aria-label"])
    assert sum(1 for name, _ in told.tags if name == "g") == bars
    assert " PASS" in told.text


def test_what_was_out_of_scope_is_seen_however_little_it_was() -> None:
    stray = recorded(edit(scope_validation=ScopeValidation.FAIL))
    page = report_html(report(stray, *[recorded(edit()) for _ in range(900)]))
    (height,) = re.findall(
        r'<rect x="[^"]*" y="[^"]*" width="[^"]*" height="([^"]*)" class="fail"', page
    )
    assert float(height) >= 1.5
