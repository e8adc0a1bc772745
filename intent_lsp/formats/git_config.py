"""Finds the settings of a git configuration that run programs or redirect git.

Invariant: a setting is found in every spelling that git accepts. A text that git rejects is
returned whole.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple


class Setting(NamedTuple):
    """One setting of a git configuration: its full key, such as `core.editor`, and its value.

    The value is None for a key without `=`.
    """

    key: bytes
    value: bytes | None


# `*` is any text. Not listed: settings that only choose a program that git already knows
# (`merge.tool`), files that are only displayed (`mailmap.file`), and network routes (`http.proxy`).
_GUARDED: Final = b"""
    alias.* attr.tree browser.*.cmd browser.*.path core.alternateRefsCommand core.askPass
    core.attributesFile core.bare core.editor core.excludesFile core.fsmonitor core.gitProxy
    core.hooksPath core.pager core.sshCommand core.worktree credential.* diff.* difftool.*.cmd
    difftool.*.path extensions.refStorage filter.* fsmonitor.socketDir gc.recentObjectsHook gpg.*
    guitool.*.cmd hook.* http.cookieFile http.*.cookieFile imap.tunnel include.* includeIf.*
    init.templateDir instaweb.httpd instaweb.modulePath interactive.diffFilter
    lfs.customTransfer.*.path lfs.extension.* man.*.cmd man.*.path merge.*.driver mergetool.*.cmd
    mergetool.*.path pager.* protocol.allow protocol.*.allow remote.*.receivepack
    remote.*.uploadpack remote.*.vcs sendemail.*cmd sendemail.*smtpServer sequence.editor
    svn.authorsProg tar.*.command trailer.*.cmd trailer.*.command uploadpack.packObjectsHook
    url.*.insteadOf url.*.pushInsteadOf
"""
_FREE_SECTIONS: Final = (b"branch.", b"remote.", b"submodule.")
_COMMAND: Final = (b"!", b"ext::")
"""Prefixes that make an `update` or a `url` in these sections run a command."""

_KEYS_AT_MOST: Final = 4 * 1024 * 1024
"""The most bytes of all full keys. Many short keys below a long name could exhaust the memory."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# The possessive quantifiers (`*+`) keep the match linear, whatever the text.
_ITEM: Final = re.compile(
    rb"""
    (?: [ \t\r\n] | [;\#][^\n]* )*+
    (?: \[ (?!\]) (?P<section> [A-Za-z0-9.-]*+ )
           (?: [ \t\r]++ "(?P<subsection> (?: [^"\\\n] | \\[^\n] )*+ )" )? \]
      | (?P<key> [A-Za-z][A-Za-z0-9-]*+ ) [ \t]*+
           (?: = (?P<value> (?: [^"\\;\#\n] | \\["\\tbn\n] | \\\Z
                              | "(?: [^"\\\n] | \\["\\tbn\n] )*+" )*+ )
               (?: [;\#][^\n]*+ )? )? (?: \n | \Z )
      | (?P<end> \Z ) )
    """,
    re.VERBOSE,
)
_PIECE: Final = re.compile(
    rb'(?P<space>[ \t\r]++)|"(?P<quoted>(?:[^"\\]|\\.)*+)"|(?:[^ \t\r"\\]|\\.|\\\Z)++', re.DOTALL
)
_ESCAPE: Final = re.compile(rb"\\(.?)", re.DOTALL)
_ESCAPED: Final = {b"n": b"\n", b"t": b"\t", b"b": b"\b", b"\n": b""}


def guarded_settings(config: bytes) -> bytes:
    """Return the settings of a git configuration that run programs or redirect git; b"" for none.

    The format is that of `git config --list -z`. Sections are sorted by name, because their order
    has no effect, and settings within a section keep their order. If there is an `include`,
    sections are not sorted, because settings before and after an `include` differ in effect. A text
    that cannot be parsed is returned whole, after a zero byte (requirements section 6).
    """
    read = settings(config)
    if read is None:
        return b"\0" + config
    kept = [setting for setting in read if _is_guarded(setting)]
    if not any(_section(setting).startswith(b"include") for setting in kept):
        kept.sort(key=_section)
    return b"".join(b"\n".join(part for part in each if part is not None) + b"\0" for each in kept)


def settings(config: bytes) -> Sequence[Setting] | None:
    """Return all settings in the order of the text, or None if git rejects the text.

    Section and key are in lower case, a subsection keeps its case. Return None also if the keys
    have more than 4 MiB in all.
    """
    text = config.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n")
    found: list[Setting] = []
    section, at, room = b"", 0, _KEYS_AT_MOST
    while room >= 0 and (item := _ITEM.match(text, at)):
        at = item.end()
        if item["end"] is not None:
            return found
        if item["key"] is None:
            section = b".".join(_names(item)) + b"."
        else:
            # git ends a key or a value at a zero byte.
            key = (section + item["key"].lower()).partition(b"\0")[0]
            room -= len(key)
            found.append(Setting(key, None if item["value"] is None else _value(item["value"])))
    return None


def _is_guarded(setting: Setting) -> bool:
    if _section(setting) + b"." in _FREE_SECTIONS and (setting.value or b"").startswith(_COMMAND):
        return True
    return _guarded_key().fullmatch(setting.key) is not None


@cache
def _guarded_key() -> re.Pattern[bytes]:
    # Compiled when it is first needed, since that takes long.
    keys = b"|".join(re.escape(key).replace(rb"\*", b".*") for key in _GUARDED.split())
    return re.compile(keys, re.IGNORECASE | re.DOTALL)


def _section(setting: Setting) -> bytes:
    return setting.key.partition(b".")[0]


def _names(header: re.Match[bytes]) -> Iterator[bytes]:
    yield header["section"].lower()
    if header["subsection"] is not None:
        yield _ESCAPE.sub(rb"\1", header["subsection"])


def _value(written: bytes) -> bytes:
    value, end = bytearray(), 0
    for piece in _PIECE.finditer(written):
        if piece["space"] is None:
            text = piece[0] if piece["quoted"] is None else piece["quoted"]
            value += _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)
            end = len(value)
        elif value:
            value += piece["space"]
    return bytes(value[:end]).partition(b"\0")[0]
