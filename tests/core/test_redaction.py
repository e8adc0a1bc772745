"""Foreign words hold no secret and nothing alive, and stay words (requirements section 9)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.redaction import SHOWN_AT_MOST, error_text, neutral, redacted
from intent_lsp.core.text import seen
from tests.support import hostile_text

NOT_WORDS = set('`<>@*|"')
A_PARAGRAPH = {"paragraph_open", "text", "paragraph_close"}


@pytest.mark.parametrize("secret", hostile_text.SECRETS.values(), ids=hostile_text.SECRETS)
@pytest.mark.parametrize("around", ["{}", "cannot log in: {} (3 times)", "x{}", "{}\n.", '"{}"'])
def test_a_secret_of_a_known_shape_is_replaced(secret: str, around: str) -> None:
    shown = redacted(around.format(secret))
    assert hostile_text.BODY not in shown.lower()
    assert "[redacted]" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc", "Authorization: Bearer [redacted]"),
        ("password=hunter2 x", "password=[redacted] x"),
        ("DB_PASSWORD=hunter2 x", "DB_PASSWORD=[redacted] x"),
        ('{"token": "a b", "x": 1}', '{"token": [redacted], "x": 1}'),
        ("api-key := 'a b' x", "api-key := [redacted] x"),
        ("https://me:p@ss@host/x", "https://[redacted]@host/x"),
        ("mysql --password hunter2 -x", "mysql --password [redacted] -x"),
        ("token: password: hunter2 x", "token: [redacted] [redacted] x"),
        ("password=xtoken: y z", "password=[redacted] [redacted] z"),
        ("a=sk_live_a1a1a1a1a1,npm_" + "a1" * 9, "a=[redacted],[redacted]"),
        ("token=npm_" + "a1" * 9 + "'x' y", "token=[redacted] y"),
        ("secret 0123456789abcdef0123 x", "secret [redacted] x"),
        ("in ghp_" + "a1" * 18 + "/src, too", "in [redacted], too"),
        ("g\u200bhp_" + "a1" * 18 + " x", "[redacted] x"),
    ],
)
def test_what_is_around_a_secret_stays(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SyntaxError: Unexpected token } in JSON at position 3",
        "src/auth/token_store.py:12: error: missing password",
        "tests/test_secrets.py failed, 3 passed",
        "https://example.org/path?x=1#y",
        "git@example.org:team/app.git",
        "sha256:" + "0123456789abcdef" * 4,
        "task-force sk-learn npm_config_registry eyJ ghp_",
        "the bearer of bad news",
        "zero\u200bwidth and \x1b[31mcolour\x1b[0m stay without a secret",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_a_text_without_a_secret_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, 3 of them: (a) b/c.py", "plain words, 3 of them: (a) b/c.py"),
        ("# x # y", "♯ x # y"),
        ("- x", "\u2013 x"),
        ("---", "\u2013--"),
        ("1. x", "1 x"),
        ("7)", "7"),
        ("1.5 x", "1.5 x"),
        ("a\r\n\tb\u2028c\x85d", "a b c d"),
        ("a\u200bb\u202ec\x00d", "abcd"),
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07y", "red y"),
        ("[a](http://x) b", "(a)((link) b"),
        ("see HTTPS://x/y?z, www.x.y and file:/x", "see (link) (link) and (link)"),
        ("http:\\\\x y", "(link) y"),
        ("file: not found", "file: not found"),
        ("&lt; a && b; 2&1", "& lt; a && b; 2&1"),
        ("src/__init__.py snake_case _x y_ a__b", r"src/\_\_init\_\_.py snake_case \_x y\_ a__b"),
        ("~/x", r"\~/x"),
        ("a|b*c`d`", "a¦b\u2217c'd'"),
        ("<b> @x", "\u2039b\u203a (at)x"),
        ("say “yes”", "say 'yes'"),
        ("a\\b", "a/b"),
        ("\udcff", "\ufffd"),
        ("token=x (y)", "token=[redacted] (y)"),
        ("sk-" + "a1" * 12 + "(y)", "[redacted] (y)"),
        ("sk-" + "a1" * 12 + ": y", "[redacted] : y"),
        ("sk-" + "a1" * 12 + "[redacted]", "[redacted]"),
    ],
)
def test_what_could_come_alive_becomes_a_look_alike(text: str, shown: str) -> None:
    assert neutral(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("a bcd", 3, "a…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("", 0, ""),
        ("xy _z", 5, "xy…"),
        ("x token=y z", 12, "x token=…"),
        ("x token=y z", 19, "x token=[redacted]…"),
    ],
)
def test_a_long_text_is_cut_and_leaves_no_half_of_a_mark(text: str, limit: int, shown: str) -> None:
    assert neutral(text, limit) == shown


@pytest.mark.parametrize("cut", [neutral, error_text])
def test_of_a_huge_text_only_the_beginning_is_read(cut: type[str]) -> None:
    assert cut("word " * 4_000_000) == ("word " * 24).strip() + "…"
    assert cut(" " * 20_000 + "x") == "…"
    # What a reader of the first characters alone would take for a word.
    assert cut("a" + " " * 16_376 + "ghp_" + "a1" * 18) == "a…"
    assert cut("x" * 20_000) == "x" * (SHOWN_AT_MOST - 1) + "…"


def test_an_error_is_one_line_that_keeps_its_signs() -> None:
    text = "\x1b[31m<stdin>:3:\x1b[0m\n  `x` | *y*, password=hunter2\n"
    assert error_text(text) == "<stdin>:3: `x` | *y*, password=[redacted]"


@given(hostile_text.texts())
def test_nothing_hostile_is_alive_in_neutral_words(text: str) -> None:
    words = neutral(text)
    assert len(words) <= SHOWN_AT_MOST
    assert not NOT_WORDS & set(words)
    assert not set("[]") & set(words.replace("[redacted]", ""))
    assert not hostile_text.unseen_in(words)
    assert words == " ".join(words.split())
    assert hostile_text.BODY not in words.lower()
    assert "://" not in words
    assert "www." not in words
    assert set(hostile_text.tokens(words)) <= A_PARAGRAPH


@given(hostile_text.texts(), st.integers(min_value=-1, max_value=150))
def test_neutral_words_are_never_longer_than_asked(text: str, limit: int) -> None:
    words = neutral(text, limit)
    assert len(words) <= max(limit, 0)
    assert set(hostile_text.tokens(words)) <= A_PARAGRAPH


@given(hostile_text.texts())
def test_a_kept_error_is_one_line_without_a_secret(text: str) -> None:
    words = error_text(text)
    assert len(words) <= SHOWN_AT_MOST
    assert not hostile_text.unseen_in(words)
    assert hostile_text.BODY not in words.lower()
    words.encode("utf-8")


@given(hostile_text.texts())
def test_no_secret_is_left_between_hostile_words(text: str) -> None:
    shown = redacted(text)
    assert hostile_text.BODY not in shown.lower()
    assert hostile_text.BODY not in seen(shown).lower()


@given(st.text())
def test_plain_letters_are_never_changed(text: str) -> None:
    letters = "".join(c for c in text if unicodedata.category(c) in {"Lu", "Ll", "Nd"})
    assert seen(letters) == letters
    assert neutral(letters, len(letters)) == redacted(letters)
