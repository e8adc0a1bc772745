"""The report in a real browser: what it draws, what its script does, what it asks the network."""

import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from intent_lsp.__main__ import main
from intent_lsp.core.records import EntityType, Event, ScopeValidation
from tests.formats.test_report_html import FRAGMENTS
from tests.support.chromium import Chromium, Tab, chromium
from tests.support.ledgers import edit, ledger_at
from tests.support.sample_ledger import sample_ledger

pytestmark = pytest.mark.e2e

EDITS = 150
SEEN = "[...document.querySelectorAll('#records > details')].filter((one) => !one.hidden).length"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a report of the sample."""
    root = tmp_path_factory.mktemp("report") / "webshop"
    sample_ledger(root, EDITS)
    page = root.parent / "report.html"
    assert main(["trace", "report", "-C", str(root), "--html", str(page)]) == 0
    return page


@pytest.fixture
def tab(browser: Chromium, report: Path) -> Tab:
    """Open the report, as a person with light colours sees it."""
    tab = browser.tab()
    tab.size(1200, 900)
    tab.set_color_scheme("light")
    tab.open(report)
    return tab


def colour(tab: Tab, of: str, what: str) -> str:
    told = tab.value(f"getComputedStyle(document.querySelector({of!r})).{what}")
    assert isinstance(told, str)
    return told


def test_the_page_asks_for_nothing_and_nobody_complains(tab: Tab, report: Path) -> None:
    assert tab.requests() == [report.as_uri()]
    assert tab.script_errors() == []


def test_every_part_is_drawn(tab: Tab) -> None:
    assert tab.value("document.querySelector('h1').textContent") == "Ledger report: webshop"
    assert tab.value("document.querySelectorAll('#records > details').length") == EDITS
    assert tab.value("document.querySelectorAll('.heat tbody tr').length") == 12
    assert tab.value("document.querySelectorAll('.cards li').length") == 9
    assert tab.value("document.querySelectorAll('svg[role=img] g').length") > 5
    # Each section has its place: nothing lies on top of another, nothing is cut off at the side.
    places = tab.value(
        "[...document.querySelectorAll('main > section')].map((one) => {"
        " const box = one.getBoundingClientRect(); return [box.top, box.bottom]; })"
    )
    assert all(top > above for (_, above), (top, _) in pairwise(places))
    assert tab.value("document.documentElement.scrollWidth <= innerWidth")


def test_the_style_is_the_pages_own(tab: Tab) -> None:
    assert colour(tab, "body", "backgroundColor") == "rgb(255, 255, 255)"
    assert colour(tab, ".verdict h2", "color") == "rgb(26, 127, 55)"
    assert tab.value("getComputedStyle(document.querySelector('.verdict')).paddingLeft") == "20px"


def test_dark_mode_is_dark_and_can_be_read(tab: Tab, tmp_path: Path) -> None:
    light = tab.picture()
    (tmp_path / "report-light.png").write_bytes(light)
    tab.set_color_scheme("dark")
    assert colour(tab, "body", "backgroundColor") == "rgb(13, 17, 23)"
    assert colour(tab, "body", "color") == "rgb(240, 246, 252)"
    dark = tab.picture()
    (tmp_path / "report-dark.png").write_bytes(dark)
    assert light != dark
    for picture in (light, dark):
        assert struct.unpack(">II", picture[16:24]) == (1200, 900)


def test_a_narrow_window_is_not_left(tab: Tab, tmp_path: Path) -> None:
    tab.size(400, 900)
    assert tab.value("document.documentElement.scrollWidth") == 400
    (tmp_path / "report-narrow.png").write_bytes(tab.picture())


def test_typing_narrows_the_records(tab: Tab) -> None:
    assert tab.value(SEEN) == EDITS
    tab.value("document.getElementById('filter').focus()")
    tab.types("readme FAIL")
    strays = tab.value(
        "[...document.querySelectorAll('#records > details')].filter((one) =>"
        " one.textContent.includes('README.md') && /FAIL/i.test(one.textContent)).length"
    )
    assert 0 < strays < EDITS
    assert tab.value(SEEN) == strays
    assert tab.value("document.getElementById('shown').textContent") == f"{strays} of {EDITS} shown"
    tab.types(" no-such-word")
    assert tab.value(SEEN) == 0


def test_records_unfold_and_fold_together(tab: Tab) -> None:
    opened = "document.querySelectorAll('#records > details[open]').length"
    assert tab.value(opened) == 0
    for count in (EDITS, 0):
        tab.value("document.getElementById('toggle').click()")
        assert tab.value(opened) == count


def test_a_violation_leads_to_its_record(tab: Tab) -> None:
    tab.value("document.getElementById('filter').value = 'no-such-word'")
    tab.value("document.getElementById('filter').dispatchEvent(new Event('input'))")
    tab.value("document.querySelector('main a').click()")
    # What the browser does about a new address comes after the click.
    tab.ask(
        "Runtime.evaluate",
        expression="new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))",
        awaitPromise=True,
    )
    assert tab.value("document.querySelector(location.hash).open")
    assert tab.value("document.querySelector(location.hash).textContent.includes('FAIL')")
    assert tab.value(SEEN) == EDITS


def test_without_its_script_everything_can_be_read(browser: Chromium, report: Path) -> None:
    tab = browser.tab()
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    tab.open(report)
    assert tab.value(SEEN) == EDITS
    assert tab.value("getComputedStyle(document.querySelector('.tools')).display") == "none"


def hostile(fragment: str) -> Event:
    # A ledger holds no lone surrogates: those are in the law of tests/formats.
    word = fragment.encode("utf-8", "ignore").decode()[:200] or "x"
    event = edit(word, session_id=word, tool_name=word, intent_id=word)
    return Event(
        **{
            name: getattr(event, name) for name in ("intent_id", "session_id", "tool_name", "files")
        },
        mutation_class=event.mutation_class,
        scope_validation=ScopeValidation.FAIL,
        success=False,
        error=word[:120],
    )


def test_hostile_names_are_text_in_a_browser_too(browser: Chromium, tmp_path: Path) -> None:
    root = tmp_path / "<img src=x onerror=alert(1)><!--"
    (root / ".orchestration").mkdir(parents=True)
    (root / ".orchestration" / "active_intents.yaml").write_text("active_intents: []\n")
    ledger = ledger_at(root)
    for fragment in FRAGMENTS:
        ledger.append(hostile(fragment))
    ledger.close()
    page = tmp_path / "report.html"
    assert main(["trace", "report", "-C", str(root), "--html", str(page)]) == 0
    tab = browser.tab()
    tab.open(page)
    assert tab.script_errors() == []
    assert tab.requests() == [page.as_uri()]
    assert tab.value("document.title") == f"Ledger report: {root.name}"
    assert tab.value("document.scripts.length") == 1
    assert (
        tab.value("document.querySelectorAll('img, b[onmouseover], main a[href^=java]').length")
        == 0
    )
    assert tab.value("document.querySelectorAll('#records > details').length") == len(FRAGMENTS)
    assert EntityType.HUMAN.value in tab.value("document.body.textContent")


@pytest.mark.parametrize(
    ("theme", "paper", "ink"),
    [
        ("vscode-dark", "rgb(30, 30, 46)", "rgb(205, 214, 244)"),
        ("vscode-light", "rgb(253, 246, 227)", "rgb(101, 123, 131)"),
    ],
)
def test_in_an_editor_it_has_the_colours_of_its_theme(
    tab: Tab, theme: str, paper: str, ink: str
) -> None:
    # What VS Code gives a page that it shows, whatever colours the system has.
    tab.value(f"document.body.classList.add({theme!r})")
    for name, value in (("background", paper), ("foreground", ink)):
        style = "document.documentElement.style"
        tab.value(f"{style}.setProperty('--vscode-editor-{name}', {value!r})")
    assert colour(tab, "body", "backgroundColor") == paper
    assert colour(tab, "body", "color") == ink
    assert colour(tab, "body", "colorScheme") == theme.removeprefix("vscode-")
    assert (
        colour(tab, ".FAIL", "color")
        == {
            "vscode-dark": "rgb(248, 81, 73)",
            "vscode-light": "rgb(207, 34, 46)",
        }[theme]
    )


@pytest.mark.parametrize("wide", [420, 700, 1200])
def test_no_word_is_broken_in_a_narrow_panel(tab: Tab, wide: int) -> None:
    tab.size(wide, 900)
    broken = tab.value(
        "(() => { const range = document.createRange(), found = [];"
        " const walk = document.createTreeWalker(document.querySelector('main'), 4);"
        " while (walk.nextNode()) { const text = walk.currentNode;"
        "  const of = text.parentElement;"
        "  if (!of.checkVisibility() || of.closest('svg')) continue;"
        "  for (const word of text.data.matchAll(/[A-Za-z]{2,20}/g)) {"
        "   range.setStart(text, word.index); range.setEnd(text, word.index + word[0].length);"
        "   const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));"
        "   if (tops.size > 1) found.push(word[0]); } } return found; })()"
    )
    assert broken == []
