"""Saves as editors make them: turned back or let through, recorded to the byte.

Specified in requirements section 7.
"""

import asyncio
import fcntl
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import EMPTY_HASH, hash_content
from tests.support.editor import SERVER, STARTED, Editor, capabilities, editing, jittered_server
from tests.support.governed_repository import INTENTS, LINES, govern, set_policy
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
LEDGER = ".orchestration/agent_trace.jsonl"
OUT = "SCOPE_VIOLATION"
EMPTY = hash_content(b"")

Manual, AfterDelay, FocusOut = (
    lsp.TextDocumentSaveReason.Manual,
    lsp.TextDocumentSaveReason.AfterDelay,
    lsp.TextDocumentSaveReason.FocusOut,
)


async def select(editor: Editor, intent_id: str) -> None:
    await editor.ask("intent/select", {"intentId": intent_id})


async def edit_and_save(editor: Editor, name: str, text: str, **how: Any) -> None:
    if name not in editor.buffers:
        editor.open(name)
    editor.type(name, text)
    await editor.save(name, **how)


def ranges(record: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = record["files"][0]["conversations"][0]["ranges"]
    return found


def run(first: int, last: int, text: str | bytes, replaced: list[int]) -> dict[str, Any]:
    data = text.encode() if isinstance(text, str) else text
    return {
        "start_line": first,
        "end_line": last,
        "content_hash": hash_content(data),
        "replaced": replaced,
    }


async def test_a_record_says_all_there_is_to_say(repository: Repository) -> None:
    revision = govern(repository).git("rev-parse", "HEAD").strip()
    options = {"sessionId": "session-7"}
    async with editing(repository.root, options=options) as editor:
        await select(editor, "INT-001")
        await edit_and_save(editor, LOGIN, "first\n" + LINES.replace("line 9\nline 10\n", ""))
        (told,) = await editor.traced(1)
        (record,) = editor.records()
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}", record["id"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["timestamp"])
        assert told == {
            "recordId": record["id"],
            "paths": [LOGIN],
            "intentId": "INT-001",
            "scopeValidation": "PASS",
        }
        assert list(record) == [
            *("id", "timestamp", "intent_id", "intent_hash", "session_id", "tool_name"),
            *("mutation_class", "inferred", "scope_validation", "success", "vcs", "files"),
            "integrity",
        ]
        scope = {
            "acceptance_criteria": ["Tests pass"],
            "constraints": ["No external providers"],
            "id": "INT-001",
            "owned_scope": ["src/auth/**"],
        }
        said = json.dumps(scope, sort_keys=True, separators=(",", ":"))
        assert record["intent_hash"] == hash_content(said.encode())
        assert (record["intent_id"], record["session_id"]) == ("INT-001", "session-7")
        assert (record["tool_name"], record["mutation_class"]) == (
            "editor/save",
            "INTENT_EVOLUTION",
        )
        assert (record["inferred"], record["success"]) == (True, True)
        assert record["vcs"] == {"revision_id": revision}
        assert record["files"] == [
            {
                "relative_path": LOGIN,
                "pre_hash": hash_content(LINES.encode()),
                "post_hash": hash_content((repository.root / LOGIN).read_bytes()),
                # Of a file that defines nothing.
                "ast_fingerprint": {
                    "parser": "tree-sitter",
                    "language": "python",
                    "summary_hash": EMPTY_HASH,
                },
                "conversations": [
                    {
                        "url": "session-7",
                        "contributor": {"entity_type": "HUMAN", "model_identifier": "human"},
                        "ranges": [
                            run(1, 1, "first", [1, 0, 1]),
                            # A pure deletion at the end: the line above it.
                            run(9, 9, "line 8", [9, 2, 0]),
                        ],
                        "related": [
                            {"type": "specification", "value": "INT-001"},
                            {"type": "mutation_class", "value": "INTENT_EVOLUTION"},
                        ],
                    }
                ],
            }
        ]
        assert record["integrity"]["prev_record_hash"] is None
        await edit_and_save(editor, LOGIN, LINES)
        await editor.traced(2)
        second = editor.records()[1]
        assert second["integrity"]["prev_record_hash"] == record["integrity"]["record_hash"]
        assert second["scope_validation"] == "PASS"


@pytest.mark.parametrize("enforcement", ["observe", "warn", "block"])
async def test_every_way_of_saving(repository: Repository, enforcement: str) -> None:
    govern(repository)
    ways = [
        (scope, reason, ask)
        for scope in ("auth", "billing")
        for reason, ask in ((Manual, True), (AfterDelay, True), (FocusOut, True), (Manual, False))
    ]
    names = [f"src/{scope}/{reason.name}-{ask}.py" for scope, reason, ask in ways]
    for name in names:
        repository.write(name, LINES)
    repository.commit()
    set_policy(repository, f"enforcement: {enforcement}")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        expected: list[tuple[str, str]] = []
        asked = 0
        for name, (scope, reason, ask) in zip(names, ways, strict=True):
            editor.open(name)
            editor.type(name, LINES + "more\n")
            outside = scope == "billing"
            shown = outside and enforcement != "observe"
            await editor.problems(name, *[OUT] * shown)
            await editor.save(name, reason=reason, ask=ask)
            back = outside and enforcement == "block" and reason is Manual and ask
            written = LINES if back else LINES + "more\n"
            assert (repository.root / name).read_text() == editor.buffers[name].text == written
            if not back:
                expected.append((name, "FAIL" if outside else "PASS"))
            await editor.traced(len(expected))
            await editor.problems(name, *[OUT] * (shown and not back))
            asked += outside and enforcement == "block"
            await editor.until(lambda asked=asked: len(editor.asked) >= asked, "offers")
        found = [(r["files"][0]["relative_path"], r["scope_validation"]) for r in editor.records()]
        assert found == expected
        assert [ranges(r) for r in editor.records()] == [
            [run(11, 11, "more", [11, 0, 1])] for _ in expected
        ]
        assert len(editor.asked) == asked
        denied = [params for method, params in editor.notified if method == "intent/didDeny"]
        drafts = (await editor.ask("intent/drafts"))["drafts"]
        assert len(denied) == len(drafts) == (enforcement == "block")
        # Saved again, unchanged: no record more; auto saved again: not asked again.
        before = len(editor.asked)
        await edit_and_save(editor, names[5], LINES + "more\nand more\n", reason=AfterDelay)
        await editor.traced(len(expected) + 1)
        await editor.save(names[5])
        await editor.settled(names[5])
        assert len(editor.asked) == before
        assert (await editor.ask("intent/verify"))["ok"]


FILES: dict[str, tuple[bytes, str, list[dict[str, Any]]]] = {
    "crlf.txt": (
        b"one\r\ntwo\r\nthree\r\n",
        "one\r\n2\r\nthree\r\n",
        [run(2, 2, "2", [2, 1, 1])],
    ),
    "cr.txt": (b"one\rtwo\rthree", "one\r2\r2\rthree", [run(2, 3, "2\r2", [2, 1, 2])]),
    "to_lf.txt": (b"one\r\ntwo\r\n", "one\ntwo\n", [run(1, 2, "one\ntwo", [1, 2, 2])]),
    "no_end.txt": (b"one\ntwo", "one\ntwo\n", [run(2, 2, "two", [2, 1, 1])]),
    "last.txt": (b"one\ntwo", "one\nzwei", [run(2, 2, "zwei", [2, 1, 1])]),
    "emptied.txt": (b"one\n", "", [{**run(0, 0, "", [1, 1, 0])}]),
    "filled.txt": (b"", "one\ntwo\n", [run(1, 2, "one\ntwo", [1, 0, 2])]),
    "emoji 🙂.txt": (
        "e\u0301 🙂\nü\n".encode(),
        "e\u0301 🙂🙂\nü\n",
        [run(1, 1, "e\u0301 🙂🙂", [1, 1, 1])],
    ),
    "bom.txt": (b"\xef\xbb\xbfone\ntwo\n", "1\ntwo\n", [run(1, 1, "1", [1, 1, 1])]),
    "utf16.txt": (
        b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le"),
        "one\nzwei\n",
        [run(2, 2, "zwei".encode("utf-16-le"), [2, 1, 1])],
    ),
    "app/[slug]/50% ]x[ #?.tsx": (b"one\n", "one\ntwo\n", [run(2, 2, "two", [2, 0, 1])]),
    "ünïcode/日本語 (1).md": (b"a\n", "b\n", [run(1, 1, "b", [1, 1, 1])]),
    "separators.txt": (
        "a\u2028b\f\x0bc\x85\n".encode(),
        "a\u2028b\f\x0bd\x85\n",
        [run(1, 1, "a\u2028b\f\x0bd\x85", [1, 1, 1])],
    ),
}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe\x80"


async def test_every_kind_of_file_is_recorded_to_the_byte(repository: Repository) -> None:
    govern(repository)
    for name, (data, _, _) in FILES.items():
        repository.write(name, data)
    repository.write("logo.png", PNG)
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for count, (name, (data, text, expected)) in enumerate(FILES.items(), 1):
            editor.open(name)
            assert not await editor.settled(name)
            editor.type(name, text)
            await editor.until(lambda name=name: shows(editor, name, OUT), name)
            written = await editor.save(name)
            await editor.traced(count)
            record = editor.records()[-1]
            (file,) = record["files"]
            assert (file["relative_path"], file["pre_hash"], file["post_hash"]) == (
                name,
                hash_content(data),
                hash_content(written),
            ), name
            assert ranges(record) == expected, name
            assert (record["scope_validation"], "concurrent_modification" in record) == (
                "FAIL",
                False,
            )
            # The file is put back by our own action, byte for byte, and saved.
            line = editor.shown[editor.uri(name)].diagnostics[0].range.start.line
            await editor.run((await editor.actions(name, line))["Revert the file"])
            assert editor.buffers[name].data == data
            await editor.problems(name)
            editor.type(name, text)
            await editor.problems(name, OUT)
        done = len(FILES)

        # What is not text is compared as a whole.
        editor.open("logo.png")
        assert not await editor.settled("logo.png")
        written = await editor.save("logo.png")
        await editor.traced(done + 1)
        record = editor.records()[-1]
        assert written != PNG
        assert record["files"][0]["pre_hash"] == hash_content(PNG)
        (whole,) = ranges(record)
        assert (whole["fallback"], whole["content_hash"]) == (True, hash_content(written))
        await editor.problems("logo.png", OUT)

        # New files: with text, empty, in new directories.
        editor.open("new dir/x.txt", "never\nsaved")
        editor.type("new dir/x.txt", "never\nsaved\n")
        await editor.problems("new dir/x.txt", OUT)
        await editor.save("new dir/x.txt")
        editor.open("empty.txt", "")
        await editor.save("empty.txt")
        await editor.traced(done + 3)
        *_, new, empty = editor.records()
        assert ranges(new) == [run(1, 2, "never\nsaved", [1, 0, 2])]
        assert [r["mutation_class"] for r in (new, empty)] == ["FILE_CREATION"] * 2
        assert [r["files"][0]["pre_hash"] for r in (new, empty)] == [None, None]
        (nothing,) = ranges(empty)
        assert (nothing["start_line"], nothing["end_line"]) == (0, 0)
        assert nothing["content_hash"] == EMPTY
        assert (await editor.ask("intent/verify"))["ok"]


def shows(editor: Editor, name: str, code: str) -> bool:
    published = editor.shown.get(editor.uri(name))
    return published is not None and {d.code for d in published.diagnostics} == {code}


async def test_a_file_of_five_megabytes(repository: Repository) -> None:
    govern(repository)
    big = "".join(f"{n:07} {'x' * 40}\n" for n in range(105_000))
    repository.write("big.txt", big)
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open("big.txt")
        assert not await editor.settled("big.txt")
        head, tail = big[: 49 * 50_000], big[49 * 50_000 :]
        editor.type("big.txt", head + "a new line\n" + tail)
        (shown,) = await editor.problems("big.txt", OUT)
        assert shown.range.start.line == 50_000
        await editor.save("big.txt")
        await editor.traced(1)
        assert ranges(editor.records()[0]) == [run(50_001, 50_001, "a new line", [50_001, 0, 1])]
        editor.type("big.txt", big)
        await editor.problems("big.txt")
        # Beyond the limit it is one range over all of it.
        await edit_and_save(editor, "big.txt", big + "y" * 400_000)
        await editor.traced(2)
        (whole,) = ranges(editor.records()[1])
        assert (whole["fallback"], whole["end_line"]) == (True, 105_001)


async def test_block_turns_back_to_the_byte_and_loses_nothing(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    kept = (
        "crlf.txt",
        "cr.txt",
        "bom.txt",
        "utf16.txt",
        "no_end.txt",
        "emoji 🙂.txt",
        "filled.txt",
    )
    for name in kept:
        repository.write(name, FILES[name][0])
    repository.write("logo.png", PNG)
    repository.commit()
    declared = capabilities(
        workspace__workspaceEdit={"documentChanges": True, "resourceOperations": ["delete"]}
    )
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        for count, name in enumerate(kept, 1):
            data, text, _ = FILES[name]
            await edit_and_save(editor, name, text)
            assert (repository.root / name).read_bytes() == data, name
            assert editor.buffers[name].data == data, name
            await editor.problems(name)
            await editor.until(lambda count=count: len(editor.asked) == count, "it is said")
            assert "The file on disk is unchanged" in editor.asked[-1].message
            await editor.choose("Keep draft")
            # The draft holds what was typed, and leads back to it.
            (draft,) = (await editor.ask("intent/drafts", {"path": name}))["drafts"]
            kept_at = repository.root / ".orchestration/.local/drafts" / f"{draft['id']}.json"
            assert json.loads(kept_at.read_bytes())["text"] == text
            assert kept_at.stat().st_mode & 0o777 == 0o600
            actions = await editor.actions(name)
            (title,) = [title for title in actions if title.startswith("Restore draft")]
            assert await editor.run(actions[title]) == {"restored": True}
            assert editor.buffers[name].text == text
            assert (await editor.ask("intent/drafts", {"path": name}))["drafts"] == []
            await editor.problems(name, OUT)
        assert editor.records() == []

        # What is not text cannot be turned back to: judged once it is saved.
        editor.open("logo.png")
        await editor.save("logo.png")
        await editor.traced(1)
        assert editor.records()[0]["scope_validation"] == "FAIL"
        await editor.until(lambda: len(editor.asked) == len(kept) + 1, "it is offered")
        await editor.choose("Leave it")

        # A file that was not there becomes empty, and is offered for deletion.
        asked = len(editor.asked)
        editor.open("new.txt", "")
        editor.type("new.txt", "refused\n")
        await editor.save("new.txt")
        assert (repository.root / "new.txt").read_bytes() == b""
        await editor.until(lambda: len(editor.asked) > asked, "it is offered")
        titles = [action.title for action in editor.asked[-1].actions or []]
        assert titles == [
            "Restore and expand scope",
            "Delete the empty file",
            "Keep draft",
        ]
        assert "The new file was left empty" in editor.asked[-1].message
        await editor.choose("Delete the empty file")
        await editor.until(lambda: editor.deleted, "it is deleted")
        assert not (repository.root / "new.txt").exists()
        (draft,) = (await editor.ask("intent/drafts", {"path": "new.txt"}))["drafts"]
        assert draft["code"] == OUT
        # Saved in scope meanwhile: the same text goes through.
        await edit_and_save(editor, LOGIN, LINES + "fine\n")
        assert (repository.root / LOGIN).read_text() == LINES + "fine\n"


async def test_a_new_file_that_was_filled_meanwhile_is_not_deleted(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    declared = capabilities(
        workspace__workspaceEdit={"documentChanges": True, "resourceOperations": ["delete"]}
    )
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        editor.open("new.txt", "")
        editor.type("new.txt", "refused\n")
        await editor.save("new.txt")
        await editor.until(lambda: editor.asked, "it is offered")
        repository.write("new.txt", "someone's\n")
        await editor.choose("Delete the empty file")
        await editor.until(
            lambda: any("was not deleted" in told for told in editor.messages), "it is kept"
        )
        assert (repository.root / "new.txt").read_text() == "someone's\n"


async def test_a_new_file_is_deleted_for_an_editor_that_cannot(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for count, (name, said) in enumerate(
            (("a.txt", "was deleted"), ("b.txt", "was not deleted")), 1
        ):
            editor.open(name, "")
            editor.type(name, "refused\n")
            await editor.save(name)
            assert (repository.root / name).read_bytes() == b""
            await editor.until(lambda count=count: len(editor.asked) == count, "it is offered")
            if name == "b.txt":
                # Filled by another hand meanwhile.
                repository.write(name, "someone's\n")
            await editor.choose("Delete the empty file")
            await editor.until(
                lambda said=said: any(said in told for told in editor.messages), f"{name} {said}"
            )
        assert not (repository.root / "a.txt").exists()
        assert (repository.root / "b.txt").read_text() == "someone's\n"


async def test_quick_saves_keep_their_order(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(LOGIN)
        texts = [LINES + f"{n}\n" * n for n in range(1, 11)]
        for text in texts:
            editor.type(LOGIN, text)
            await editor.save(LOGIN)
        hashes = [hash_content(text.encode()) for text in (LINES, *texts)]
        await expect_last(editor, hashes[-1])
        files = [record["files"][0] for record in editor.records()]
        # A machine that is too slow to answer in time sees two saves as one; never out of order.
        assert files[0]["pre_hash"] == hashes[0]
        posts = [hashes.index(file["post_hash"]) for file in files]
        assert posts == sorted(set(posts))
        assert all(a["post_hash"] == b["pre_hash"] for a, b in pairwise(files))
        assert {r["scope_validation"] for r in editor.records()} == {"PASS"}
        done = len(files)
        # From an editor that does not ask, nor waits: what it wrote last is recorded.
        for n in range(10):
            editor.type(LOGIN, LINES + "unasked\n" * (n + 1))
            await editor.save(LOGIN, ask=False)
        last = hash_content((repository.root / LOGIN).read_bytes())
        await expect_last(editor, last)
        files = [record["files"][0] for record in editor.records()]
        assert all(file["pre_hash"] != file["post_hash"] for file in files)
        assert {file["post_hash"] for file in files[done:]} <= {
            hash_content((LINES + "unasked\n" * n).encode()) for n in range(1, 11)
        }
        assert (await editor.ask("intent/verify"))["ok"]


@pytest.mark.parametrize("seed", [4, 7])
@pytest.mark.parametrize("ask", [True, False])
async def test_saves_are_the_editors_own_however_slow_the_machine(
    repository: Repository, seed: int, *, ask: bool
) -> None:
    govern(repository)
    async with editing(repository.root, command=jittered_server(seed)) as editor:
        await select(editor, "INT-001")
        # A buffer that gets its name, is written, typed on and written again.
        fresh = "src/auth/fresh.py"
        editor.open(fresh, "fresh\n")
        editor.open(LOGIN)
        for n in range(1, 4):
            editor.type(LOGIN, LINES + "more\n" * n)
            for name in (fresh, LOGIN):
                await editor.save(name, ask=ask)
            editor.type(fresh, "fresh\n" + "and more\n" * n)
        await editor.save(fresh, ask=ask)
        wanted = {
            name: hash_content((repository.root / name).read_bytes()) for name in (fresh, LOGIN)
        }

        def all_recorded() -> bool:
            return {name: files[-1]["post_hash"] for name, files in changes().items()} == wanted

        def changes() -> dict[str, list[dict[str, Any]]]:
            found: dict[str, list[dict[str, Any]]] = {}
            for record in editor.records():
                (file,) = record["files"]
                found.setdefault(file["relative_path"], []).append(file)
            return found

        await editor.until(all_recorded, "what was written last is recorded")
        assert {record["scope_validation"] for record in editor.records()} == {"PASS"}
        assert changes()[LOGIN][0]["pre_hash"] == hash_content(LINES.encode())
        # Opened and written at once, it looks like a file that was there.
        assert changes()[fresh][0]["pre_hash"] in {None, hash_content(b"fresh\n")}
        for files in changes().values():
            assert all(a["post_hash"] == b["pre_hash"] for a, b in pairwise(files))
        assert (await editor.ask("intent/verify"))["ok"]


@pytest.mark.parametrize("now", [2, 3])
async def test_saves_made_before_the_first_of_them_is_told_are_the_editors_own(
    repository: Repository, now: int
) -> None:
    def saved(times: int) -> str:
        return LINES + "more\n" * times

    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        # Opened and saved twice before the server sees the file; then perhaps once more.
        repository.write(LOGIN, saved(2))
        buffer = editor.open(LOGIN, LINES)
        await editor.settled(LOGIN)
        repository.write(LOGIN, saved(now))
        editor.type(LOGIN, saved(1))
        editor.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(buffer.uri))
        )
        await editor.traced(1)
        (record,) = editor.records()
        hashes = [record["files"][0][name] for name in ("pre_hash", "post_hash")]
        assert hashes == [hash_content(text.encode()) for text in (LINES, saved(now))]


@pytest.mark.parametrize(
    ("command", "ask"),
    [(SERVER, True), (SERVER, False), *((jittered_server(seed), False) for seed in (1, 4, 22))],
)
async def test_a_save_that_is_seen_half_way_is_the_editors_own(
    repository: Repository, command: Sequence[str], *, ask: bool
) -> None:
    govern(repository)
    name, texts = "src/auth/fresh.py", ["fresh\n", "fresh\nand more\n"]
    async with editing(repository.root, command=command) as editor:
        await select(editor, "INT-001")
        file = editor.open(name, "").path
        await editor.settled(name)
        changed = lsp.FileEvent(uri=editor.uri(name), type=lsp.FileChangeType.Changed)
        for number, text in enumerate(texts, 1):
            editor.type(name, text)
            document = lsp.TextDocumentIdentifier(editor.uri(name))
            if ask:
                manual = lsp.TextDocumentSaveReason.Manual
                await editor.client.text_document_will_save_wait_until_async(
                    lsp.WillSaveTextDocumentParams(document, manual)
                )
            for end in (0, 3):
                # As editors write that do not put a new file in the place of the old one.
                file.write_text(text[:end])
                editor.client.workspace_did_change_watched_files(
                    lsp.DidChangeWatchedFilesParams([changed])
                )
                await editor.settled(name)
            file.write_text(text)
            editor.client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
            await editor.traced(number)
        told = [(r["scope_validation"], r["files"][0]["pre_hash"]) for r in editor.records()]
        assert told == [("PASS", None), ("PASS", hash_content(texts[0].encode()))], editor.records()
        assert not any("concurrent_modification" in record for record in editor.records())


@pytest.mark.parametrize("ask", [True, False])
async def test_a_file_that_is_written_and_left_is_recorded(
    repository: Repository, *, ask: bool
) -> None:
    govern(repository)
    texts = [LINES + "more\n" * n for n in range(6)]
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for number, text in enumerate(texts[1:], 1):
            editor.open(LOGIN)
            await editor.settled(LOGIN)
            editor.type(LOGIN, text)
            # Both are told in one breath.
            await editor.save(LOGIN, ask=ask)
            editor.close(LOGIN)
            await editor.traced(number)
        hashes = [hash_content(text.encode()) for text in texts]
        told = [
            (record["scope_validation"], record["files"][0]["pre_hash"])
            for record in editor.records()
        ]
        assert told == [("PASS", before) for before in hashes[:-1]]


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_save_belongs_to_the_intent_that_was_active_then(
    repository: Repository, seed: int
) -> None:
    govern(repository)
    async with editing(repository.root, command=jittered_server(seed)) as editor:
        editor.open(LOGIN)
        wanted = []
        for number, intent in enumerate(["INT-001", "INT-002", None, "INT-001"]):
            if intent is None:
                await editor.ask("intent/clear")
            else:
                await select(editor, intent)
            editor.type(LOGIN, LINES + "more\n" * (number + 1))
            # Nobody waits for the record.
            await editor.save(LOGIN, ask=False)
            wanted.append(intent)
        await editor.traced(len(wanted))
        assert [record["intent_id"] for record in editor.records()] == wanted


@pytest.mark.parametrize(("seed", "ask"), [(1, True), (2, False)])
async def test_saves_of_several_files_are_recorded_in_the_order_of_the_saves(
    repository: Repository, seed: int, *, ask: bool
) -> None:
    saved = [f"src/auth/{name}.py" for name in "cadb"]
    for name in saved:
        repository.write(name, LINES)
    govern(repository)
    async with editing(repository.root, command=jittered_server(seed)) as editor:
        await select(editor, "INT-001")
        for name in saved:
            editor.open(name)
            assert not await editor.settled(name)
        for name in saved:
            editor.type(name, "top\n" + LINES)
            await editor.save(name, ask=ask)
        await editor.traced(len(saved))
        assert [record["files"][0]["relative_path"] for record in editor.records()] == saved


async def expect_last(editor: Editor, post_hash: str) -> None:
    def done() -> bool:
        records = editor.records()
        return bool(records) and records[-1]["files"][0]["post_hash"] == post_hash

    await editor.until(done, "the last save is recorded")


@pytest.mark.parametrize(
    "command", [STARTED, *[SERVER] * 3], ids=["started", "warm-1", "warm-2", "warm-3"]
)
async def test_saves_that_are_quicker_than_the_start(
    repository: Repository, command: Sequence[str]
) -> None:
    govern(repository)
    async with editing(repository.root, command=command) as editor:
        # Nobody has answered anything but `initialize` so far.
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "at once\n")
        await editor.save(LOGIN, ask=False)
        editor.open("new.txt", "")
        editor.type("new.txt", "new\n")
        await editor.save("new.txt", ask=False)
        # Written and left.
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "and away\n")
        await editor.save(INVOICE, ask=False)
        editor.close(INVOICE)
        await editor.traced(3)
        records = {r["files"][0]["relative_path"]: r for r in editor.records()}
        assert len(records) == len(editor.records()) == 3
        for name in (LOGIN, INVOICE):
            assert records[name]["files"][0]["pre_hash"] == hash_content(LINES.encode())
            assert ranges(records[name])[0]["start_line"] == 11
        assert records["new.txt"]["mutation_class"] == "FILE_CREATION"
        assert records["new.txt"]["files"][0]["pre_hash"] is None
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")


async def test_what_the_server_writes_is_no_save(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        assert not await editor.settled(INTENTS_FILE)
        await select(editor, "INT-001")
        ours = INTENTS.replace("PLANNED", "IN_PROGRESS")
        assert (repository.root / INTENTS_FILE).read_text() == ours
        # The editor loads it again, and saves it as it is: that is nobody's edit.
        editor.reload(INTENTS_FILE)
        await editor.save(INTENTS_FILE)
        await editor.save(INTENTS_FILE, ask=False)
        assert not await editor.settled(INTENTS_FILE)
        assert editor.records() == []
        # A person's edit of the same file is one, also when it leads back to what we wrote.
        await edit_and_save(editor, INTENTS_FILE, ours + "# mine\n")
        await editor.traced(1)
        await edit_and_save(editor, INTENTS_FILE, ours)
        await editor.traced(2)
        mine, back = editor.records()
        assert (mine["scope_validation"], back["scope_validation"]) == ("EXEMPT", "EXEMPT")
        assert mine["files"][0]["pre_hash"] == hash_content(ours.encode())
        assert back["files"][0]["post_hash"] == hash_content(ours.encode())
        assert "concurrent_modification" not in mine
        # With unsaved text in it the file is not touched, and the answer says so.
        editor.type(INTENTS_FILE, ours.replace("IN_PROGRESS", "PLANNED"))
        await editor.save(INTENTS_FILE)
        await editor.traced(3)
        editor.type(INTENTS_FILE, editor.buffers[INTENTS_FILE].text + "# unsaved\n")
        await editor.settled(INTENTS_FILE)
        answer = await editor.ask("intent/select", {"intentId": "INT-002"})
        assert answer["intent"]["status"] == "PLANNED"
        assert "unsaved" in answer["warnings"][0]
        assert not any(STALE in str(p) for p in editor.shown.values())


STALE = "STALE_FILE"


async def test_a_ledger_that_cannot_be_written_closes_its_gap(repository: Repository) -> None:
    govern(repository)
    ledger = repository.root / LEDGER
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        await edit_and_save(editor, LOGIN, LINES + "1\n")
        await editor.traced(1)
        # Locked by another process for longer than we wait.
        with (repository.root / ".orchestration/.local/ledger.lock").open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            await edit_and_save(editor, LOGIN, LINES + "2\n")
            await editor.until(
                lambda: any("cannot record it yet" in told for told in editor.messages),
                "it is told",
            )
            assert len(editor.records()) == 1
        # Something else stands in its place.
        away = ledger.rename(ledger.with_suffix(".away"))
        ledger.mkdir()
        await edit_and_save(editor, LOGIN, LINES + "3\n")
        await editor.until(
            lambda: sum("cannot record it yet" in t for t in editor.messages) == 2,
            "it is told again",
        )
        found = await editor.ask("intent/verify")
        assert not found["ok"]
        assert found["problems"][0]["code"] == "UNREADABLE_FILE"
        ledger.rmdir()
        away.rename(ledger)
        await edit_and_save(editor, LOGIN, LINES + "4\n")
        await editor.traced(2)
        await expect_chain(editor, 4)
        ledger.rename(away)
        ledger.mkdir()
        await edit_and_save(editor, LOGIN, LINES + "5\n")
        await editor.until(
            lambda: sum("cannot record it yet" in t for t in editor.messages) == 3, "and again"
        )
        ledger.rmdir()
        away.rename(ledger)
    # What still waits is appended by the next start.
    async with editing(repository.root) as editor:
        await editor.ask("intent/status")
        await expect_chain(editor, 5)


async def expect_chain(editor: Editor, count: int) -> None:
    files = [record["files"][0] for record in editor.records()]
    assert len(files) == count
    assert all(a["post_hash"] == b["pre_hash"] for a, b in pairwise(files))
    found = await editor.ask("intent/verify")
    assert (found["ok"], found["records"]) == (True, count)


async def test_what_is_nobodys_business_is_left_alone(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository, "enforcement: block")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "theirs.txt").write_text(LINES)
    (repository.root / "link.txt").symlink_to(outside / "theirs.txt")
    (repository.root / "alias").symlink_to("src/auth")
    repository.write(".git/COMMIT_EDITMSG", "")
    repository.write("build/out.txt", "")
    repository.write("build/kept.txt", LINES)
    repository.git("add", "--force", "build/kept.txt")
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for name in (".git/COMMIT_EDITMSG", "build/out.txt", "../outside/theirs.txt"):
            for ask in (True, False):
                await edit_and_save(editor, name, f"anything {ask}\n", ask=ask)
                assert (repository.root / name).read_text() == f"anything {ask}\n"
            assert not await editor.settled(name)
        assert editor.records() == []
        # Ignored and tracked all the same: judged.
        await edit_and_save(editor, "build/kept.txt", "changed\n")
        assert (repository.root / "build/kept.txt").read_text() == LINES
        # Through a link out of the root: turned back by the rule for that.
        await edit_and_save(editor, "link.txt", "changed\n")
        assert (outside / "theirs.txt").read_text() == "anything False\n"
        await editor.until(lambda: len(editor.asked) == 2, "both are said")
        assert "link.txt is outside this workspace" in editor.asked[1].message
        # Through a link inside, by where the bytes go: the link's own name is in no scope.
        await edit_and_save(editor, "alias/login.py", "changed\n")
        assert (repository.root / LOGIN).read_text() == LINES
        assert editor.records() == []


async def test_other_hands_between_asking_and_saving(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "x=1\n")
        await editor.save(LOGIN, reformat=lambda text: text.replace("x=1", "x = 1"))
        await editor.traced(1)
        (record,) = editor.records()
        assert ranges(record) == [run(11, 11, "x = 1", [11, 0, 1])]
        assert (record["scope_validation"], "concurrent_modification" in record) == ("PASS", False)
        # A refused text that a formatter touches after us comes through: judged, and offered.
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "y=1\n")
        await editor.save(INVOICE, reformat=lambda text: text + "# formatted\n")
        await editor.traced(2)
        assert editor.records()[1]["scope_validation"] == "FAIL"
        await editor.problems(INVOICE, OUT)
        await editor.until(lambda: editor.asked, "putting back is offered")


async def test_stale_files(repository: Repository) -> None:
    govern(repository)
    repository.write("src/auth/gone.py", LINES)
    repository.write("src/auth/old name.py", LINES)
    repository.commit()
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        # Nobody edits it: what changes on disk is loaded again, and stale is nothing.
        repository.write(LOGIN, LINES + "pulled\n")
        await editor.ask("intent/clear")
        await select(editor, "INT-001")
        assert not await editor.settled(LOGIN)
        editor.reload(LOGIN)
        editor.type(LOGIN, "mine\n" + LINES + "pulled\n")
        await select(editor, "INT-001")
        assert not await editor.settled(LOGIN)
        # Edited, and changed on disk: shown until one of the two is taken.
        repository.replace(LOGIN, LINES + "theirs\n")
        (shown,) = await editor.problems(LOGIN, STALE)
        assert shown.message == "login.py has changed on disk since your editor read it."
        assert shown.severity == lsp.DiagnosticSeverity.Error
        actions = await editor.actions(LOGIN)
        await editor.run(actions["Take the version on disk"])
        assert editor.buffers[LOGIN].text == LINES + "theirs\n"
        await editor.problems(LOGIN)
        await edit_and_save(editor, LOGIN, "mine\n" + LINES + "theirs\n")
        await editor.traced(1)
        (record,) = editor.records()
        assert record["scope_validation"] == "PASS"
        assert record["files"][0]["pre_hash"] == hash_content((LINES + "theirs\n").encode())

        # Deleted on disk, and written again over nothing.
        editor.open("src/auth/gone.py")
        editor.type("src/auth/gone.py", LINES + "still here\n")
        await editor.settled("src/auth/gone.py")
        (repository.root / "src/auth/gone.py").unlink()
        await editor.problems("src/auth/gone.py", STALE)
        await editor.save("src/auth/gone.py")
        await editor.traced(2)
        record = editor.records()[1]
        assert (record["scope_validation"], record["concurrent_modification"]) == ("FAIL", True)
        assert record["mutation_class"] == "FILE_CREATION"
        await editor.problems("src/auth/gone.py")

        # Renamed: the old name is closed, the new one opened.
        old, new = "src/auth/old name.py", "src/auth/new name.py"
        editor.open(old)
        (repository.root / old).rename(repository.root / new)
        editor.close(old)
        await edit_and_save(editor, new, LINES + "renamed\n")
        await editor.traced(3)
        assert editor.records()[2]["files"][0]["pre_hash"] == hash_content(LINES.encode())
        await editor.problems(old)


async def test_two_editors_ten_files_one_chain(repository: Repository) -> None:
    govern(repository)
    names = [f"src/auth/{n}.py" for n in range(10)]
    for name in names:
        repository.write(name, LINES)
    repository.commit()
    async with editing(repository.root) as one, editing(repository.root) as two:
        await select(one, "INT-001")
        await select(two, "INT-001")
        for editor, mine in ((one, names[::2]), (two, names[1::2])):
            for name in mine:
                editor.open(name)
                editor.type(name, LINES + "more\n")
        saves = [one.save(name) for name in names[::2]] + [two.save(name) for name in names[1::2]]
        await asyncio.gather(*saves)
        await one.traced(5)
        await two.traced(5)
        found = await one.ask("intent/verify")
        assert (found["ok"], found["records"], len(found["heads"])) == (True, 10, 1)
