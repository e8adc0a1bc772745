"""Signed notes: compatible with other tools, and refused after any change."""

import base64

import pytest
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.ledger.signed_note import (
    Note,
    NoteKey,
    Rejected,
    Signature,
    format_key,
    format_note,
    read_key,
    read_note,
)
from intent_lsp.formats.ledger.signed_note_keys import (
    MAKE_KEY,
    MAKE_PUBLIC,
    SigningKey,
    read_public_key,
    read_signing_key,
    signed_text,
)

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RSA = generate_private_key(65537, 2048)
KEY = SigningKey(PRIVATE)
NAME = "example.org/ledger"
TEXT = "one\n\ntwo\u00e9\n"
NOTE = format_note(KEY.sign(NAME, TEXT)).encode()

PLAIN = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8)
OPEN = pem.NoEncryption()
PRIVATE_PEM = PRIVATE.private_bytes(*PLAIN, OPEN)
PUBLIC_PEM = PRIVATE.public_key().public_bytes(
    pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo
)
# The example that other programs of this format are tested with.
GOLDEN_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GOLDEN_TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
GOLDEN_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
GOLDEN = (
    f"{GOLDEN_TEXT}\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngot"
    "pRZb6KE6RyyBwJnAM=\n"
)

names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1).filter(
    lambda name: "+" not in name and not any(map(str.isspace, name))
)
bodies = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), min_size=1).map(
    lambda body: f"{body}\n"
)


def opened(data: bytes, key: NoteKey) -> str | Rejected:
    note = read_note(data)
    return note if isinstance(note, Rejected) else signed_text(note, key)


def problem(found: object) -> str:
    assert isinstance(found, Rejected)
    return found.problem


@given(names, bodies)
def test_what_is_signed_is_checked_and_read_back(name: str, text: str) -> None:
    note = KEY.sign(name, text)
    read = read_note(format_note(note).encode())
    assert read == note
    assert signed_text(note, KEY.public(name)) == text
    assert read_key(format_key(KEY.public(name))) == KEY.public(name)


@given(st.integers(0, len(NOTE) - 1), st.integers(1, 255))
def test_a_note_with_any_byte_changed_is_refused(place: int, change: int) -> None:
    data = bytearray(NOTE)
    data[place] ^= change
    assert isinstance(opened(bytes(data), KEY.public(NAME)), Rejected)


@given(st.integers(0, len(NOTE) - 1))
def test_a_note_that_is_cut_is_refused(place: int) -> None:
    assert isinstance(opened(NOTE[:place], KEY.public(NAME)), Rejected)


@given(st.binary())
def test_any_bytes_are_a_note_or_a_key_or_told_why_not(data: bytes) -> None:
    for read in (read_note, read_signing_key, lambda found: read_public_key(found, name="n")):
        found = read(data)
        assert not isinstance(found, Rejected) or found.problem


def test_a_note_that_others_signed_is_checked() -> None:
    key = read_key(GOLDEN_KEY)
    assert isinstance(key, NoteKey)
    assert format_key(key) == GOLDEN_KEY
    assert opened(GOLDEN.encode(), key) == GOLDEN_TEXT
    signing = SigningKey(Ed25519PrivateKey.from_private_bytes(GOLDEN_SEED))
    assert format_note(signing.sign("PeterNeumann", GOLDEN_TEXT)) == GOLDEN


def test_signatures_of_other_keys_are_no_matter() -> None:
    note = KEY.sign(NAME, TEXT)
    stranger = Signature(name="w", key_id=b"1234", signed=b"x")
    both = Note(TEXT, (stranger, *note.signatures))
    assert opened(format_note(both).encode(), KEY.public(NAME)) == TEXT
    same_name = Note(TEXT, (Signature(name=NAME, key_id=b"1234", signed=b"x"),))
    assert "not signed by this key" in problem(signed_text(same_name, KEY.public(NAME)))
    bad = Note(
        TEXT, (*note.signatures, Signature(name=NAME, key_id=KEY.public(NAME).id, signed=b"x"))
    )
    assert "was changed" in problem(signed_text(bad, KEY.public(NAME)))


def test_a_key_that_is_no_point_checks_nothing() -> None:
    key = NoteKey(NAME, b"\xff" * 32)
    note = Note(TEXT, (Signature(name=NAME, key_id=key.id, signed=bytes(64)),))
    assert isinstance(signed_text(note, key), Rejected)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xff\n\n\xe2\x80\x94 n AAAAAAAA\n", "UTF-8"),
        (NOTE.replace(b"\n", b"\r\n"), "control"),
        (NOTE[:-1], "blank line"),
        (b"", "blank line"),
        (b"text\n", "blank line"),
        (b"\n\n\xe2\x80\x94 n AAAAAAAA\n", "blank line"),
        (b"text\n\nn AAAAAAAA\n", "em dash"),
        ("text\n\n\u2014 n\n".encode(), "em dash"),
        ("text\n\n\u2014 n AAAA\n".encode(), "em dash"),
        ("text\n\n\u2014 n AAAAAAAA \n".encode(), "em dash"),
        ("text\n\n\u2014 n+m AAAAAAAA\n".encode(), "em dash"),
        ("text\n\n\u2014  AAAAAAAA\n".encode(), "em dash"),
        ("text\n\n\u2014 n AAAAAAB=\n".encode(), "em dash"),
        (("text\n\n" + "\u2014 n AAAAAAAA\n" * 65).encode(), "more than 64"),
    ],
)
def test_what_is_no_note_is_told_why(data: bytes, told: str) -> None:
    assert told in problem(read_note(data))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not a public key"),
        ("n", "not a public key"),
        ("n+0000000+AA==", "not a public key"),
        ("n+00000000+A", "not a public key"),
        ("n m+00000000+AQ==", "not a public key"),
        ("n+00000000+" + base64.b64encode(b"\x04" + bytes(32)).decode(), "another kind"),
        ("n+00000000+" + base64.b64encode(b"\x01" + bytes(31)).decode(), "another kind"),
        ("n+00000000+" + base64.b64encode(b"\x01" + bytes(32)).decode(), "id does not fit"),
    ],
)
def test_what_is_no_verifier_key_is_told_why(text: str, told: str) -> None:
    assert told in problem(read_key(text))


def test_keys_are_read_from_their_files() -> None:
    key = read_signing_key(PRIVATE_PEM)
    assert isinstance(key, SigningKey)
    assert key.public(NAME) == KEY.public(NAME)
    assert read_public_key(PUBLIC_PEM, name=NAME) == KEY.public(NAME)
    spelled = format_key(KEY.public(NAME)).encode() + b"\n"
    assert read_public_key(spelled, name="another") == KEY.public(NAME)


@pytest.mark.parametrize(
    ("data", "told", "cure"),
    [
        (
            PRIVATE.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.OpenSSH, OPEN),
            "ssh key",
            MAKE_KEY,
        ),
        (PRIVATE.private_bytes(*PLAIN, pem.BestAvailableEncryption(b"x")), "password", "openssl"),
        (RSA.private_bytes(*PLAIN, OPEN), "another kind", MAKE_KEY),
        (PUBLIC_PEM, "not a private key", MAKE_KEY),
        (b"", "not a private key", MAKE_KEY),
        (PRIVATE_PEM.replace(b"M", b"!"), "can be read", MAKE_KEY),
    ],
)
def test_a_signing_key_of_another_kind_has_a_cure(data: bytes, told: str, cure: str) -> None:
    found = read_signing_key(data)
    assert told in problem(found)
    assert isinstance(found, Rejected)
    assert cure in found.cure


@pytest.mark.parametrize(
    ("data", "told", "cure"),
    [
        (
            PRIVATE.public_key().public_bytes(pem.Encoding.OpenSSH, pem.PublicFormat.OpenSSH),
            "ssh key",
            MAKE_PUBLIC,
        ),
        (PRIVATE_PEM, "private key", MAKE_PUBLIC),
        (
            RSA.public_key().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo),
            "another kind",
            MAKE_KEY,
        ),
        (PUBLIC_PEM.replace(b"M", b"!"), "can be read", MAKE_PUBLIC),
        (b"\xff", "not a public key", "PEM"),
    ],
)
def test_a_public_key_of_another_kind_has_a_cure(data: bytes, told: str, cure: str) -> None:
    found = read_public_key(data, name=NAME)
    assert told in problem(found)
    assert isinstance(found, Rejected)
    assert cure in found.cure
