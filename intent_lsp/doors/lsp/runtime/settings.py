"""The settings of one connection, as the client sends them (protocol section 1).

Invariant: an unknown option, a value of the wrong type, and a wrong item in a list or an object are
logged and ignored.
Invariant: a change of `LiveSettings.now` is seen by everything that holds the object.
"""

import logging
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import HUMAN, Contributor, EntityType
from intent_lsp.core.scope.scope import compile_scope

_log: Final = logging.getLogger(__name__)
_SEVERITIES: Final = {
    "error": Severity.ERROR,
    "warning": Severity.WARNING,
    "information": Severity.INFORMATION,
    "hint": Severity.HINT,
    "off": None,
}
_WATCHES: Final = ("auto", "client", "server", "off")
_FLAGS: Final[Mapping[str, bool]] = {
    "codeLens": False,
    "format": False,
    "hover": True,
    "inlayHints": False,
    "intentsCodeLens": True,
}
_ONLY_AT_START: Final = ("sessionId", "contributor", "token")
_LONGEST_ID: Final = 256


class Settings(Struct, frozen=True, kw_only=True):
    """The settings that a client asked for.

    `session_id` is the id of the editor's session, or None to have one chosen. `contributor` is the
    author of its edits. `enabled` is False to switch governance off. `exclude` are globs of files
    that get no diagnostics. `severity` maps a code to the severity to show, or to None to hide its
    diagnostics. `watch` says who watches the disk: auto, client, server or off. `flags` switch
    `codeLens`, `format`, `hover`, `inlayHints` and `intentsCodeLens` on.
    """

    session_id: str | None = None
    contributor: Contributor = HUMAN
    enabled: bool = True
    exclude: tuple[str, ...] = ()
    severity: Mapping[str, Severity | None] = field(default_factory=dict)
    watch: str = "auto"
    flags: Mapping[str, bool] = field(default_factory=lambda: _FLAGS)


class LiveSettings:
    """The current settings of one connection, `now`, shared by all its parts."""

    def __init__(self, now: Settings) -> None:
        self.now = now

    def severity(self, code: str, otherwise: Severity, path: str) -> Severity | None:
        """Return the severity to show for a code on a file, or None to hide the code.

        `path` is relative to the file's root. Every code is hidden while governance is switched
        off, and on a file that matches `exclude`. Return `otherwise` if the settings do not mention
        the code.
        """
        now = self.now
        hidden = now.exclude and compile_scope(now.exclude).covers(WorkspacePath(path))
        if hidden or not now.enabled:
            return None
        return now.severity.get(code, otherwise)


def at_start(options: object) -> Settings:
    """Return the settings in `options`, the client's `initializationOptions`.

    A setting that `options` do not have, or have with a wrong value, has its default.
    """
    told = _object(options, "initializationOptions")
    settings = live(told, Settings())
    session = told.get("sessionId")
    if isinstance(session, str) and 0 < len(session) <= _LONGEST_ID:
        settings = replace(settings, session_id=session)
    elif session is not None:
        _log.warning("sessionId is not a string of 1 to %d characters; ignored", _LONGEST_ID)
    return replace(settings, contributor=_contributor(told.get("contributor")))


def live(options: object, former: Settings) -> Settings:
    """Return `former`, changed by `options`, the client's settings section `intentLsp`.

    `sessionId`, `contributor` and `token` are ignored, because they count only at the start.
    """
    told = _object(options, "intentLsp")
    settings = former
    for name, value in told.items():
        match name:
            case "enabled" if isinstance(value, bool):
                settings = replace(settings, enabled=value)
            case "exclude" if isinstance(value, list):
                settings = replace(settings, exclude=tuple(_strings(value)))
            case "severity" if isinstance(value, dict):
                settings = replace(settings, severity=_severities(value))
            case "watch" if value in _WATCHES:
                settings = replace(settings, watch=str(value))
            case _ if name in _FLAGS and isinstance(value, bool):
                settings = replace(settings, flags={**settings.flags, name: value})
            case _ if name in _ONLY_AT_START:
                continue
            case _:
                _log.warning("option %s is unknown or of the wrong type; ignored", name)
    return settings


def _object(value: object, name: str) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if value is not None:
        _log.warning("%s is not an object; ignored", name)
    return {}


def _strings(values: list[object]) -> list[str]:
    for place, value in enumerate(values):
        if not isinstance(value, str):
            _log.warning("exclude[%d] is not a string; ignored", place)
    return [value for value in values if isinstance(value, str)]


def _severities(told: Mapping[object, object]) -> dict[str, Severity | None]:
    found: dict[str, Severity | None] = {}
    for code, name in told.items():
        if isinstance(name, str) and name.lower() in _SEVERITIES:
            found[str(code)] = _SEVERITIES[name.lower()]
        else:
            _log.warning("severity of %s is not one of %s; ignored", code, ", ".join(_SEVERITIES))
    return found


def _contributor(told: object) -> Contributor:
    told = _object(told, "contributor")
    if not told:
        return HUMAN
    kind, model = told.get("entityType"), told.get("modelIdentifier")
    if kind not in tuple(EntityType):
        _log.warning("contributor.entityType %r is unknown; HUMAN is taken", kind)
        return HUMAN
    entity = EntityType(str(kind))
    if isinstance(model, str) and model:
        return Contributor(entity_type=entity, model_identifier=model)
    if model is not None:
        _log.warning("contributor.modelIdentifier is not a string with a text; ignored")
    default = "human" if entity is EntityType.HUMAN else "unknown"
    return Contributor(entity_type=entity, model_identifier=default)
