"""`intent-lsp trace seal`, and `trace verify` held against what it wrote."""

import io
import json
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.ledger.verification import HEADS_AT_MOST
from intent_lsp.core.paths import LEDGER_FILE
from tests.doors.cli.conftest import Shell
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines
from tests.support.repository import Repository
from tests.support.sealed_lines import after

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ANOTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))


def private(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())


def public(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)


def append(root: Path, count: int) -> list[ContentHash]:
    ledger = ledger_at(root)
    made = [ledger.append(edit()).integrity.record_hash for _ in range(count)]
    ledger.close()
    return made


def rewrite(root: Path, count: int) -> None:
    """Write another ledger that is as sound, and let this machine know nothing."""
    (root / LEDGER_FILE).unlink()
    (root / ".orchestration/.local/known_heads").unlink()
    append(root, count)


@pytest.fixture
def hashes(root: Path) -> list[ContentHash]:
    """Give the hashes of three records; keys lie beside the ledger."""
    (root / "key.pem").write_bytes(private(KEY))
    (root / "pub.pem").write_bytes(public(KEY))
    (root / "another.pem").write_bytes(public(ANOTHER))
    return append(root, 3)


def type_in(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))


def bare(hash_: str) -> str:
    return hash_.removeprefix("sha256:")


def test_a_ledger_is_sealed_in_one_line(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    said = shell("trace", "seal")
    assert (said.status, said.err) == (0, "")
    line = f"Intent-Ledger: v1 {bare(hashes[0])} 3 {bare(hashes[2])}"
    assert said.out == f"{line}\n"
    assert shell("trace", "seal", "--json").json == {
        "origin": hashes[0],
        "count": 3,
        "heads": [hashes[2]],
        "line": line,
    }
    assert len(lines_of(root)) == 3


def test_a_checkpoint_holds_as_the_ledger_grows_and_not_when_it_is_another(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    line = shell("trace", "seal").out.strip()
    append(root, 2)
    said = shell("trace", "seal", "--check", line)
    assert (said.status, said.err) == (0, "")
    assert said.out == "holds: the first 3 of 5 records are unchanged\n"
    assert "the first 3 of 5 records" in shell("trace", "verify", "--checkpoint", line).out
    rewrite(root, 5)
    said = shell("trace", "seal", "--check", line)
    assert said.status == 1
    assert said.out == f"does NOT hold: record {hashes[2]} is in no file of the ledger\n"
    assert f"{LEDGER_FILE}:5: TRUNCATED: " in said.err
    said = shell("trace", "verify", "--checkpoint", line)
    assert said.status == 1
    assert (
        "the checkpoint of 3 records names, is in no file of the ledger:"
        " it was cut off, or the ledger was written anew" in said.out
    )
    assert (
        "verdict            Cut off: the records that are left match, but others are missing."
        in said.out
    )
    assert f"anchor             {hashes[2]} checkpoint of 3 records: in no file" in said.out
    told = shell("trace", "verify", "--checkpoint", line, "--json").json
    assert told["anchors"][0] == {
        "kind": "checkpoint",
        "name": "of 3 records",
        "hash": hashes[2],
        "records": None,
    }


def test_a_commits_trailer_is_found_in_its_message(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(".orchestration/.gitignore", ".local/\n")
    first = append(project.root, 1)
    line = shell("trace", "seal").out.strip()
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "work", "--trailer", line)
    append(project.root, 1)
    line = shell("trace", "seal").out.strip()
    project.git("commit", "--quiet", "--all", "--message", "more", "--trailer", line)
    log = project.git("log", "--format=%B")
    type_in(monkeypatch, log)
    said = shell("trace", "seal", "--check", "-")
    assert said.status == 0
    assert said.out.splitlines() == [
        "holds: all 2 records are unchanged",
        "holds: the first of 2 records is unchanged",
    ]
    project.write("log.txt", project.git("log"))
    assert shell("trace", "seal", "--check", "log.txt").out == said.out
    type_in(monkeypatch, log)
    told = shell("trace", "verify", "--json", "--checkpoint", "-").json
    kinds = [(anchor["kind"], anchor["records"]) for anchor in told["anchors"]]
    assert kinds == [("checkpoint", 2), ("checkpoint", 1), ("commit", 2), ("known head", 2)]
    out = shell("trace", "verify", "--anchor", first[0]).out
    head = project.git("rev-parse", "HEAD").strip()
    assert (
        "anchor             " + first[0] + " given " + bare(first[0])[:16] + ": 1 record\n" in out
    )
    assert f" commit {head}: 2 records\n" in out


def test_without_standard_input_there_is_nothing_to_check(
    shell: Shell, hashes: list[ContentHash], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hashes
    monkeypatch.setattr(sys, "stdin", None)
    problem = shell("trace", "seal", "--check", "-").problem
    assert "standard input contains no checkpoint" in problem


def test_a_note_is_signed_and_checked(shell: Shell, root: Path, hashes: list[ContentHash]) -> None:
    said = shell("trace", "seal", "--key", "key.pem")
    assert said.status == 0
    origin = f"intent-lsp/ledger/{bare(hashes[0])}"
    assert said.out.startswith(f"{origin}\n3\n")
    assert f"\n\n\u2014 {origin} " in said.out
    (root / "ledger.note").write_text(said.out)
    key = said.err.partition("--pub FILE`: ")[2].strip()
    (root / "verifier.key").write_text(key)
    append(root, 1)
    for pub in ("pub.pem", "verifier.key"):
        checked = shell("trace", "seal", "--check", "ledger.note", "--pub", pub)
        assert (checked.status, checked.err) == (0, "")
        assert checked.out == "holds: the first 3 of 4 records are unchanged\n"
        words = ("verify", "--checkpoint", "ledger.note", "--pub", pub)
        assert "the first 3 of 4 records are" in shell("trace", *words).out
    told = shell("trace", "seal", "--key", "key.pem", "--json").json
    assert told["key"] == key
    assert told["note"].startswith(f"{origin}\n4\n")


@pytest.mark.parametrize(
    ("change", "pub", "told"),
    [
        (("\n3\n", "\n4\n"), "pub.pem", "signature does not fit its text"),
        (("\u2014 intent", "\u2014 other"), "pub.pem", "the note is not signed by this key"),
        (("", ""), "another.pem", "the note is not signed by this key"),
        (("", ""), "key.pem", "the file is a private key"),
        (("", ""), "nowhere.pem", "nowhere.pem is not a file"),
        (("\n\n\u2014", "\n\n\u2014 "), "pub.pem", "a signature line must be"),
    ],
)
def test_a_note_that_was_changed_or_that_another_signed_is_refused(
    shell: Shell, hashes: list[ContentHash], change: tuple[str, str], pub: str, told: str
) -> None:
    assert hashes
    note = shell("trace", "seal", "--key", "key.pem").out
    Path("ledger.note").write_text(note.replace(*change) if change[0] else note)
    for words in (("seal", "--check"), ("verify", "--checkpoint")):
        assert told in shell("trace", *words, "ledger.note", "--pub", pub).problem


def test_a_note_of_another_text_is_no_checkpoint(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    from intent_lsp.formats.ledger.signed_note import format_note  # noqa: PLC0415
    from intent_lsp.formats.ledger.signed_note_keys import SigningKey  # noqa: PLC0415

    assert hashes
    (root / "other.note").write_text(format_note(SigningKey(KEY).sign("n", "n\nnothing\n")))
    words = ("trace", "seal", "--check", "other.note", "--pub", "pub.pem")
    assert "contains a checkpoint that cannot be read" in shell(*words).problem


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("seal --key nowhere.pem", "nowhere.pem is not a file"),
        ("seal --key pub.pem", "not a private key"),
        ("seal --key key.pem --check x", "give only one of them"),
        ("seal --pub pub.pem", "give the note with --check"),
        ("seal --check nowhere", "nowhere is not a file"),
        ("seal --check key.pem", "key.pem contains no checkpoint"),
        ("seal --check line.txt --pub pub.pem", "line.txt is not signed"),
        ("verify --pub pub.pem", "--checkpoint FILE"),
        ("verify --anchor x", "is not a hash"),
        ("verify --anchor 0123456789abcde", "is not a hash"),
        ("verify --anchor sha256:", "is not a hash"),
    ],
)
def test_what_cannot_be_read_has_a_cure(
    shell: Shell, root: Path, hashes: list[ContentHash], words: str, told: str
) -> None:
    assert hashes
    (root / "line.txt").write_text(shell("trace", "seal").out)
    assert told in shell("trace", *words.split()).problem


def test_a_note_is_not_believed_without_a_key(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    assert hashes
    (root / "ledger.note").write_text(shell("trace", "seal", "--key", "key.pem").out)
    for words in (("seal", "--check"), ("verify", "--checkpoint")):
        assert "give the public key with --pub" in shell("trace", *words, "ledger.note").problem


def test_without_the_extra_there_is_a_cure(
    shell: Shell, root: Path, hashes: list[ContentHash], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hashes
    (root / "ledger.note").write_text(shell("trace", "seal", "--key", "key.pem").out)
    monkeypatch.setitem(sys.modules, "intent_lsp.formats.ledger.signed_note_keys", None)
    words = ("trace", "seal", "--check", "ledger.note", "--pub", "pub.pem")
    for problem in (shell("trace", "seal", "--key", "key.pem").problem, shell(*words).problem):
        assert "pip install 'intent-lsp[sign]'" in problem


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Intent-Ledger: v1 x", "the line contains a checkpoint that cannot be read"),
        ("Intent-Ledger: v2 x", "version is not v1"),
    ],
)
def test_a_line_that_is_damaged_is_named(
    shell: Shell, hashes: list[ContentHash], line: str, told: str
) -> None:
    assert hashes
    assert told in shell("trace", "seal", "--check", line).problem


def test_a_checkpoint_that_contradicts_itself_is_seen(
    shell: Shell, hashes: list[ContentHash]
) -> None:
    line = shell("trace", "seal").out.strip()
    for bad in (line.replace(" 3 ", " 2 "), line.replace(" 3 ", " 4 ")):
        said = shell("trace", "seal", "--check", bad)
        assert said.status == 1
        assert "which does not fit its newest head, record 3" in said.out
        assert (
            "which does not fit its newest head, record 3"
            in shell("trace", "verify", "--checkpoint", bad).problem
        )
    other = line.replace(bare(hashes[0]), bare(hash_content(b"x")))
    said = shell("trace", "seal", "--check", other, "--json")
    assert said.status == 1
    (told,) = said.json["checkpoints"]
    assert told == {
        "line": other,
        "holds": False,
        "problem": (
            "the first record that the checkpoint names is not in this ledger, although its heads"
            " are: the checkpoint was altered, or put together from two checkpoints"
        ),
    }
    assert said.json["ok"] is False


def test_a_broken_ledger_is_not_sealed_nor_does_a_checkpoint_hold(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    assert hashes
    line = shell("trace", "seal").out.strip()
    one, two, three = lines_of(root)
    put_lines(root, [one, two.replace(b"src/a.py", b"src/b.py"), three])
    said = shell("trace", "seal")
    assert (said.status, said.out) == (1, "")
    assert f"failed verification: {LEDGER_FILE}:2: BAD_HASH: the record was changed" in said.err
    said = shell("trace", "seal", "--check", line)
    assert said.status == 1
    assert f"{LEDGER_FILE}:2: BAD_HASH" in said.err


def test_a_ledger_without_records_is_not_sealed(shell: Shell, root: Path) -> None:
    assert (
        "a checkpoint needs a record, and the ledger has none yet" in shell("trace", "seal").problem
    )
    append(root, 1)
    assert shell("trace", "seal").status == 0


def test_open_ends_are_all_sealed_up_to_a_number(shell: Shell, root: Path) -> None:
    first, line = after()
    ends = [after(first.integrity.record_hash) for _ in range(HEADS_AT_MOST + 1)]
    put_lines(root, [line, *(each for _, each in ends[:3])])
    sealed = shell("trace", "seal").out.strip()
    assert sealed.count(",") == 2
    assert shell("trace", "seal", "--check", sealed).status == 0
    put_lines(root, [line, *(each for _, each in ends)])
    assert "a later record joins them" in shell("trace", "seal").problem


def test_a_hash_or_its_first_digits_are_an_anchor(
    shell: Shell, root: Path, hashes: list[ContentHash]
) -> None:
    for spelled in (hashes[1], bare(hashes[1]), hashes[1].upper()[:23], bare(hashes[1])[:16]):
        said = shell("trace", "verify", "--anchor", spelled)
        assert said.status == 0
        assert "the first 2 of 3 records are unchanged since" in said.out
    said = shell("trace", "verify", "--json", "--anchor", "0" * 16, "--anchor", hashes[0])
    assert said.status == 1
    (problem,) = said.json["problems"]
    assert (problem["code"], problem["line"]) == ("TRUNCATED", 3)
    assert [anchor["records"] for anchor in said.json["anchors"][:2]] == [None, 1]
    assert len(lines_of(root)) == 3


def test_digits_that_begin_two_hashes_are_refused(shell: Shell, root: Path) -> None:
    digits = "0" * 16
    lines = [
        json.dumps({"integrity": {"record_hash": f"sha256:{digits}{end * 48}"}}).encode() + b"\n"
        for end in "12"
    ]
    put_lines(root, lines)
    assert "more than one hash begins with" in shell("trace", "verify", "--anchor", digits).problem


def test_a_ledger_of_several_files_is_verified_whole(shell: Shell, root: Path) -> None:
    first, line = after()
    ((second, next_line), (third, last_line)) = (
        after(first.integrity.record_hash, second=number) for number in (1, 2)
    )
    put_lines(root, [line])
    room = root / ".orchestration/trace"
    room.mkdir()
    (room / "2026-11-21-000000000000.jsonl").write_bytes(next_line)
    out = shell("trace", "verify").out
    assert f"{LEDGER_FILE} and 1 more file: 2 records\n" in out
    where = ".orchestration/trace/2026-11-21-000000000000.jsonl:1"
    assert f"head               {second.integrity.record_hash} {where}\n" in out
    (room / "2026-11-22-000000000000.jsonl").write_bytes(last_line)
    out = shell("trace", "verify").out
    assert f"{LEDGER_FILE} and 2 more files: 3 records\n" in out
    assert third.integrity.record_hash in out
