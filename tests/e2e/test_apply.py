"""Changes made for agents: judged, written, recorded, through a real client (protocol 2)."""

import asyncio
import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import path_of_uri
from tests.support.editor import Editor, capabilities, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
LOGOUT = "src/auth/logout.py"
INVOICE = "src/billing/invoice.py"
NEW = "src/auth/new/deep/file.py"
GOVERNANCE_LEDGER = ".orchestration/governance_ledger.md"
WRITE = "write_to_file"

Json = Mapping[str, Any]


async def apply(editor: Editor, session: str = "builder", /, **params: Any) -> Any:
    """Ask for a change; what is answered is a decision with two fields more."""
    call = {"sessionId": session, "toolName": WRITE, **params}
    told = await editor.ask("intent/applyEdit", call)
    assert {"allowed", "scopeValidation", "ticket", "applied", "recordId"} <= set(told)
    return told


async def selected(editor: Editor) -> Editor:
    await editor.ask("intent/select", {"sessionId": "builder", "intentId": "INT-001"})
    return editor


def tree(root: Path) -> Mapping[str, bytes | None]:
    """Read the work tree, directories included."""
    found = (path for path in root.rglob("*") if ".git" not in path.parts)
    # The first lesson makes a file, too.
    ours = (p for p in found if ".orchestration" not in p.parts and p.name != "AGENT.md")
    return {str(path): path.read_bytes() if path.is_file() else None for path in ours}


def at(line: int, start: int, end: int, text: str, *, last: int | None = None) -> Json:
    """Spell a text edit, in the units of the client."""
    begin = {"line": line, "character": start}
    finish = {"line": line if last is None else last, "character": end}
    return {"range": {"start": begin, "end": finish}, "newText": text}


def done(editor: Editor, told: Any) -> dict[str, Any]:
    """Give the record of a change that was made."""
    assert (told["allowed"], told["applied"]) == (True, True), told
    (record,) = [record for record in editor.records() if record["id"] == told["recordId"]]
    assert record["success"]
    return record


def not_made(editor: Editor, told: Any, why: str) -> dict[str, Any]:
    """Hold an answer against a change that was allowed and could not be made; give its record."""
    assert (told["allowed"], told["applied"]) == (True, False), told
    (said,) = [each for each in told["warnings"] if each.startswith("The edit was not applied: ")]
    assert why in said
    (record,) = [record for record in editor.records() if record["id"] == told["recordId"]]
    assert not record["success"]
    assert record["error"]
    return record


def refused(told: Any, code: str) -> None:
    assert (told["allowed"], told["applied"]) == (False, False), told
    assert (told["recordId"], told["error"]["code"]) == (None, code)


# -- a whole text -------------------------------------------------------------------------------


async def test_a_text_is_written_where_nobody_has_it_open(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    async with editing(root) as editor:
        await selected(editor)
        told = await apply(editor, path=NEW, newText="one\ntwo\n", readHash=None)
        record = done(editor, told)
        assert (root / NEW).read_bytes() == b"one\ntwo\n"
        assert (record["mutation_class"], record["inferred"]) == ("FILE_CREATION", True)
        assert (record["tool_name"], record["scope_validation"]) == (WRITE, "PASS")
        (file,) = record["files"]
        post = hash_content(b"one\ntwo\n")
        assert (file["relative_path"], file["pre_hash"], file["post_hash"]) == (NEW, None, post)
        (run,) = file["conversations"][0]["ranges"]
        assert (run["start_line"], run["end_line"]) == (1, 2)
        (trace,) = await editor.traced(1)
        assert (trace["recordId"], trace["paths"]) == (told["recordId"], [NEW])
        assert told["files"] == [{"path": NEW, "uri": editor.uri(NEW), "preHash": None}]

        # By its names in snake case, by its URI, by command.
        (root / LOGIN).chmod(0o755)
        told = await editor.command(
            "intent.applyEdit",
            {
                "session_id": "builder",
                "tool_name": WRITE,
                "uri": editor.uri(LOGIN).replace("auth", "%61uth"),
                "new_content": LINES.replace("line 3", "third"),
                "original_hash": hash_content(LINES.encode()),
                "mutation_class": "BUG_FIX",
            },
        )
        record = done(editor, told)
        assert (root / LOGIN).stat().st_mode & 0o777 == 0o755
        assert record["mutation_class"] == "BUG_FIX"
        (run,) = record["files"][0]["conversations"][0]["ranges"]
        assert (run["start_line"], run["replaced"]) == (3, [3, 1, 1])
        # What it wrote it knows.
        done(editor, await apply(editor, path=LOGIN, newText="mine\n"))

        # The bytes are the caller's; the mark and the encoding are the file's.
        spellings: Sequence[tuple[bytes, str, bytes]] = (
            (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n"),
            (b"a\r\nb\n", "a\nb\r", b"a\nb\r"),
            (codecs.BOM_UTF8 + b"a\n", "é\n", codecs.BOM_UTF8 + "é\n".encode()),
            # Given back with the text: one mark is enough, and a new file may have one.
            (codecs.BOM_UTF8 + b"a\n", "\ufeffb\n", codecs.BOM_UTF8 + b"b\n"),
            (b"a\n", "\ufeffb\n", codecs.BOM_UTF8 + b"b\n"),
            (
                codecs.BOM_UTF16_LE + "a\n".encode("utf-16-le"),
                "é\n",
                codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le"),
            ),
            (b"a\n", "", b""),
        )
        for number, (before, text, after) in enumerate(spellings):
            name = f"src/auth/spelled-{number}.txt"
            repository.write(name, before)
            record = done(editor, await apply(editor, path=name, newText=text))
            assert (root / name).read_bytes() == after
            assert record["files"][0]["post_hash"] == hash_content(after)
        assert (await editor.ask("intent/verify"))["ok"]


async def test_what_is_refused_is_written_nowhere(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    repository.write("src/auth/binary", b"\xff\xfe\x00")
    repository.write("src/auth/room/file", "x")
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "src/auth/link").symlink_to(outside)
    async with editing(root) as editor:
        refused(await apply(editor, path=LOGIN, newText="x"), "CHECKOUT_REQUIRED")
        await selected(editor)
        before = tree(root)
        wrong: Sequence[tuple[str, str]] = (
            (INVOICE, "SCOPE_VIOLATION"),
            ("src/other/new/file.py", "SCOPE_VIOLATION"),
            (".git/hooks/pre-commit", "PATH_DENIED"),
            (".orchestration/new.md", "PATH_DENIED"),
            ("src/auth/../../.intentignore", "PATH_DENIED"),
            ("../outside/x.py", "OUTSIDE_WORKSPACE"),
            (str(outside / "x.py"), "OUTSIDE_WORKSPACE"),
            ("src/auth/link/x.py", "OUTSIDE_WORKSPACE"),
            ("src/auth/a\0b", "OUTSIDE_WORKSPACE"),
        )
        for path, code in wrong:
            refused(await apply(editor, path=path, newText="x"), code)
        refused(await apply(editor, path=LOGIN, newText="x", readHash="0" * 64), "STALE_FILE")
        refused(await apply(editor, path=LOGIN, newText="x", readHash=None), "STALE_FILE")
        denied = [told for method, told in editor.notified if method == "intent/didDeny"]
        assert len(denied) == len(wrong) + 3
        assert editor.records() == []
        # What may be written and cannot be.
        not_made(
            editor, await apply(editor, path="src/auth/binary", newText="x"), "is not a text file"
        )
        not_made(editor, await apply(editor, path="src/auth/room", newText="x"), "regular file")
        not_made(editor, await apply(editor, path=f"{LOGIN}/x", newText="x"), "")
        with pytest.raises(JsonRpcException, match=r"params\.newText: has half of a character"):
            await apply(editor, path=LOGIN, newText="\ud800")
        assert (tree(root), list(outside.iterdir())) == (before, [])
        text = (root / GOVERNANCE_LEDGER).read_text()
        assert (text.count("status=DENIED"), text.count("status=FAILED")) == (len(denied), 3)


UNREADABLE: Sequence[tuple[Json, str]] = (
    ({}, "params.newText"),
    ({"path": LOGIN}, "params.newText"),
    ({"newText": "x"}, "params.path"),
    ({"newText": "x", "paths": [LOGIN, INVOICE]}, "params.path"),
    ({"newText": 7, "path": LOGIN}, "params.newText"),
    ({"newText": "x", "uri": "untitled:x"}, "params.uri"),
    ({"newText": "x", "path": LOGIN, "edit": {"changes": {}}}, "params.edit"),
    ({"edit": 7}, "params.edit"),
    ({"edit": {}}, "params.edit"),
    ({"edit": {"changes": {}}}, "params.edit"),
    ({"edit": {"changes": {"untitled:x": []}}}, "params.edit.changes"),
    ({"edit": {"documentChanges": [7]}}, "params.edit.documentChanges[0]"),
    ({"edit": {"documentChanges": [{"kind": "copy"}]}}, "params.edit.documentChanges[0].kind"),
    ({"edit": {"documentChanges": [{"kind": "create"}]}}, "params.edit.documentChanges[0]"),
    (
        {"edit": {"documentChanges": [{"kind": "delete", "uri": "file:///x\0"}]}},
        "params.edit.documentChanges[0]",
    ),
)


async def test_one_call_is_enough_where_no_checkout_is_required(repository: Repository) -> None:
    govern(repository, "require_checkout: false")
    async with editing(repository.root) as editor:
        read = hash_content(LINES.encode())
        told = await apply(
            editor, path=LOGIN, newText="all of it\n", intentId="INT-001", readHash=read
        )
        assert done(editor, told)["intent_id"] == "INT-001"
        told = await apply(editor, path=LOGIN, newText="more\n", intentId="INT-001", readHash=read)
        assert told["error"]["code"] == "STALE_FILE"


async def test_selecting_may_begin_the_turn(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        wanted = {"sessionId": "builder", "intentId": "INT-001"}
        await editor.ask("intent/select", wanted)
        for turn in (2, 3):
            await editor.ask("intent/select", {**wanted, "newTurn": True})
            status = await editor.ask("intent/status", {"sessionId": "builder"})
            assert (status["turn"], status["stage"]) == (turn, "execution_authorized")
        # A person has no turns.
        await editor.ask("intent/select", {"intentId": "INT-001", "newTurn": True})
        assert (await editor.ask("intent/status"))["turn"] == 1


async def test_a_call_that_comes_twice_is_made_once(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await selected(editor)
        for params, said in UNREADABLE:
            with pytest.raises(JsonRpcException) as raised:
                await apply(editor, **params)
            assert (raised.value.code, said in raised.value.message) == (-32602, True), params
        told = await apply(editor, path=LOGIN, newText="once\n", toolUseId="use")
        done(editor, told)
        # Another has been there since: it is not written over.
        repository.write(LOGIN, "theirs\n")
        params = {"sessionId": "builder", "toolName": WRITE, "path": LOGIN, "newText": "once\n"}
        assert await apply(editor, path=LOGIN, newText="once\n", toolUseId="use") == told
        assert await editor.command("intent.applyEdit", {**params, "toolUseId": "use"}) == told
        assert (repository.root / LOGIN).read_text() == "theirs\n"
        assert len(editor.records()) == 1
        # A refusal is the same refusal, and told of once.
        told = await apply(editor, path=INVOICE, newText="x", toolUseId="other")
        refused(told, "SCOPE_VIOLATION")
        assert await apply(editor, path=INVOICE, newText="x", toolUseId="other") == told
        assert [name for name, _ in editor.notified].count("intent/didDeny") == 1
        # What could not be made is not made the second time.
        repository.write("src/auth/room/file", "x")
        told = await apply(editor, path="src/auth/room", newText="x", toolUseId="third")
        not_made(editor, told, "regular file")
        assert await apply(editor, path="src/auth/room", newText="x", toolUseId="third") == told
        # One of several agents, all at once: each is judged by what the one before has left.
        repository.write(LOGIN, LINES)
        hash_ = hash_content(LINES.encode())
        for number in range(4):
            params = {"sessionId": f"agent-{number}", "intentId": "INT-001"}
            await editor.ask("intent/select", params)
        racing = [
            apply(editor, f"agent-{number}", path=LOGIN, newText=f"{number}\n", readHash=hash_)
            for number in range(4)
        ]
        answers = await asyncio.gather(*racing)
        (won,) = [number for number, told in enumerate(answers) if told["applied"]]
        assert (repository.root / LOGIN).read_text() == f"{won}\n"
        assert [told["error"]["code"] for told in answers if not told["applied"]] == [
            "STALE_FILE"
        ] * 3


# -- an edit ------------------------------------------------------------------------------------


def edits(editor: Editor, name: str, *changes: Json, version: int | None = None) -> Json:
    """Spell the edits of one document."""
    document = {"uri": editor.uri(name), "version": version}
    return {"textDocument": document, "edits": list(changes)}


def create(editor: Editor, name: str, **options: bool) -> Json:
    return {"kind": "create", "uri": editor.uri(name), "options": options}


def delete(editor: Editor, name: str) -> Json:
    return {"kind": "delete", "uri": editor.uri(name)}


def rename(editor: Editor, old: str, new: str) -> Json:
    return {"kind": "rename", "oldUri": editor.uri(old), "newUri": editor.uri(new)}


async def steps(editor: Editor, *changes: Json) -> Any:
    return await apply(editor, edit={"documentChanges": list(changes)})


def files_of(record: Json) -> list[tuple[str, str | None, bool, bool]]:
    """Give the files of a record: name, old name, whether it was there, whether it is."""
    return [
        (
            file["relative_path"],
            file.get("previous_path"),
            file["pre_hash"] is not None,
            file["post_hash"] is not None,
        )
        for file in record["files"]
    ]


# A letter of two bytes, and one of two UTF-16 units and four bytes.
WIDE = "\N{LATIN SMALL LETTER E WITH ACUTE}\N{GRINNING FACE}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_edits_count_as_the_client_counts(repository: Repository, encoding: str) -> None:
    govern(repository)
    root = repository.root
    crlf = codecs.BOM_UTF8 + f"one {WIDE}x\r\ntwo\r\nthree".encode()
    repository.write(LOGOUT, crlf)
    client = capabilities(general__positionEncodings=[encoding])
    async with editing(root, client_capabilities=client) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.position_encoding == encoding
        await selected(editor)
        start = 4 + (6 if encoding == "utf-8" else 3)
        changes = [
            # In any order: all speak of the same text. Two at one place stay in theirs.
            at(2, 5, 5, "!\n"),
            at(0, start, start + 1, "y"),
            at(1, 0, 0, "1"),
            at(1, 0, 0, "2"),
            at(1, 2, 3, ""),
            at(0, 0, 3, "ONE"),
        ]
        told = await apply(editor, edit={"changes": {editor.uri(LOGOUT): changes}})
        record = done(editor, told)
        wanted = codecs.BOM_UTF8 + f"ONE {WIDE}y\r\n12tw\r\nthree!\n".encode()
        assert (root / LOGOUT).read_bytes() == wanted
        assert (record["mutation_class"], len(record["files"])) == ("AST_REFACTOR", 1)
        # A line's end is the end of what may be pointed at in it; so is the text's.
        told = await steps(editor, edits(editor, LOGOUT, at(0, 999, 999, "Z"), at(3, 0, 0, "end")))
        done(editor, told)
        wanted = wanted.replace(b"y\r\n", b"yZ\r\n") + b"end"
        assert (root / LOGOUT).read_bytes() == wanted
        for number, (wrong, why) in enumerate(
            (
                ([at(0, 0, 3, "a"), at(0, 2, 4, "b")], "two edits overlap, or"),
                ([at(1, 3, 1, "a")], "two edits overlap, or"),
                ([at(9, 0, 0, "a")], "line 10, character 1 is outside of the text"),
                ([at(0, 0, 0, "a", last=7)], "line 8, character 1 is outside of the text"),
                ([at(-1, 0, 0, "a")], "line 0, character 1 is outside of the text"),
                ([at(0, -1, 0, "a")], "line 1, character 0 is outside of the text"),
            )
        ):
            # With another that is fine: none is made.
            fine = edits(editor, f"src/auth/fine-{number}.py", at(0, 0, 0, "fine"))
            told = await steps(editor, fine, edits(editor, LOGOUT, *wrong))
            not_made(editor, told, why)
        assert (root / LOGOUT).read_bytes() == wanted
        assert {path.name for path in (root / "src/auth").iterdir()} == {"login.py", "logout.py"}


async def test_files_are_made_moved_and_deleted_in_one_change(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    repository.write(LOGOUT, "out\n")
    async with editing(root) as editor:
        await selected(editor)
        moved = "src/auth/session/leave.py"
        told = await steps(
            editor,
            create(editor, NEW),
            edits(editor, NEW, at(0, 0, 0, "new\n")),
            rename(editor, LOGOUT, moved),
            edits(editor, moved, at(0, 0, 3, "left")),
            delete(editor, LOGIN),
        )
        record = done(editor, told)
        assert files_of(record) == [
            (NEW, None, False, True),
            (moved, LOGOUT, True, True),
            (LOGIN, None, True, False),
        ]
        assert ((root / NEW).read_text(), (root / moved).read_text()) == ("new\n", "left\n")
        assert not (root / LOGIN).exists()
        assert not (root / LOGOUT).exists()
        (trace,) = await editor.traced(1)
        assert trace["paths"] == [NEW, moved, LOGIN]

        # Steps of one file are one change of it.
        other, third = "src/auth/other.py", "src/auth/third.py"
        told = await steps(
            editor,
            rename(editor, moved, other),
            edits(editor, other, at(0, 0, 0, "a ")),
            edits(editor, other, at(0, 2, 2, "b ")),
            rename(editor, other, third),
        )
        assert files_of(done(editor, told)) == [(third, moved, True, True)]
        assert (root / third).read_text() == "a b left\n"
        told = await steps(
            editor, rename(editor, third, other), edits(editor, other), delete(editor, other)
        )
        assert files_of(done(editor, told)) == [(third, None, True, False)]
        assert not (root / third).exists()
        told = await steps(
            editor,
            delete(editor, NEW),
            create(editor, NEW),
            edits(editor, NEW, at(0, 0, 0, "anew\n")),
        )
        assert files_of(done(editor, told)) == [(NEW, None, True, True)]
        assert (root / NEW).read_text() == "anew\n"
        told = await steps(
            editor, create(editor, third), rename(editor, third, LOGIN), edits(editor, LOGIN)
        )
        assert files_of(done(editor, told)) == [(LOGIN, None, False, True)]
        assert (root / LOGIN).read_bytes() == b""

        # What is there already is kept, made new, or in the way.
        begin = edits(editor, NEW, at(0, 0, 0, "- "))
        not_made(editor, await steps(editor, create(editor, NEW), begin), "exists already")
        not_made(editor, await steps(editor, rename(editor, LOGIN, NEW)), "exists already")
        done(editor, await steps(editor, create(editor, NEW, ignoreIfExists=True), begin))
        assert (root / NEW).read_text() == "- anew\n"
        done(editor, await steps(editor, create(editor, NEW, overwrite=True), begin))
        assert (root / NEW).read_text() == "- "
        with pytest.raises(JsonRpcException, match="is changed after it is deleted") as raised:
            await steps(editor, delete(editor, NEW), begin)
        assert raised.value.code == -32602
        assert (root / NEW).read_text() == "- "
        assert (await editor.ask("intent/verify"))["ok"]


async def test_all_files_of_a_change_are_written_or_none(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    repository.write(LOGOUT, "out\n")
    (root / LOGOUT).chmod(0o755)
    repository.write("src/auth/room/file", "x")
    async with editing(root) as editor:
        await selected(editor)
        before = tree(root)
        begin = edits(editor, LOGIN, at(0, 0, 0, "top\n"))
        # One that may not be: all are judged before the first is written.
        for bad in (
            edits(editor, INVOICE, at(0, 0, 0, "top\n")),
            create(editor, "src/other/x.py"),
            rename(editor, LOGOUT, "src/billing/x.py"),
            rename(editor, INVOICE, "src/auth/x.py"),
            delete(editor, INVOICE),
        ):
            for changes in ((begin, bad), (bad, begin)):
                refused(await steps(editor, *changes), "SCOPE_VIOLATION")
        both = {editor.uri(LOGIN): [at(0, 0, 0, "x")], editor.uri(INVOICE): [at(0, 0, 0, "x")]}
        told = await apply(editor, edit={"changes": both})
        refused(told, "SCOPE_VIOLATION")
        assert told["error"]["details"]["paths"] == [INVOICE]
        assert (tree(root), editor.records()) == (before, [])
        # One that cannot be: a directory stands in its place. The others are put back.
        told = await steps(
            editor,
            create(editor, NEW),
            begin,
            rename(editor, LOGOUT, "src/auth/moved/leave.py"),
            edits(editor, "src/auth/room", at(0, 0, 0, "x")),
        )
        record = not_made(editor, told, "regular file")
        assert tree(root) == before
        assert (root / LOGOUT).stat().st_mode & 0o777 == 0o755
        assert len(record["files"]) == 4
        assert all(file["conversations"][0]["ranges"] == [] for file in record["files"])
        told = await steps(editor, delete(editor, LOGOUT), delete(editor, "src/auth/room"), begin)
        assert (told["applied"], tree(root)) == (False, before)
        assert (root / LOGOUT).stat().st_mode & 0o777 == 0o755
        # Nothing of it is remembered as read: what was there can be changed still.
        done(editor, await steps(editor, begin))
        assert (root / LOGIN).read_text() == f"top\n{LINES}"


# -- what an editor has open --------------------------------------------------------------------


@dataclass
class Hands:
    """What a client does with the edits that it is asked to make; it may refuse them."""

    editor: Editor
    asked: list[lsp.WorkspaceEdit] = field(default_factory=list)
    refuses: bool | Exception = False

    def __post_init__(self) -> None:
        features = self.editor.client.protocol.fm.features
        features[lsp.WORKSPACE_APPLY_EDIT] = self._apply

    async def _apply(self, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        self.asked.append(params.edit)
        if isinstance(self.refuses, Exception):
            raise self.refuses
        if self.refuses:
            return lsp.ApplyWorkspaceEditResult(applied=False)
        for uri, changes in (params.edit.changes or {}).items():
            self._edit(uri, changes)
        for step in params.edit.document_changes or ():
            self._step(step)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    def _step(self, step: object) -> None:
        match step:
            case lsp.CreateFile():
                self._path(step.uri).parent.mkdir(parents=True, exist_ok=True)
                self._path(step.uri).touch(exist_ok=False)
            case lsp.RenameFile():
                assert not self._path(step.new_uri).exists()
                self._path(step.old_uri).rename(self._path(step.new_uri))
            case lsp.DeleteFile():
                self._path(step.uri).unlink()
            case lsp.TextDocumentEdit():
                self._edit(step.text_document.uri, step.edits, step.text_document.version)
            case _:
                raise AssertionError(step)

    def _edit(self, uri: str, changes: Sequence[Any], version: int | None = None) -> None:
        name = str(self._path(uri).relative_to(self.editor.root))
        buffer = self.editor.buffers.get(name) or self.editor.open(name)
        assert version in (None, buffer.version)
        self.editor.apply(buffer, changes)

    def _path(self, uri: str) -> Path:
        (path,) = [p for p in (path_of_uri(uri),) if p is not None]
        return Path(path)


async def test_what_is_open_is_changed_by_its_editor(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    async with editing(root) as editor:
        hands = Hands(editor)
        await selected(editor)
        # Unsaved text is the person's: the change is one of it, and can be undone.
        editor.open(LOGIN)
        editor.type(LOGIN, f"typed\n{LINES}")
        await editor.settled(LOGIN)
        version = editor.buffers[LOGIN].version
        told = await apply(editor, path=LOGIN, newText=f"typed\n{LINES}".replace("line 3", "3rd"))
        assert (told["allowed"], told["applied"], told["recordId"]) == (True, True, None)
        assert told["ticket"]
        (edit,) = hands.asked
        (change,) = edit.document_changes or ()
        assert isinstance(change, lsp.TextDocumentEdit)
        assert change.text_document == lsp.OptionalVersionedTextDocumentIdentifier(
            uri=editor.uri(LOGIN), version=version
        )
        # No more than what differs.
        (piece,) = change.edits
        assert (piece.range.start.line, piece.range.end.line) == (3, 4)
        assert editor.buffers[LOGIN].text == f"typed\n{LINES}".replace("line 3", "3rd")
        assert ((root / LOGIN).read_text(), editor.records()) == (LINES, [])

        # An edit for another version of it is one for another text.
        for wrong in (version, version + 7):
            step = edits(editor, LOGIN, at(0, 0, 0, "x"), version=wrong)
            not_made(editor, await steps(editor, step), "is open in version")
        step = edits(editor, LOGIN, at(0, 0, 5, "TYPED"), version=editor.buffers[LOGIN].version)
        told = await steps(editor, step)
        assert (told["applied"], told["recordId"]) == (True, None)
        assert editor.buffers[LOGIN].text.startswith("TYPED\n")
        assert len(hands.asked) == 2
        # Refused, it is not even shown to the editor.
        begin = edits(editor, LOGIN, at(0, 0, 0, "x"))
        refused(
            await steps(editor, begin, edits(editor, INVOICE, at(0, 0, 0, "x"))), "SCOPE_VIOLATION"
        )
        assert len(hands.asked) == 2
        assert [name for name, _ in editor.notified].count("intent/didDeny") == 1

        # An editor that does not make it, or fails.
        text = editor.buffers[LOGIN].text
        for hands.refuses in (True, JsonRpcException("no", code=-32603)):
            not_made(editor, await steps(editor, begin), "the editor did not apply the edit")
        for _ in range(2):
            told = await apply(editor, edit={"documentChanges": [begin]}, toolUseId="failed")
            not_made(editor, told, "the editor did not apply the edit")
        assert len(await editor.traced(5)) == len(editor.records()) == 5
        assert (editor.buffers[LOGIN].text, (root / LOGIN).read_text()) == (text, LINES)
        # Once, however often it is asked for.
        hands.refuses = False
        for _ in range(2):
            told = await apply(editor, edit={"documentChanges": [begin]}, toolUseId="use")
            assert (told["applied"], told["recordId"]) == (True, None)
        assert editor.buffers[LOGIN].text == "x" + text
        # What was open is a file again.
        editor.close(LOGIN)
        done(editor, await apply(editor, path=LOGIN, newText="closed\n"))
        assert (root / LOGIN).read_text() == "closed\n"


@pytest.mark.parametrize("opens", [True, False], ids=["opened", "closed"])
async def test_whether_a_file_is_open_is_looked_up_when_the_person_has_answered(
    repository: Repository, *, opens: bool
) -> None:
    govern(repository, "hitl: always")
    async with editing(repository.root) as editor:
        hands = Hands(editor)
        await selected(editor)
        if not opens:
            editor.open(LOGIN)
            await editor.settled(LOGIN)
        asking = asyncio.ensure_future(apply(editor, path=LOGIN, newText="approved\n"))
        await editor.until(lambda: editor.asked, "a person is asked")
        if opens:
            editor.open(LOGIN)
            await editor.settled(LOGIN)
        else:
            editor.close(LOGIN)
        await editor.choose("Approve once")
        told = await asking
        assert (told["applied"], told["recordId"] is None) == (True, opens)
        assert len(hands.asked) == opens
        on_disk = (repository.root / LOGIN).read_text()
        assert on_disk == (LINES if opens else "approved\n")


async def test_one_open_file_has_the_editor_make_the_whole_change(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    repository.write(LOGOUT, "out\n")
    repository.write("src/auth/old.py", "old\n")
    repository.write("src/auth/gone.py", "gone\n")
    able = capabilities(
        workspace__workspaceEdit={
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
        }
    )
    async with editing(root, client_capabilities=able) as editor:
        hands = Hands(editor)
        await selected(editor)
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        begin = edits(editor, LOGIN, at(0, 0, 0, "top\n"))
        told = await steps(
            editor,
            begin,
            edits(editor, LOGOUT, at(0, 0, 3, "left")),
            create(editor, NEW),
            edits(editor, NEW, at(0, 0, 0, "new\n")),
            rename(editor, "src/auth/old.py", "src/auth/new.py"),
            edits(editor, "src/auth/new.py", at(0, 0, 3, "new")),
            delete(editor, "src/auth/gone.py"),
            edits(editor, "src/auth/unheard.py", at(0, 0, 0, "of\n")),
        )
        assert (told["applied"], told["recordId"]) == (True, None)
        (edit,) = hands.asked
        assert [type(step).__name__ for step in edit.document_changes or ()] == [
            "TextDocumentEdit",
            "TextDocumentEdit",
            "CreateFile",
            "TextDocumentEdit",
            "RenameFile",
            "TextDocumentEdit",
            "DeleteFile",
            "CreateFile",
            "TextDocumentEdit",
        ]
        texts = {name: buffer.text for name, buffer in editor.buffers.items()}
        assert texts == {
            LOGIN: f"top\n{LINES}",
            LOGOUT: "left\n",
            NEW: "new\n",
            "src/auth/new.py": "new\n",
            "src/auth/unheard.py": "of\n",
        }
        assert editor.records() == []
        # What is there is no new file.
        again = edits(editor, LOGOUT, at(0, 0, 0, "- "))
        not_made(editor, await steps(editor, create(editor, LOGOUT), again), "exists already")
        told = await steps(editor, create(editor, LOGOUT, ignoreIfExists=True), again)
        assert (told["applied"], editor.buffers[LOGOUT].text) == (True, "- left\n")
        told = await steps(editor, create(editor, LOGOUT, overwrite=True), again)
        assert (told["applied"], editor.buffers[LOGOUT].text) == (True, "- ")
        repository.write("src/auth/binary", b"\xff\xfe\x00")
        binary = edits(editor, "src/auth/binary", at(0, 0, 0, "x"))
        not_made(editor, await steps(editor, begin, binary), "is not a text file")

    # One that knows neither versions nor files: plain edits alone.
    unable = capabilities(workspace__workspaceEdit={})
    async with editing(root, client_capabilities=unable) as editor:
        hands = Hands(editor)
        editor.open(LOGIN)
        await editor.settled(LOGIN)
        told = await apply(editor, path=LOGIN, newText="plain\n")
        assert (told["applied"], told["recordId"]) == (True, None)
        (edit,) = hands.asked
        assert (edit.document_changes, list(edit.changes or ())) == (None, [editor.uri(LOGIN)])
        assert editor.buffers[LOGIN].text == "plain\n"
        begin = edits(editor, LOGIN, at(0, 0, 0, "top\n"))
        for step in (create(editor, "src/auth/x.py"), delete(editor, "src/auth/new.py")):
            told = await steps(editor, begin, step)
            not_made(editor, told, "cannot create, rename or delete files")
        assert len(hands.asked) == 1
