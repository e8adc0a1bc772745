"""The settings of a connection: what is wrong is logged by name, and keeps its default."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.findings import Severity
from intent_lsp.core.records import HUMAN, Contributor, EntityType
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, Settings, at_start, live

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = (
    "sessionId",
    "contributor",
    "token",
    "enabled",
    "exclude",
    "severity",
    "codeLens",
    "format",
    "hover",
    "inlayHints",
    "intentsCodeLens",
    "watch",
)


def test_every_option_is_read(caplog: pytest.LogCaptureFixture) -> None:
    settings = at_start(
        {
            "sessionId": "one",
            "contributor": {"entityType": "AI", "modelIdentifier": "acme/1"},
            "token": "t",
            "enabled": False,
            "exclude": ["**/vendor/**"],
            "severity": {"SCOPE_VIOLATION": "hint", "STALE_FILE": "Off"},
            "codeLens": True,
            "format": True,
            "hover": True,
            "inlayHints": True,
            "intentsCodeLens": False,
            "watch": "off",
        }
    )
    assert settings == Settings(
        session_id="one",
        contributor=Contributor(EntityType.AI, "acme/1"),
        enabled=False,
        exclude=("**/vendor/**",),
        severity={"SCOPE_VIOLATION": Severity.HINT, "STALE_FILE": None},
        watch="off",
        flags={
            "codeLens": True,
            "format": True,
            "hover": True,
            "inlayHints": True,
            "intentsCodeLens": False,
        },
    )
    assert not caplog.records


@pytest.mark.parametrize("options", [None, {}])
def test_without_options_the_defaults_hold(
    options: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert at_start(options) == Settings()
    assert not caplog.records


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("text", "initializationOptions"),
        ([], "initializationOptions"),
        ({"sessionId": 7}, "sessionId"),
        ({"sessionId": ""}, "sessionId"),
        ({"sessionId": "x" * 257}, "sessionId"),
        ({"contributor": "me"}, "contributor"),
        ({"contributor": {"modelIdentifier": "m"}}, "contributor.entityType"),
        ({"contributor": {"entityType": "ROBOT"}}, "contributor.entityType"),
        ({"contributor": {"entityType": ["AI"]}}, "contributor.entityType"),
        ({"contributor": {"entityType": "HUMAN", "modelIdentifier": 7}}, "modelIdentifier"),
        ({"enabled": "yes"}, "enabled"),
        ({"enabled": 1}, "enabled"),
        ({"exclude": "**"}, "exclude"),
        ({"exclude": [7]}, "exclude[0]"),
        ({"severity": "error"}, "severity"),
        ({"severity": {"STALE_FILE": "loud"}}, "STALE_FILE"),
        ({"severity": {"STALE_FILE": 1}}, "STALE_FILE"),
        ({"codeLens": "yes"}, "codeLens"),
        ({"hover": None}, "hover"),
        ({"watch": "always"}, "watch"),
        ({"watch": ["auto"]}, "watch"),
        ({"verbose": True}, "verbose"),
    ],
)
def test_what_is_wrong_is_logged_and_keeps_its_default(
    options: object, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert at_start(options) == Settings()
    (logged,) = caplog.messages
    assert named in logged


def test_one_wrong_value_spoils_no_other() -> None:
    settings = live({"exclude": ["a", 7], "severity": {"A": "?", "B": "error"}}, Settings())
    assert settings.exclude == ("a",)
    assert settings.severity == {"B": Severity.ERROR}


@pytest.mark.parametrize(
    ("entity", "model"), [("HUMAN", "human"), ("AI", "unknown"), ("MIXED", "unknown")]
)
def test_a_contributor_without_a_model_has_its_kinds(entity: str, model: str) -> None:
    settings = at_start({"contributor": {"entityType": entity}})
    assert settings.contributor == Contributor(EntityType(entity), model)


def test_live_settings_go_over_what_was_said_before() -> None:
    former = at_start({"sessionId": "one", "enabled": False, "watch": "client"})
    settings = live({"watch": "off"}, former)
    assert (settings.session_id, settings.enabled, settings.watch) == ("one", False, "off")


def test_who_is_at_work_is_said_only_at_the_start() -> None:
    told = {"sessionId": "two", "contributor": {"entityType": "AI"}, "token": "t"}
    assert live(told, Settings()) == Settings(contributor=HUMAN)


@pytest.mark.parametrize("section", [None, [], "x", 7])
def test_a_section_that_is_no_object_changes_nothing(section: object) -> None:
    former = Settings(enabled=False)
    assert live(section, former) == former


@given(st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_options_are_read(options: dict[str, Any]) -> None:
    settings = at_start(options)
    assert isinstance(settings.enabled, bool)
    assert settings.watch in ("auto", "client", "server", "off")
    assert all(isinstance(glob, str) for glob in settings.exclude)


def test_the_newest_settings_say_how_loud_a_code_is() -> None:
    settings = LiveSettings(Settings())
    assert settings.severity("X", Severity.ERROR, "a.py") is Severity.ERROR
    settings.now = Settings(severity={"X": Severity.HINT, "Y": None}, exclude=("docs/**",))
    assert settings.severity("X", Severity.ERROR, "a.py") is Severity.HINT
    assert settings.severity("Y", Severity.ERROR, "a.py") is None
    assert settings.severity("X", Severity.ERROR, "docs/a.md") is None
