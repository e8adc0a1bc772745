"""The intents file in an editor: checked as it is typed, governing once it is saved."""

import pytest
from lsprotocol import types as lsp

from tests.support.editor import Editor, editing
from tests.support.governed_repository import INTENTS, LINES, govern, remove_at_once
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
POLICY = ".orchestration/constraints.sidecar.yaml"
IGNORE = ".intentignore"

MISTAKES = {
    "status: PLANNED": ("status: RUNNING", "UNKNOWN_STATUS", (3, 12, 19)),
    '["src/auth/**"]': ('["src/auth/{"]', "SCOPE_MATCHES_NOTHING", None),
    "id: INT-002": ("id: INT-001", "DUPLICATE_ID", (7, 8, 15)),
    'name: "Login"': ("nam: Login", "UNKNOWN_KEY", (2, 4, 7)),
    '["No external providers"]': ("[[a], b]", "WRONG_TYPE", (5, 18, 21)),
    "    owned_scope:\n      - 'src/billing/**'\n": ("", "EMPTY_SCOPE", None),
    "'src/billing/**'": ("*.py", "YAML_UNQUOTED_GLOB", (11, 8, 12)),
    "name: Billing": ("name: 🙂 [Billing]\n    status: X", "YAML_DUPLICATE_KEY", None),
}


def shown(editor: Editor, name: str = INTENTS_FILE) -> list[lsp.Diagnostic]:
    published = editor.shown.get(editor.uri(name))
    return [] if published is None else list(published.diagnostics)


def codes(editor: Editor, name: str = INTENTS_FILE) -> set[object]:
    return {diagnostic.code for diagnostic in shown(editor, name)}


async def test_each_mistake_is_shown_at_its_place_while_it_is_typed(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        assert not await editor.settled(INTENTS_FILE)
        for right, (wrong, code, place) in MISTAKES.items():
            assert INTENTS.count(right) == 1, right
            editor.type(INTENTS_FILE, INTENTS.replace(right, wrong))
            await editor.until(lambda code=code: code in codes(editor), code)
            found = [d for d in shown(editor) if d.code == code]
            at = [
                (d.range.start.line, d.range.start.character, d.range.end.character) for d in found
            ]
            assert place is None or at == [place], code
            assert all(d.source == "intent-lsp" for d in found)
            assert all(d.code_description is not None for d in found)
            editor.type(INTENTS_FILE, INTENTS)
            await editor.problems(INTENTS_FILE)
        # The fix mends it, by an edit of this very version.
        editor.type(INTENTS_FILE, INTENTS.replace("'src/billing/**'", "src/**/*.{py,ts} # all"))
        editor.type(INTENTS_FILE, INTENTS.replace("'src/billing/**'", "*.py # all"))
        await editor.problems(INTENTS_FILE, "YAML_UNQUOTED_GLOB", "SCOPE_MATCHES_NOTHING")
        await editor.run((await editor.actions(INTENTS_FILE, 11, 9))["Quote it"])
        assert '"*.py" # all' in editor.buffers[INTENTS_FILE].text
        await editor.until(lambda: "YAML_UNQUOTED_GLOB" not in codes(editor), "it is mended")
        # A tower of brackets is a mistake like any other.
        editor.type(INTENTS_FILE, INTENTS + "x: " + "[" * 50_000 + "\n")
        await editor.until(lambda: "YAML_LIMIT" in codes(editor), "nested too deeply")
        editor.type(INTENTS_FILE, INTENTS)
        await editor.problems(INTENTS_FILE)


async def test_one_bad_intent_does_not_disable_the_others(repository: Repository) -> None:
    govern(repository)
    bad = INTENTS.replace('"src/auth/**"', '"src/auth/{a", 7, [x]').replace("INT-001", "[]")
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, bad)
        await editor.save(INTENTS_FILE)
        await editor.until(lambda: "WRONG_TYPE" in codes(editor), "it is shown")
        status = await editor.ask("intent/status")
        assert (status["enabled"], status["fileState"]) == (True, "ok")
        await editor.ask("intent/select", {"intentId": "INT-002"})
        editor.open(LOGIN)
        editor.type(LOGIN, "top\n" + LINES)
        await editor.problems(LOGIN, "SCOPE_VIOLATION")
        # An unquoted glob is read, told, and governs.
        editor.type(INTENTS_FILE, INTENTS.replace("'src/billing/**'", "*/auth/**"))
        await editor.save(INTENTS_FILE)
        await editor.problems(LOGIN)
        await editor.until(lambda: "YAML_UNQUOTED_GLOB" in codes(editor), "told")


async def test_off_loudly_and_on_again(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    path = repository.root / INTENTS_FILE
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        good = path.read_text()
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")

        async def expect_off(state: str, *found: str) -> None:
            await editor.problems(INVOICE)
            await editor.problems(INTENTS_FILE, *found)
            status = await editor.ask("intent/status")
            assert (status["enabled"], status["fileState"]) == (False, state)
            assert status["reason"]

            await editor.until(lambda: times("is OFF") == times("on again") + 1, "said once")

        async def expect_on() -> None:
            await editor.problems(INVOICE, "SCOPE_VIOLATION")
            await editor.problems(INTENTS_FILE)
            assert (await editor.ask("intent/status"))["enabled"]
            await editor.until(lambda: times("is OFF") == times("on again"), "said once")

        def times(words: str) -> int:
            return sum(words in told for told in editor.messages)

        # Broken by another hand, and mended.
        path.write_text(good + "  - id: [\n")
        await expect_off("broken", "YAML_SYNTAX")
        (problem,) = shown(editor)
        assert problem.severity == lsp.DiagnosticSeverity.Error
        # Off, a save goes through and is recorded as nobody's.
        await editor.save(INVOICE)
        await editor.traced(1)
        assert editor.records()[-1]["scope_validation"] == "EXEMPT"
        editor.type(INVOICE, "2\ntop\n" + LINES)
        path.write_text(good)
        await expect_on()
        assert editor.records()[-1]["intent_id"] is None
        # Gone.
        path.unlink()
        await expect_off("missing", "INTENTS_FILE_MISSING")
        path.write_text(good)
        await expect_on()
        # No text.
        path.write_bytes(b"\xff\xfe\x00\xd8\xff")
        await expect_off("broken", "YAML_SYNTAX")
        path.write_text(good)
        await expect_on()


@pytest.mark.parametrize("content", [b"\xff", b"enforcement: strict\0\n"], ids=["bytes", "NUL"])
async def test_a_policy_that_is_no_text_leaves_governance_on(
    repository: Repository, content: bytes
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        repository.write(POLICY, content)
        await editor.problems(POLICY, "YAML_SYNTAX")
        (problem,) = shown(editor, POLICY)
        assert problem.message.endswith("save it as UTF-8 text.")
        assert (await editor.ask("intent/status"))["enabled"]


async def test_off_loudly_when_the_whole_room_is_taken_away(repository: Repository) -> None:
    govern(repository)
    room = repository.root / ".orchestration"
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")

        remove_at_once(room)
        await editor.problems(INVOICE)
        await editor.until(lambda: any("is OFF" in told for told in editor.messages), "off")
        status = await editor.ask("intent/status")
        assert (status["enabled"], status["fileState"]) == (False, "missing")
        assert status["activeIntentId"] is None
        assert not room.exists()


async def test_what_is_on_disk_is_shown_when_nobody_has_it_open(repository: Repository) -> None:
    govern(repository)
    path = repository.root / INTENTS_FILE
    good = path.read_text()
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, "a: [\n")
        await editor.problems(INTENTS_FILE, "YAML_SYNTAX")
        assert (await editor.ask("intent/status"))["enabled"]
        editor.close(INTENTS_FILE)
        await editor.problems(INTENTS_FILE)
        # Saved and closed, it stays shown.
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, "a: [\n")
        await editor.save(INTENTS_FILE)
        await editor.until(lambda: any("is OFF" in told for told in editor.messages), "off")
        editor.close(INTENTS_FILE)
        await editor.ask("intent/status")
        await editor.ask("intent/drafts")
        await editor.problems(INTENTS_FILE, "YAML_SYNTAX")
        path.write_text(good)
        await editor.problems(INTENTS_FILE)
        await editor.until(lambda: any("on again" in told for told in editor.messages), "on")


async def test_the_policy_too(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        editor.open(POLICY, "")
        editor.type(POLICY, "sidecar:\n  enforcment: block\n")
        await editor.problems(POLICY, "UNKNOWN_KEY")
        editor.type(POLICY, "sidecar:\n  enforcement: stop\n")
        await editor.problems(POLICY, "BAD_VALUE")
        editor.type(POLICY, "sidecar:\n  enforcement: observe\n")
        await editor.problems(POLICY)
        assert (await editor.ask("intent/status"))["enforcement"] == "warn"
        await editor.save(POLICY)
        await editor.problems(INVOICE)
        assert (await editor.ask("intent/status"))["enforcement"] == "observe"
        # One that cannot be read leaves the last good one in force.
        editor.type(POLICY, "sidecar: [\n")
        await editor.save(POLICY)
        await editor.problems(POLICY, "YAML_SYNTAX")
        assert (await editor.ask("intent/status"))["enforcement"] == "observe"


async def test_a_thousand_intents_are_typed_in(repository: Repository) -> None:
    govern(repository)
    entry = (
        "  - id: INT-{n:04}\n    name: Intent {n}\n    status: PLANNED\n"
        "    owned_scope: ['src/{n}/**']\n    acceptance_criteria:\n{criteria}"
    )
    criteria = "".join(f"      - criterion {n}\n" for n in range(25))
    many = "active_intents:\n" + "".join(
        entry.format(n=n, criteria=criteria) for n in range(1, 1001)
    )
    assert many.count("\n") > 30_000
    repository.write(INTENTS_FILE, many)
    repository.commit()
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        answer = await editor.ask("intent/select", {"intentId": "INT-0500"})
        assert answer["intent"]["status"] == "IN_PROGRESS"
        now = many.replace(
            "name: Intent 500\n    status: PLANNED", "name: Intent 500\n    status: IN_PROGRESS"
        )
        assert (repository.root / INTENTS_FILE).read_text() == now
        editor.reload(INTENTS_FILE)
        wrong = now.replace("name: Intent 700\n    status: PLANNED", "name: x\n    status: NEVER")
        editor.type(INTENTS_FILE, wrong)
        await editor.until(lambda: "UNKNOWN_STATUS" in codes(editor), "found")
        (found,) = (d for d in shown(editor) if d.code == "UNKNOWN_STATUS")
        assert found.range.start.line == wrong[: wrong.index("NEVER")].count("\n")
        assert (await editor.ask("intent/owners", {"path": "src/700/x"}))["owners"] == [
            {"intentId": "INT-0700", "pattern": "src/700/**", "status": "PLANNED"}
        ]


async def test_line_ends_comments_and_order_survive_a_selection(repository: Repository) -> None:
    govern(repository)
    text = (
        "# ours\r\nactive_intents:\r\n- {id: 'A', status: planned ,owned_scope: [a]} # é\r\n"
        "- id: B\r\n  name:  B\r\n  owned_scope: [ 'b/**' ]\r\n  x-unknown: 1\r\n"
    )
    for mark in (b"", b"\xef\xbb\xbf"):
        repository.write(INTENTS_FILE, mark + text.encode())
        async with editing(repository.root) as editor:
            await editor.ask("intent/select", {"intentId": "A"})
            answer = await editor.ask("intent/select", {"intentId": "B"})
            assert (answer["intent"]["status"], answer["warnings"]) == ("IN_PROGRESS", [])
            wanted = text.replace("planned ", "IN_PROGRESS ").replace(
                "name:  B\r\n", "name:  B\r\n  status: IN_PROGRESS\r\n"
            )
            assert (repository.root / INTENTS_FILE).read_bytes() == mark + wanted.encode()


async def test_what_recorded_work_says_about_scopes_is_shown_without_waiting_for_it(
    repository: Repository,
) -> None:
    govern(repository)
    shut = INTENTS.replace("status: PLANNED", 'status: COMPLETED\n    updated_at: "2026-02-16"')
    repository.write(INTENTS_FILE, shut)
    repository.commit()
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        assert not await editor.settled(INTENTS_FILE)
        # An edit under no intent, of a file that only the closed intent owns.
        editor.open(LOGIN)
        editor.type(LOGIN, "top\n" + LINES)
        await editor.save(LOGIN)
        await editor.traced(1)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        await editor.until(lambda: "CLOSED_SCOPE_EDITED" in codes(editor), "shown")
        (found,) = shown(editor)
        assert f"`{LOGIN}`" in found.message
        assert found.severity == lsp.DiagnosticSeverity.Hint
        assert found.range.start.line == 3
        await editor.run(
            (await editor.actions(INTENTS_FILE, 3, 14))["Reopen it: change to `IN_PROGRESS`"]
        )
        await editor.problems(INTENTS_FILE)
        # What is wrong with a date or an id is shown while it is typed.
        editor.type(INTENTS_FILE, shut.replace('"2026-02-16"', '"Feb 16, 2026"'))
        await editor.until(lambda: "BAD_DATE" in codes(editor), "shown")
        actions = await editor.actions(INTENTS_FILE, 4, 20)
        await editor.run(actions["Change to `2026-02-16`"])
        assert editor.buffers[INTENTS_FILE].text == shut
