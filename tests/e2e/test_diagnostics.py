"""Diagnostics for edits, as an editor sees them (requirements section 8)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.support.editor import Editor, capabilities, editing, jittered_server
from tests.support.governed_repository import FILES, INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
LEDGER = ".orchestration/agent_trace.jsonl"
OUT = "SCOPE_VIOLATION"


async def select(editor: Editor, intent_id: str) -> None:
    await editor.ask("intent/select", {"intentId": intent_id})


def marked(shown: list[lsp.Diagnostic] | tuple[lsp.Diagnostic, ...]) -> list[tuple[int, ...]]:
    return [
        (d.range.start.line, d.range.start.character, d.range.end.line, d.range.end.character)
        for d in shown
    ]


async def test_what_is_marked_is_each_run_of_changed_lines(repository: Repository) -> None:
    govern(repository)
    repository.write("many.txt", "".join(f"{n}\n" for n in range(400)))
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.open("many.txt")
        assert not await editor.settled(INVOICE)
        assert not await editor.settled("many.txt")
        assert editor.shown == {}

        # A pure deletion marks the line above it; at the top, line 0.
        editor.type(INVOICE, LINES.removeprefix("line 1\n"))
        assert marked(await editor.problems(INVOICE, OUT)) == [(0, 0, 0, 6)]
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)
        editor.type(INVOICE, LINES.replace("line 5\nline 6\n", ""))
        assert marked(await editor.problems(INVOICE, OUT)) == [(3, 0, 3, 6)]
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)
        editor.type(INVOICE, LINES.removesuffix("line 10\n"))
        assert marked(await editor.problems(INVOICE, OUT)) == [(8, 0, 8, 6)]
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)

        # The last line without its end; text after the last line; nothing at all.
        editor.type(INVOICE, LINES.removesuffix("\n"))
        assert marked(await editor.problems(INVOICE, OUT)) == [(9, 0, 9, 7)]
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)
        editor.type(INVOICE, LINES + "\n")
        assert marked(await editor.problems(INVOICE, OUT)) == [(10, 0, 10, 0)]
        editor.type(INVOICE, "")
        await editor.until(lambda: marked(diagnostics(editor, INVOICE)) == [(0, 0, 0, 0)], "empty")
        editor.type(INVOICE, "another\nfile\n")
        await editor.until(lambda: marked(diagnostics(editor, INVOICE)) == [(0, 0, 1, 4)], "whole")
        # What is shown belongs to the version that was typed last.
        assert editor.shown[editor.uri(INVOICE)].version == editor.buffers[INVOICE].version

        lines = [f"{n}{'!' if n % 3 == 0 else ''}\n" for n in range(360)]
        editor.type("many.txt", "".join(lines) + "".join(f"{n}\n" for n in range(360, 400)))
        shown = await editor.problems("many.txt", *[OUT] * 100, "MORE_VIOLATIONS")
        assert [d.range.start.line for d in shown[:-1]] == [3 * n for n in range(100)]
        assert shown[-1].severity == lsp.DiagnosticSeverity.Information
        assert "20 more" in shown[-1].message


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_who_is_told_of_an_intent_is_shown_nothing_more_by_the_one_before(
    repository: Repository, seed: int
) -> None:
    govern(repository)
    async with editing(repository.root, command=jittered_server(seed)) as editor:
        editor.open(INVOICE)
        assert not await editor.settled(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        selecting = asyncio.create_task(select(editor, "INT-001"))
        await editor.until(
            lambda: "INT-001" in [told["activeIntentId"] for _, told in editor.notified], "told"
        )
        version = editor.type(INVOICE, LINES + "more\nand more\n").version
        shown = await editor.until(
            lambda: (now := editor.shown[editor.uri(INVOICE)]).version == version and now, "shown"
        )
        assert [each.code for each in shown.diagnostics] == [OUT]
        await selecting


async def test_a_root_shows_a_thousand_at_most(repository: Repository) -> None:
    govern(repository)
    names = [f"many/{n:02}.txt" for n in range(11)]
    for name in names:
        repository.write(name, "".join(f"{n}\n" for n in range(200)))
    repository.commit()
    spoilt = "".join(f"{n}{'!' if n % 2 else ''}\n" for n in range(200))
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for name in names[:10]:
            editor.open(name)
            editor.type(name, spoilt)
            await editor.problems(name, *[OUT] * 100)
        editor.open(names[10])
        editor.type(names[10], spoilt)
        (more,) = await editor.problems(names[10], "MORE_VIOLATIONS")
        assert more.severity == lsp.DiagnosticSeverity.Information
        # Where some go, others come.
        editor.type(names[0], "".join(f"{n}\n" for n in range(200)))
        await editor.problems(names[0])
        editor.type(names[10], spoilt + "more\n")
        await editor.problems(names[10], *[OUT] * 100)


@pytest.mark.parametrize(
    ("offered", "agreed", "width"),
    [(["utf-16", "utf-8"], "utf-8", 16), (["utf-32"], "utf-32", 6), (None, "utf-16", 8)],
)
async def test_lines_end_where_lines_end_and_columns_are_the_clients(
    repository: Repository, offered: list[str] | None, agreed: str, width: int
) -> None:
    govern(repository)
    text = "one\r\ntwo\rthree\u2028still three\nfour\f\nfive"
    repository.write("mixed.txt", text.encode())
    repository.commit()
    declared = capabilities(general={} if offered is None else {"positionEncodings": offered})
    async with editing(repository.root, client_capabilities=declared) as editor:
        assert editor.encoding.value == agreed
        await select(editor, "INT-001")
        editor.open("mixed.txt")
        # An emoji of two parts, a letter with a combining mark, an umlaut.
        line = "🙂\N{VARIATION SELECTOR-16}e\u0301ü🙂"
        editor.type("mixed.txt", text.replace("two\r", line + "\r").replace("five", "fünf"))
        shown = await editor.problems("mixed.txt", OUT, OUT)
        last = 5 if agreed == "utf-8" else 4
        assert marked(shown) == [(1, 0, 1, width), (4, 0, 4, last)]
        # A line end that changes is a change of its line.
        editor.type("mixed.txt", text.replace("one\r\n", "one\n"))
        await editor.until(
            lambda: marked(diagnostics(editor, "mixed.txt")) == [(0, 0, 0, 3)], "line 0"
        )
        await editor.run((await editor.actions("mixed.txt"))["Revert these lines"])
        assert editor.buffers["mixed.txt"].text == text
        await editor.problems("mixed.txt")


async def test_what_is_shown_goes_the_moment_its_cause_goes(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)

        async def spoil(text: str = LINES + "more\n") -> None:
            editor.type(INVOICE, text)
            await editor.save(INVOICE)
            await editor.problems(INVOICE, OUT)

        await spoil()
        repository.git("checkout", "--", INVOICE)
        editor.reload(INVOICE)
        await editor.problems(INVOICE)
        await spoil()
        repository.git("stash")
        editor.reload(INVOICE)
        await editor.problems(INVOICE)
        await spoil()
        await select(editor, "INT-002")
        await editor.problems(INVOICE)
        await editor.ask("intent/clear")
        editor.type(INVOICE, "top\n" + LINES + "more\n")
        (shown,) = await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        assert marked([shown]) == [(0, 0, 0, 3)]
        # The owner leads out of it.
        assert list(await editor.actions(INVOICE)) == [
            "Select intent INT-002 (owns this file)",
            "Select an intent…",
            "Create an intent for this file and select it",
            "Revert these lines",
            "Revert the file",
            "Show why",
        ]
        repository.git("commit", "--quiet", "--all", "--message", "what was saved")
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE)
        # Another branch in place of this one.
        await select(editor, "INT-001")
        await spoil("branch\n" + LINES + "more\n")
        repository.git("switch", "--quiet", "--create", "other")
        await editor.problems(INVOICE, OUT)
        repository.git("commit", "--quiet", "--all", "--message", "on the other")
        await editor.problems(INVOICE)


async def test_where_no_intent_is_open_the_first_fix_creates_one_and_selects_it(
    repository: Repository,
) -> None:
    govern(repository)
    repository.write(INTENTS_FILE, "active_intents: []\n")
    repository.commit()
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        actions = await editor.actions(INVOICE, len(LINES.splitlines()))
        first, *others = actions
        assert first == "Create an intent for this file and select it"
        assert not [title for title in others if title.startswith("Select")]
        # Whoever asks for a choice where there is none is told what to do.
        assert await editor.command("intent.select") is None
        assert "there is no open intent;" in editor.messages[-1]
        await editor.run(actions[first])
        await editor.problems(INVOICE)
        status = await editor.ask("intent/status")
        assert status["activeIntentId"] == "INT-001"
        listed = await editor.ask("intent/list")
        assert listed["intents"][0]["ownedScope"] == [INVOICE]


async def test_the_code_says_what_became_of_the_intent(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-002")
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        assert not await editor.settled(INVOICE)
        intents = (repository.root / INTENTS_FILE).read_text()

        repository.replace(
            INTENTS_FILE, intents.replace("status: IN_PROGRESS", "status: COMPLETED")
        )
        (shown,) = await editor.problems(INVOICE, "INTENT_CLOSED")
        assert shown.severity == lsp.DiagnosticSeverity.Error
        assert (
            shown.message == "INT-002 (Billing) is COMPLETED: no more files may be edited for it."
        )
        repository.replace(INTENTS_FILE, intents.replace("INT-002", "INT-003"))
        (shown,) = await editor.problems(INVOICE, "INTENT_NOT_FOUND")
        assert shown.message == (
            "The selected intent INT-002 is not in .orchestration/active_intents.yaml."
        )
        assert "Select intent INT-003 (owns this file)" in await editor.actions(INVOICE)
        repository.replace(INTENTS_FILE, intents)
        await editor.problems(INVOICE)
        repository.write(".intentignore", "INT-00[2-9]\n")
        (shown,) = await editor.problems(INVOICE, "INTENT_IGNORED")
        assert shown.message == "INT-002 (Billing) is ignored: a line of .intentignore matches it."
        # Who may not be selected is not offered.
        assert "Select intent INT-002 (owns this file)" not in await editor.actions(INVOICE)
        (repository.root / ".intentignore").unlink()
        await editor.problems(INVOICE)
        # The scope, edited in the editor and saved, not typed alone.
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, intents.replace("src/billing/**", "src/books/**"))
        assert not await editor.settled(INVOICE)
        await editor.save(INTENTS_FILE)
        await editor.problems(INVOICE, OUT)
        await editor.problems(INTENTS_FILE, "SCOPE_MATCHES_NOTHING")
        editor.type(INTENTS_FILE, intents)
        await editor.save(INTENTS_FILE)
        await editor.problems(INVOICE)


async def test_settings_say_how_loud_and_where_live(repository: Repository) -> None:
    govern(repository)
    declared = capabilities(workspace__configuration=True)

    async def set_to(**settings: object) -> None:
        editor.settings = settings
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))

    def severities() -> list[lsp.DiagnosticSeverity | None]:
        return [d.severity for d in diagnostics(editor, INVOICE)]

    async with editing(
        repository.root,
        client_capabilities=declared,
        options={"severity": {OUT: "hint"}, "nonsense": True},
    ) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.open(INTENTS_FILE)
        editor.type(INVOICE, "top\n" + LINES)
        await editor.problems(INVOICE, OUT)
        assert severities() == [lsp.DiagnosticSeverity.Hint]
        await set_to(severity={OUT: "information"})
        await editor.until(lambda: severities() == [lsp.DiagnosticSeverity.Information], "quiet")
        await set_to(severity={OUT: "off", "UNKNOWN_STATUS": "error"})
        await editor.problems(INVOICE)
        # Not shown, recorded all the same.
        await editor.save(INVOICE)
        await editor.traced(1)
        assert editor.records()[-1]["scope_validation"] == "FAIL"
        # Any code has a severity, those of the intents file too.
        text = editor.buffers[INTENTS_FILE].text
        editor.type(
            INTENTS_FILE, text.replace("Billing\n    status: IN_PROGRESS", "X\n    status: Y")
        )
        (found,) = await editor.problems(INTENTS_FILE, "UNKNOWN_STATUS")
        assert found.severity == lsp.DiagnosticSeverity.Error
        await set_to(severity={"UNKNOWN_STATUS": "off"}, exclude=["src/billing/**"])
        await editor.problems(INTENTS_FILE)
        editor.type(INTENTS_FILE, text)
        editor.type(INVOICE, "2\ntop\n" + LINES)
        await editor.save(INVOICE)
        await editor.traced(2)
        await editor.problems(INVOICE)
        await set_to(exclude=[])
        await editor.problems(INVOICE, OUT)
        assert severities() == [lsp.DiagnosticSeverity.Error]
        # Off altogether, and on again.
        await set_to(enabled=False)
        await editor.problems(INVOICE)
        editor.type(INVOICE, "unseen\n" + LINES)
        await editor.save(INVOICE)
        assert not await editor.settled(INVOICE)
        assert len(editor.records()) == 2
        await set_to(enabled=True)
        editor.type(INVOICE, "seen\nunseen\n" + LINES)
        await editor.problems(INVOICE, OUT)


async def test_a_refusal_stands_when_the_file_is_closed(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for saves, (first, mend) in enumerate(
            (
                ("top\n", lambda: repository.git("checkout", "--", INVOICE)),
                ("first\n", repository.commit),
            ),
            1,
        ):
            editor.open(INVOICE)
            editor.type(INVOICE, first + LINES)
            await editor.problems(INVOICE, OUT)
            await editor.save(INVOICE)
            await editor.traced(saves)
            editor.close(INVOICE)
            await said_again(editor)
            await editor.problems(INVOICE, OUT)
            await select(editor, "INT-002")
            await editor.problems(INVOICE)
            await select(editor, "INT-001")
            await editor.problems(INVOICE, OUT)
            # Opened again, under another spelling of its URI: shown once.
            uri = editor.uri(INVOICE).replace("invoice", "%69nvoice")
            editor.open(INVOICE, uri=uri)
            await editor.problems(INVOICE, OUT)
            shown = [p for p in editor.shown.values() if "nvoice" in p.uri and p.diagnostics]
            assert len(shown) == 1
            editor.close(INVOICE)
            mend()
            await editor.until(
                lambda: not [p for p in editor.shown.values() if p.diagnostics], "it goes"
            )
        # Unsaved text goes with its buffer.
        editor.open(INVOICE)
        editor.type(INVOICE, "never saved\n")
        await editor.problems(INVOICE, OUT)
        editor.close(INVOICE)
        await editor.problems(INVOICE)


async def said_again(editor: Editor) -> None:
    """Wait for an answer that comes after whatever closing a file has set going."""
    await editor.ask("intent/status")
    await editor.ask("intent/verify")


async def test_a_passing_record_excuses_what_it_covers(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-002")
        editor.open(INVOICE)
        editor.type(INVOICE, "paid for\n" + LINES)
        await editor.save(INVOICE)
        await editor.traced(1)
        await editor.ask("intent/clear")
        await select(editor, "INT-001")
        assert not await editor.settled(INVOICE)
        editor.type(INVOICE, "paid for\n" + LINES + "not paid for\n")
        assert marked(await editor.problems(INVOICE, OUT)) == [(11, 0, 11, 12)]
    # After a restart too, when the baseline is another one.
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        editor.type(INVOICE, "paid for\n" + LINES + "not paid for\n")
        assert marked(await editor.problems(INVOICE, OUT)) == [(11, 0, 11, 12)]


async def test_what_only_the_server_writes(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    repository.write(".orchestration/intent_map.md", "# Map\n")
    repository.write("AGENT.md", "# Lessons\n")
    repository.write(".claude/settings.json", "{}\n")
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(LOGIN)
        editor.type(LOGIN, "in scope\n" + LINES)
        await editor.save(LOGIN)
        await editor.traced(1)
        # The ledger has grown by our own hand: that is no problem.
        editor.open(LEDGER)
        assert not await editor.settled(LEDGER)
        editor.type(LOGIN, "in scope\n\n" + LINES)
        await editor.save(LOGIN)
        await editor.traced(2)
        editor.reload(LEDGER)
        assert not await editor.settled(LEDGER)
        # Edited by a person it is.
        text = editor.buffers[LEDGER].text
        editor.type(LEDGER, text + "{}\n")
        (shown,) = await editor.problems(LEDGER, "CONTROL_PLANE_EDIT")
        assert shown.severity == lsp.DiagnosticSeverity.Warning
        assert marked([shown]) == [(2, 0, 2, 2)]
        editor.type(LEDGER, text)
        await editor.problems(LEDGER)

        name = ".orchestration/intent_map.md"
        editor.open(name)
        editor.type(name, "# My map\n")
        await editor.problems(name, "CONTROL_PLANE_EDIT")
        await editor.save(name)
        await editor.traced(3)
        assert (repository.root / name).read_text() == "# My map\n"
        record = editor.records()[-1]
        assert record["scope_validation"] == "FAIL"
        assert record["files"][0]["relative_path"] == name
        await editor.problems(name, "CONTROL_PLANE_EDIT")
        assert editor.asked == []

        for count, exempt in enumerate(("AGENT.md", ".claude/settings.json"), 4):
            editor.open(exempt)
            editor.type(exempt, "changed\n")
            assert not await editor.settled(exempt)
            await editor.save(exempt)
            await editor.traced(count)
            assert editor.records()[-1]["scope_validation"] == "EXEMPT"
            assert (repository.root / exempt).read_text() == "changed\n"


async def test_a_client_that_declares_little_is_sent_little(repository: Repository) -> None:
    govern(repository)
    # Pull alone, without a way to be told to pull again, is no pull.
    declared = capabilities(
        textDocument__publishDiagnostics={}, textDocument__diagnostic={}, experimental={}
    )
    async with editing(repository.root, client_capabilities=declared) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.diagnostic_provider is None
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        (shown,) = await editor.problems(INVOICE, OUT)
        assert (shown.data, shown.related_information, shown.code_description) == (None, None, None)
        await editor.save(INVOICE)
        await editor.problems(INVOICE, OUT)
        await editor.actions(INVOICE)
        assert editor.notified == []
        assert len(editor.records()) == 1


async def test_a_client_that_pulls_has_everything_by_pulling(repository: Repository) -> None:
    govern(repository)
    repository.write(INTENTS_FILE, INTENTS.replace("IN_PROGRESS", "RUNNING"))
    declared = capabilities(
        textDocument__diagnostic={}, workspace__diagnostics={"refreshSupport": True}
    )
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        before = editor.refreshed
        editor.open(INTENTS_FILE)
        assert [d.code for d in await pull(editor, INTENTS_FILE)] == ["UNKNOWN_STATUS"]
        editor.type(INTENTS_FILE, editor.buffers[INTENTS_FILE].text.replace("RUNNING", "PLANNED"))
        assert await pull(editor, INTENTS_FILE) == []
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        assert [d.code for d in await pull(editor, INVOICE)] == [OUT]
        await editor.save(INVOICE)
        await editor.traced(1)
        editor.close(INVOICE)
        await said_again(editor)
        report = await editor.client.workspace_diagnostic_async(
            lsp.WorkspaceDiagnosticParams(previous_result_ids=[])
        )
        full = [i for i in report.items if isinstance(i, lsp.WorkspaceFullDocumentDiagnosticReport)]
        codes = {item.uri.rsplit("/", 1)[-1]: [d.code for d in item.items] for item in full}
        assert codes["invoice.py"] == [OUT]
        await editor.until(lambda: editor.refreshed > before, "told to pull")
        # Nobody waits for us to look: what has no problem is answered, too.
        editor.open("README.md")
        assert await pull(editor, "README.md") == []
        assert editor.shown == {}


async def pull(editor: Editor, name: str) -> list[lsp.Diagnostic]:
    report = await editor.client.text_document_diagnostic_async(
        lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(editor.uri(name)))
    )
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    return list(report.items)


def unborn(repository: Repository) -> None:
    for name, text in FILES.items():
        repository.write(name, text)


def detached(repository: Repository) -> None:
    govern(repository)
    repository.git("switch", "--quiet", "--detach")


def no_git(repository: Repository) -> None:
    unborn(repository)
    (repository.root / ".git").rename(repository.root.parent / "away")


@pytest.mark.parametrize("prepare", [unborn, detached, no_git])
async def test_without_a_commit_first_sight_is_what_counts(
    repository: Repository, prepare: Callable[[Repository], None]
) -> None:
    prepare(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        assert not await editor.settled(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        assert marked(await editor.problems(INVOICE, OUT)) == [(10, 0, 10, 4)]
        await editor.save(INVOICE)
        await editor.traced(1)
        await editor.problems(INVOICE, OUT)
        assert (editor.records()[0]["vcs"]["revision_id"] == "UNKNOWN") == (prepare is not detached)
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)
        await editor.save(INVOICE)
        await editor.traced(2)
        assert editor.records()[1]["scope_validation"] == "EXEMPT"
        await editor.problems(INVOICE)


async def test_one_document_however_its_uri_is_spelled(tmp_path: Path) -> None:
    # Editors encode `[`, `(`, `@` and `+` or do not; in the names above the root, too.
    repository = Repository(tmp_path / "my (1) +proj@ß")
    repository.root.mkdir()
    repository.git("init", "--quiet")
    govern(repository)
    name = "app/[slug]/50% página.tsx"
    repository.write(name, LINES)
    repository.commit()
    plain_root = f"file://{repository.root}".replace(" ", "%20")
    async with editing(repository.root, folders=[]) as editor:
        await select_at(editor, plain_root, "INT-001")
        spelled = f"{plain_root}/app/[slug]/50%25%20página.tsx"
        other = f"{plain_root}/app/%5Bslug%5D/50%25%20p%C3%A1gina.tsx"
        buffer = editor.open(name, uri=spelled)
        editor.type(name, "top\n" + LINES)
        await editor.problems(name, OUT)
        # The rest of its life it is called otherwise.
        buffer.uri = other
        editor.type(name, "2\ntop\n" + LINES)
        await editor.save(name)
        await editor.traced(1)
        assert editor.records()[0]["files"][0]["relative_path"] == name
        assert set(await editor.actions(name)) >= {"Revert the file"}
        buffer.uri = spelled
        (shown,) = await editor.problems(name, OUT)
        assert shown.range.end.line == 1
        # The intents file below such a root is checked as it is typed, and shown once.
        intents = f"{plain_root}/{INTENTS_FILE}"
        editor.open(INTENTS_FILE, uri=intents)
        text = editor.buffers[INTENTS_FILE].text
        editor.type(INTENTS_FILE, text.replace("IN_PROGRESS", "RUNNING"))
        await editor.problems(INTENTS_FILE, "UNKNOWN_STATUS", "UNKNOWN_STATUS")
        answer = await editor.ask(
            "intent/select", {"intentId": "INT-002", "workspaceUri": plain_root}
        )
        assert answer["warnings"] == []
        about_intents = {u for u, p in editor.shown.items() if "intents" in u and p.diagnostics}
        assert about_intents == {intents}


async def select_at(editor: Editor, root: str, intent_id: str) -> None:
    await editor.ask("intent/select", {"intentId": intent_id, "workspaceUri": root})


def diagnostics(editor: Editor, name: str) -> list[lsp.Diagnostic]:
    published = editor.shown.get(editor.uri(name))
    return [] if published is None else list(published.diagnostics)


async def test_nothing_is_shown_of_what_nobody_governs(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(LINES)
    (repository.root / "link.txt").symlink_to(outside / "secret.txt")
    (repository.root / "alias").symlink_to("src/billing")
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open("../outside/secret.txt")
        editor.type("../outside/secret.txt", "changed\n")
        editor.open("build/out.txt", "")
        editor.type("build/out.txt", "ignored\n")
        assert not await editor.settled("../outside/secret.txt")
        assert not await editor.settled("build/out.txt")
        editor.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem("untitled:Untitled-1", "x", 1, "a"))
        )
        # Through a link the bytes leave the root.
        editor.open("link.txt")
        editor.type("link.txt", "top\n" + LINES)
        (shown,) = await editor.problems("link.txt", "OUTSIDE_WORKSPACE")
        assert shown.message == "link.txt is outside this workspace, through a symbolic link."
        await editor.save("link.txt")
        await editor.traced(1)
        assert editor.records()[0]["scope_validation"] == "FAIL"
        # A link inside is judged by where the bytes go, and by how it reads.
        editor.open("alias/invoice.py")
        editor.type("alias/invoice.py", "top\n" + LINES)
        await editor.problems("alias/invoice.py", OUT)
        assert set(editor.shown) == {editor.uri("link.txt"), editor.uri("alias/invoice.py")}
