"""Changes that other programs make behind the editor's back (requirements sections 7 and 8)."""

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import hash_content
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import FILES, LINES, govern
from tests.support.repository import Repository, create

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INVOICE = "src/billing/invoice.py"
MARKER = "src/billing/marker.py"
OUT = "SCOPE_VIOLATION"
CHANGED = LINES + "by a script\n"


def run(repository: Repository, script: str) -> None:
    """Have another program change the work tree."""
    subprocess.run(["sh", "-ec", script], cwd=repository.root, check=True, capture_output=True)


def append(path: str, line: str = "by a script") -> str:
    return f"echo '{line}' >> {path}"


@asynccontextmanager
async def billing(repository: Repository, **how: Any) -> AsyncIterator[Editor]:
    """Open an editor whose person works for billing, and no file."""
    async with editing(repository.root, **how) as editor:
        await editor.ask("intent/select", {"intentId": "INT-002"})
        yield editor


def verdicts(records: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Give tool, path and verdict of each record."""
    return [
        (record["tool_name"], file["relative_path"], record["scope_validation"])
        for record in records
        for file in record["files"]
    ]


async def marked(repository: Repository, *editors: Editor) -> list[dict[str, Any]]:
    """Wait until a change that comes after all others is recorded; give the records but those."""
    before = len(markers(editors[0]))
    run(repository, f"mkdir -p src/billing; {append(MARKER, 'marker')}")
    # Whichever of the servers records it tells its own editor.
    waiting = {
        asyncio.ensure_future(editor.until(lambda: len(markers(editors[0])) > before, "a marker"))
        for editor in editors
    }
    _, late = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in late:
        each.cancel()
    assert len(markers(editors[0])) == before + 1
    return [r for r in editors[0].records() if only(r)["relative_path"] != MARKER]


def markers(editor: Editor) -> list[dict[str, Any]]:
    return [r for r in editor.records() if only(r)["relative_path"] == MARKER]


def only(record: dict[str, Any]) -> dict[str, Any]:
    (file,) = record["files"]
    found: dict[str, Any] = file
    return found


async def appended(repository: Repository, editor: Editor) -> dict[str, Any]:
    """Another program adds a line out of scope: it is shown where it is, and its record given."""
    run(repository, append(LOGIN))
    (problem,) = await editor.problems(LOGIN, OUT)
    assert (problem.range.start.line, problem.range.end.line) == (10, 10)
    await editor.traced(1)
    (record,) = editor.records()
    assert verdicts([record]) == [("disk/change", LOGIN, "FAIL")]
    return record


async def test_a_file_that_was_never_opened_is_shown_and_recorded(repository: Repository) -> None:
    govern(repository)
    async with billing(repository) as editor:
        record = await appended(repository, editor)
        assert (record["intent_id"], record["inferred"]) == ("INT-002", True)
        file = only(record)
        assert file["pre_hash"] == hash_content(LINES.encode())
        assert file["post_hash"] == hash_content(CHANGED.encode())
        (conversation,) = file["conversations"]
        assert conversation["contributor"] == {
            "entity_type": "UNKNOWN",
            "model_identifier": "unknown",
        }
        assert [r["replaced"] for r in conversation["ranges"]] == [[11, 0, 1]]
        await editor.problems(LOGIN, OUT)
        # The same content once more is no change.
        run(repository, f"touch {LOGIN}")
        assert await marked(repository, editor) == [record]


@pytest.mark.parametrize("cause", ["reverted", "committed", "intent switched"])
async def test_it_is_cleared_when_its_cause_is_gone(repository: Repository, cause: str) -> None:
    govern(repository)
    async with billing(repository) as editor:
        run(repository, append(LOGIN))
        await editor.problems(LOGIN, OUT)
        match cause:
            case "reverted":
                run(repository, f"git checkout -q -- {LOGIN}")
            case "committed":
                run(repository, "git commit -qam theirs")
            case _:
                await editor.ask("intent/select", {"intentId": "INT-001"})
        await editor.problems(LOGIN)


async def test_it_is_cleared_when_its_scope_is_granted(repository: Repository) -> None:
    govern(repository)
    async with billing(repository) as editor:
        run(repository, append(LOGIN))
        await editor.problems(LOGIN, OUT)
        intents = repository.root / ".orchestration/active_intents.yaml"
        text = intents.read_text().replace("'src/billing/**'", "'src/**'")
        run(repository, f"cat > {intents} <<'END'\n{text}END")
        await editor.problems(LOGIN)


async def test_before_the_first_commit_it_is_shown_and_recorded_too(tmp_path: Path) -> None:
    repository = create(tmp_path / "young")
    for name, text in FILES.items():
        repository.write(name, text)
    async with billing(repository) as editor:
        record = await appended(repository, editor)
        assert only(record)["pre_hash"] == hash_content(LINES.encode())
        assert [r["replaced"] for r in only(record)["conversations"][0]["ranges"]] == [[11, 0, 1]]
        # Opened, it is still held to what was there first.
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        await editor.problems(LOGIN, OUT)
        # Committed, it is what everybody agreed on, and no file has changed by that.
        repository.commit()
        await editor.problems(LOGIN)
        assert await marked(repository, editor) == [record]


async def test_before_the_first_commit_what_changed_while_no_server_ran_is_nobodys(
    tmp_path: Path,
) -> None:
    repository = create(tmp_path / "young")
    for name, text in FILES.items():
        repository.write(name, text)
    async with billing(repository) as editor:
        run(repository, f"rm {INVOICE}")
        await editor.traced(1)
    run(repository, append(LOGIN))
    async with billing(repository) as editor:
        (record,) = await marked(repository, editor)
        assert verdicts([record]) == [("disk/change", INVOICE, "PASS")]
        assert editor.uri(LOGIN) not in editor.shown


async def test_an_open_file_that_another_program_changes_keeps_its_chain(
    repository: Repository,
) -> None:
    govern(repository)
    async with billing(repository) as editor:
        editor.open(INVOICE)
        await editor.settled(INVOICE)
        run(repository, append(INVOICE))
        await editor.traced(1)
        editor.reload(INVOICE)
        await editor.settled(INVOICE)
        editor.type(INVOICE, CHANGED + "by a person\n")
        await editor.save(INVOICE)
        await editor.traced(2)
        first, second = await marked(repository, editor)
        assert verdicts([first]) == [("disk/change", INVOICE, "PASS")]
        assert second["tool_name"] == "editor/save"
        assert only(first)["post_hash"] == only(second)["pre_hash"]


async def test_with_the_watch_off_nothing_is_noticed(repository: Repository) -> None:
    govern(repository)
    async with billing(repository, options={"watch": "off"}) as editor:
        run(repository, append(LOGIN))
        editor.open(INVOICE)
        editor.type(INVOICE, CHANGED)
        await editor.save(INVOICE)
        await editor.traced(1)
        assert verdicts(editor.records()) == [("editor/save", INVOICE, "PASS")]
        assert not editor.shown


async def test_a_clients_word_is_enough(repository: Repository) -> None:
    govern(repository)
    async with billing(repository, options={"watch": "client"}) as editor:
        run(repository, append(LOGIN))
        changed = lsp.FileEvent(uri=editor.uri(LOGIN), type=lsp.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(
            lsp.DidChangeWatchedFilesParams(changes=[changed])
        )
        await editor.problems(LOGIN, OUT)
        await editor.traced(1)
        assert verdicts(editor.records()) == [("disk/change", LOGIN, "FAIL")]


async def test_a_refusal_of_a_file_that_nobody_opened_stands_after_a_restart(
    repository: Repository,
) -> None:
    govern(repository)
    async with billing(repository) as editor:
        run(repository, append(LOGIN))
        await editor.traced(1)
    async with editing(repository.root) as editor:
        await editor.problems(LOGIN, OUT)


async def test_what_is_created_in_a_new_directory_and_deleted_is_seen(
    repository: Repository,
) -> None:
    govern(repository)
    async with billing(repository) as editor:
        run(repository, "mkdir -p lib/deep")
        run(repository, f"echo new > lib/deep/new.py; rm {INVOICE}; mkdir build; echo x > build/x")
        await editor.problems("lib/deep/new.py", OUT)
        await editor.traced(2)
        assert sorted(verdicts(editor.records())) == [
            ("disk/change", "lib/deep/new.py", "FAIL"),
            ("disk/change", INVOICE, "PASS"),
        ]
        kinds = {only(r)["relative_path"]: r["mutation_class"] for r in editor.records()}
        assert kinds == {"lib/deep/new.py": "FILE_CREATION", INVOICE: "FILE_DELETION"}


async def test_a_client_that_pulls_is_asked_to_pull(repository: Repository) -> None:
    govern(repository)
    pulls = capabilities(
        textDocument__diagnostic={}, workspace__diagnostics={"refreshSupport": True}
    )
    async with billing(repository, client_capabilities=pulls) as editor:
        run(repository, append(LOGIN))
        await editor.until(lambda: editor.refreshed, "a refresh")
        report = await editor.client.workspace_diagnostic_async(
            lsp.WorkspaceDiagnosticParams(previous_result_ids=[])
        )
        (item,) = report.items
        assert isinstance(item, lsp.WorkspaceFullDocumentDiagnosticReport)
        assert (item.uri, [d.code for d in item.items]) == (editor.uri(LOGIN), [OUT])
        assert not editor.shown


GITS = {
    "checkout": "git checkout -q other; git checkout -q main; git checkout -q other",
    "stash": f"{append(INVOICE)}; git stash -q",
    "pull": "git pull -q . other",
    "rebase": "git commit -q --allow-empty -m ours; git rebase -q other",
    "linked": "git worktree add -q build/linked other; echo x > build/linked/x",
    "clone": "git clone -q . build/clone; echo x > build/clone/x",
    "governed": "git clone -q . lib",
}

EDITS = {
    "commit": (f"{append(INVOICE)}; git commit -qam ours", {INVOICE}),
    "add": (f"{append(INVOICE)}; git add .", {INVOICE}),
    "remove": (f"git rm -q {INVOICE}", {INVOICE}),
    "rebase": (f"{append(INVOICE)}; git commit -qam ours; git rebase -q other", {INVOICE}),
    "submodule": (
        "git -c protocol.file.allow=always submodule --quiet add ./ lib",
        {".gitmodules"},
    ),
    # In one step: a look between its beginning and its first commit would see it grow.
    "repository": (
        "git init -q .git/x; git -C .git/x commit -q --allow-empty -m x; mv .git/x lib",
        {"lib"},
    ),
}


@pytest.mark.parametrize("name", GITS)
async def test_what_git_makes_of_a_file_has_no_record(repository: Repository, name: str) -> None:
    govern(repository)
    run(
        repository,
        f"git checkout -q -b other; {append(LOGIN, 'theirs')}; git commit -qam theirs;"
        " git checkout -q main",
    )
    async with billing(repository) as editor:
        run(repository, GITS[name])
        assert await marked(repository, editor) == []


@pytest.mark.parametrize("name", EDITS)
async def test_what_somebody_edits_and_gives_to_git_is_recorded(
    repository: Repository, name: str
) -> None:
    govern(repository)
    run(
        repository,
        f"git checkout -q -b other; {append(LOGIN, 'theirs')}; git commit -qam theirs;"
        " git checkout -q main",
    )
    command, paths = EDITS[name]
    async with billing(repository) as editor:
        run(repository, command)
        await editor.traced(len(paths))
        records = await marked(repository, editor)
        assert {only(r)["relative_path"] for r in records} == paths


async def test_what_a_stash_gives_back_is_known(repository: Repository) -> None:
    govern(repository)
    run(repository, f"{append(LOGIN)}; git stash -q; {append(INVOICE)}")
    async with billing(repository) as editor:
        run(repository, "git stash pop -q")
        await editor.problems(LOGIN, OUT)
        assert await marked(repository, editor) == []
        run(repository, "git stash -q --include-untracked")
        await editor.problems(LOGIN)
        run(repository, "git stash pop -q")
        await editor.problems(LOGIN, OUT)
        assert await marked(repository, editor) == []


async def test_what_merging_gives_is_gits_and_what_is_written_into_it_is_not(
    repository: Repository,
) -> None:
    govern(repository)
    run(
        repository,
        f"git checkout -q -b other; {append(LOGIN, 'theirs')}; git commit -qam theirs;"
        " git checkout -q main",
    )
    async with billing(repository) as editor:
        run(repository, "git merge -q --no-ff --no-commit other")
        await editor.problems(LOGIN, OUT)
        assert await marked(repository, editor) == []
        run(repository, append(LOGIN, "ours"))
        await editor.traced(2)
        assert LOGIN in {only(r)["relative_path"] for r in editor.records()}


async def ask(editor: Editor, name: str, **params: Any) -> Any:
    return await editor.ask(f"intent/{name}", {"sessionId": "builder", **params})


async def test_what_an_open_call_changes_is_its_agents(repository: Repository) -> None:
    govern(repository)
    async with billing(repository) as editor:
        await ask(editor, "select", intentId="INT-001")
        edit = await ask(editor, "validateEdit", toolName="Write", path=LOGIN, newText=CHANGED)
        run(repository, append(LOGIN))
        command = await ask(editor, "validateEdit", toolName="Bash", command="python3 make.py")
        run(repository, append("README.md"))
        await editor.problems("README.md", OUT)
        await ask(editor, "recordEdit", ticket=edit["ticket"], success=True)
        await ask(editor, "recordEdit", ticket=command["ticket"], success=True)
        before = await marked(repository, editor)
        assert [(r["tool_name"], r["session_id"]) for r in before] == [
            ("Write", "builder"),
            ("Bash", "builder"),
        ]


async def test_two_servers_record_a_change_once(repository: Repository) -> None:
    govern(repository)
    async with billing(repository) as one, billing(repository) as two:
        run(repository, append(LOGIN))
        await one.problems(LOGIN, OUT)
        await two.problems(LOGIN, OUT)
        # By the second marker the slower server has worked off what it saw before the first.
        await marked(repository, one, two)
        assert verdicts(await marked(repository, one, two)) == [("disk/change", LOGIN, "FAIL")]


async def test_a_save_in_another_editor_has_its_own_record_alone(repository: Repository) -> None:
    govern(repository)
    async with billing(repository) as one, billing(repository) as two:
        one.open(INVOICE)
        one.type(INVOICE, CHANGED)
        await one.save(INVOICE)
        await one.traced(1)
        assert verdicts(await marked(repository, one, two)) == [("editor/save", INVOICE, "PASS")]


BURSTS = 3


async def test_a_burst_of_files_is_shown_and_recorded_each_once(repository: Repository) -> None:
    govern(repository)
    names = [f"lib/{folder}/{number:02}.py" for folder in "abcd" for number in range(50)]
    async with billing(repository) as editor:

        def recorded() -> list[str]:
            return [file["relative_path"] for r in editor.records() for file in r["files"]]

        create = "for n in $(seq -w 00 49); do echo $n > $d/$n.py; done"
        run(repository, f"for d in lib/a lib/b lib/c lib/d; do mkdir -p $d; {create}; done")
        await editor.until(lambda: len(recorded()) == len(names), "all of them recorded")
        await editor.until(lambda: counted(editor) == len(names), "each is shown or counted")
        assert sorted(recorded()) == names
        # What came at once is one record, or two where a look fell into the middle of it.
        assert len(editor.records()) <= BURSTS


FOLDERS = ("lib/a", "lib/b", "lib/c")


async def test_a_burst_is_told_in_few_words(repository: Repository) -> None:
    """One program changes 300 files of three folders, as a formatter does."""
    govern(repository)
    names = [f"{folder}/{number:02}.py" for folder in FOLDERS for number in range(100)]
    for name in names:
        repository.write(name, LINES)
    repository.commit()
    async with billing(repository) as editor:

        def recorded() -> list[str]:
            return sorted(
                path for _, path, verdict in verdicts(editor.records()) if verdict == "FAIL"
            )

        run(repository, "for file in lib/*/*.py; do echo formatted >> $file; done")
        await editor.until(lambda: recorded() == names, "all of them recorded")
        await editor.until(lambda: counted(editor) == len(names), "each is shown or counted")
        # What came at once is one record, or two where a look fell into the middle of it.
        assert len(showing(editor)) == len(editor.records()) <= BURSTS
        assert len(editor.messages) + len(editor.asked) <= 1

        # One that is opened shows its own, and is counted no more.
        shown = showing(editor)
        editor.open("lib/a/50.py")
        await editor.until(lambda: showing(editor) == [*shown[:1], "lib/a/50.py", *shown[1:]], "")
        await editor.until(lambda: counted(editor) == len(names), "each is shown or counted")
        assert "more changed files" not in said(editor, "lib/a/50.py")

        run(repository, "git checkout -q -- .")
        editor.reload("lib/a/50.py")
        await editor.until(lambda: not showing(editor), "nothing is shown")
        assert len(editor.messages) + len(editor.asked) <= 1
        assert recorded() == names


async def test_what_waits_of_one_burst_is_said_in_one_message(repository: Repository) -> None:
    govern(repository)
    ledger = repository.root / ".orchestration/agent_trace.jsonl"
    async with billing(repository) as editor:
        ledger.mkdir()
        run(repository, f"{append(LOGIN)}; {append(INVOICE)}")
        await editor.until(lambda: editor.messages, "it is said to wait")
        ledger.rmdir()
        before = await marked(repository, editor)
        assert sorted(verdicts(before)) == [
            ("disk/change", LOGIN, "FAIL"),
            ("disk/change", INVOICE, "PASS"),
        ]
        (message,) = editor.messages
        said = f"{LOGIN} and 1 more file have changed on disk, but the ledger cannot record it yet"
        assert said in message


def said(editor: Editor, name: str) -> str:
    """Give the message of the one problem that a file shows."""
    (problem,) = editor.shown[editor.uri(name)].diagnostics
    return problem.message


def counted(editor: Editor) -> int:
    """Count the files that are shown, and those for which they are."""
    shown = [said(editor, name) for name in showing(editor)]
    others = (re.search(r"is true of (\d+) more", each) for each in shown)
    return len(shown) + sum(int(each[1]) for each in others if each)


def showing(editor: Editor) -> list[str]:
    """Name the files that show something."""
    prefix = uri_of(editor.root) + "/"
    return sorted(uri.removeprefix(prefix) for uri, it in editor.shown.items() if it.diagnostics)
