"""Contents that were read recently are decoded once, as long as there is room."""

from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of
from intent_lsp.governance.contents.contents import ContentLru


class Shelf:
    """Recent contents of ten characters together, and what was read for them."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self._recent = ContentLru(kept_together=10)

    def get(self, text: str) -> FileContent:
        return self._recent.get(text, lambda: self._read(text))

    def _read(self, text: str) -> FileContent:
        self.read.append(text)
        return content_of(text.encode())


def test_a_content_is_read_once_and_given_as_the_same_value() -> None:
    shelf = Shelf()
    assert shelf.get("abc") is shelf.get("abc")
    assert shelf.read == ["abc"]


def test_what_was_not_asked_for_the_longest_makes_room() -> None:
    shelf = Shelf()
    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert shelf.get(text).text == text
    assert shelf.read == ["aaaa", "bbbb", "cccc", "bbbb"]


def test_a_content_that_is_larger_than_the_room_is_not_kept_and_drives_nothing_out() -> None:
    shelf = Shelf()
    for text in ("a", "b" * 11, "b" * 11, "a"):
        shelf.get(text)
    assert shelf.read == ["a", "b" * 11, "b" * 11]


def test_what_could_not_be_read_is_read_again() -> None:
    recent = ContentLru()
    by_hash_alone = FileContent(known_hash=ContentHash("sha256:" + "0" * 64))
    assert recent.get("absent", lambda: ABSENT) is ABSENT
    assert recent.get("absent", lambda: by_hash_alone) is by_hash_alone
    found = content_of(b"x")
    assert recent.get("absent", lambda: found) is found


def test_two_who_read_at_once_are_given_one_value() -> None:
    recent = ContentLru()
    first, second = content_of(b"x"), content_of(b"x")

    def read_late() -> FileContent:
        recent.get("x", lambda: first)
        return second

    assert recent.get("x", read_late) is first
