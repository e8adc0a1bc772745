"""Ed25519 keys for signed notes: reads key files, signs a note, verifies a note.

Importing this module needs the package `cryptography`, which `intent-lsp[sign]` installs.

Invariant: a note's text is returned only if the given key has signed it.
Invariant: any bytes may be passed in as a key. Errors are returned as values.
"""

from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
from msgspec import Struct

from intent_lsp.formats.ledger.signed_note import Note, NoteKey, Rejected, Signature, read_key

MAKE_KEY: Final = "create a private key with `openssl genpkey -algorithm ed25519 -out key.pem`"
MAKE_PUBLIC: Final = "create the public key with `openssl pkey -in key.pem -pubout -out pub.pem`"

_SSH_PRIVATE: Final = b"-----BEGIN OPENSSH PRIVATE KEY-----"
_SSH_PUBLIC: Final = b"ssh-"
_PRIVATE: Final = b"PRIVATE KEY-----"
_PEM: Final = b"-----BEGIN "


class SigningKey(Struct, frozen=True):
    """A private Ed25519 key, with which notes are signed."""

    key: Ed25519PrivateKey

    def sign(self, name: str, text: str) -> Note:
        """Return a note with `text`, signed by this key, which is called `name` in the note.

        The name must not contain white space or a `+`.
        """
        public = self.public(name)
        signed = self.key.sign(text.encode())
        return Note(text, (Signature(name=name, key_id=public.id, signed=signed),))

    def public(self, name: str) -> NoteKey:
        """Return the public key that belongs to this key, with the name `name`."""
        return NoteKey(name, self.key.public_key().public_bytes_raw())


def read_signing_key(data: bytes) -> SigningKey | Rejected:
    """Read a private Ed25519 key (PEM, PKCS#8, no password), or return why it cannot be used."""
    if data.lstrip().startswith(_SSH_PRIVATE):
        return Rejected("the file is an ssh key; an Ed25519 key in PEM is needed", MAKE_KEY)
    if _PRIVATE not in data:
        return Rejected("the file is not a private key in PEM", MAKE_KEY)
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError:
        cure = "remove the password with `openssl pkey -in FILE -out key.pem`"
        return Rejected("the key is locked by a password, and intent-lsp asks for none", cure)
    except (ValueError, UnsupportedAlgorithm):
        return Rejected("the file is not a private key that can be read", MAKE_KEY)
    if not isinstance(key, Ed25519PrivateKey):
        return Rejected("the key is of another kind than Ed25519", MAKE_KEY)
    return SigningKey(key)


def read_public_key(data: bytes, *, name: str) -> NoteKey | Rejected:
    """Read a public key, in PEM or as a verifier key, or return why it cannot be used.

    A PEM key gets the name `name`; a verifier key contains its name.
    """
    stripped = data.strip()
    if stripped.startswith(_SSH_PUBLIC):
        return Rejected("the file is an ssh key; an Ed25519 key in PEM is needed", MAKE_PUBLIC)
    if _PRIVATE in data:
        return Rejected("the file is a private key; checking needs the public one", MAKE_PUBLIC)
    if not stripped.startswith(_PEM):
        return read_key(stripped.decode("utf-8", "replace"))
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        return Rejected("the file is not a public key that can be read", MAKE_PUBLIC)
    if not isinstance(key, Ed25519PublicKey):
        return Rejected("the key is of another kind than Ed25519", MAKE_KEY)
    return NoteKey(name, key.public_bytes_raw())


def signed_text(note: Note, key: NoteKey) -> str | Rejected:
    """Return a note's text if `key` has signed it, else the reason why it is not accepted.

    One wrong signature by this key is enough to reject the note. Signatures by other keys are
    ignored.
    """
    ours = [each for each in note.signatures if (each.name, each.key_id) == (key.name, key.id)]
    if not ours:
        return Rejected("the note is not signed by this key")
    verifier = Ed25519PublicKey.from_public_bytes(key.raw)
    try:
        for each in ours:
            verifier.verify(each.signed, note.text.encode())
    except InvalidSignature:
        return Rejected("the note's signature does not fit its text: one of the two was changed")
    return note.text
