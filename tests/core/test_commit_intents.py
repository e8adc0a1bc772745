"""Intents named by trailers and by branch names."""

import pytest

from intent_lsp.core.check.commit import branch_intents, trailer_intents

KNOWN = ("INT-001", "INT-10", "INT-100", "FEAT 7", "auth")


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ("Subject", ()),
        ("", ()),
        ("Subject\n\nIntent: INT-001", ("INT-001",)),
        ("Subject\n\nIntent: INT-001\n", ("INT-001",)),
        ("Subject\r\n\r\nIntent: INT-001\r\n", ("INT-001",)),
        ("Subject\n\nintent :  INT-001  ", ("INT-001",)),
        ("Subject\n\nIntent: INT-404", ("INT-404",)),
        ("Subject\n\nIntent: INT-001\nIntent: INT-10", ("INT-001", "INT-10")),
        ("Subject\n\nIntent: INT-001, INT-10", ("INT-001", "INT-10")),
        ("Subject\n\nIntent: FEAT 7", ("FEAT 7",)),
        ("Subject\n\nIntent: INT-001\nIntent: INT-001", ("INT-001",)),
        ("Subject\n\nIntent: INT-001\n\nSigned-off-by: A <a@b>", ("INT-001",)),
        ("Subject\n\nIntent: to be faster\n\nSigned-off-by: A <a@b>", ()),
        ("Subject\n\n * Intent: INT-001", ()),
        ("Subject\n\nIntent:", ()),
        ("Intent: INT-001", ("INT-001",)),
        ("Subject\n\nIntent-Ledger: v1 a 2 b", ()),
    ],
)
def test_a_trailer_names_the_intents_of_a_commit(message: str, ids: tuple[str, ...]) -> None:
    assert trailer_intents(message, KNOWN) == ids


@pytest.mark.parametrize(
    ("branch", "ids"),
    [
        ("main", ()),
        ("", ()),
        ("INT-001", ("INT-001",)),
        ("feature/INT-001-login", ("INT-001",)),
        ("feature/int-001_login", ("INT-001",)),
        ("INT-100", ("INT-100",)),
        ("fix/INT-10", ("INT-10",)),
        ("fix/INT-1000", ()),
        ("xINT-10", ()),
        ("authority", ()),
        ("user/auth/2", ("auth",)),
    ],
)
def test_a_branch_names_an_intent_by_a_whole_word(branch: str, ids: tuple[str, ...]) -> None:
    assert branch_intents(branch, KNOWN) == ids


def test_without_intents_a_branch_names_none() -> None:
    assert branch_intents("feature/INT-001", ()) == ()
    assert branch_intents("feature/INT-001", ("",)) == ()
