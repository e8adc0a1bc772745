"""A headless Chromium, driven over its DevTools pipe: pages, their DOM, and screenshots.

For the tests of the HTML report and of VS Code, and for the pictures in the documentation. Nothing
here sleeps: each answer and event is waited for, and a test fails if it does not come.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import cannot_be_had

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 60.0
"""Seconds for any one answer."""
_HIGH = 10
_OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--lang=en",
)


@dataclass(slots=True, kw_only=True)
class Tab:
    """One page of a browser; `events` are all its DevTools events so far: method and params."""

    browser: "Chromium"
    target: str
    session: str
    events: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def open(self, file: Path) -> None:
        """Load a file, and wait until all of it is there."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Page.navigate", url=file.as_uri())
        self.browser.wait_for(self, "Page.loadEventFired")

    def ask(self, method: str, **params: object) -> Any:
        """Send a DevTools command to this page; return its result."""
        return self.browser.ask(method, params, self)

    def leave(self) -> None:
        """Leave the page for an empty one, so that its unload events run; close it."""
        self.ask("Page.navigate", url="about:blank")
        del self.browser.tabs[self.session]
        self.browser.ask("Target.closeTarget", {"targetId": self.target})

    def value(self, expression: str) -> Any:
        """Evaluate JavaScript; an exception in it fails the test."""
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in done:
            pytest.fail(f"{expression}: {done['exceptionDetails']}", pytrace=False)
        return done["result"].get("value")

    def set_color_scheme(self, scheme: str) -> None:
        """Emulate a person's preferred colour scheme: `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def size(self, width: int, height: int) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def types(self, text: str) -> None:
        """Type a text into the element that has the focus."""
        self.ask("Input.insertText", text=text)

    def picture(self) -> bytes:
        """Return a screenshot as a PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def requests(self) -> list[str]:
        """Return the URLs that the page requested."""
        return [
            details["request"]["url"]
            for method, details in self.events
            if method == "Network.requestWillBeSent"
        ]

    def script_errors(self) -> list[Mapping[str, Any]]:
        """Return what the browser logged, the exceptions thrown, and the dialogs opened."""
        kinds = {"Log.entryAdded", "Runtime.exceptionThrown", "Page.javascriptDialogOpening"}
        return [details for method, details in self.events if method in kinds]


@dataclass(slots=True, kw_only=True)
class Chromium:
    """A running browser; `to` and `back` are the descriptors of its DevTools pipe."""

    to: int
    back: int
    tabs: dict[str, Tab] = field(default_factory=dict)
    answers: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    asked: int = 0
    rest: bytes = b""

    def tab(self) -> Tab:
        """Open an empty page."""
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        details = {"targetId": target, "flatten": True}
        session = self.ask("Target.attachToTarget", details)["sessionId"]
        tab = Tab(browser=self, target=target, session=session)
        return self.tabs.setdefault(session, tab)

    def ask(self, method: str, params: Mapping[str, object], tab: Tab | None = None) -> Any:
        """Send a DevTools command, to a page or to the browser; return its result."""
        self.send(method, params, tab)
        deadline = time.monotonic() + _PATIENCE
        while self.asked not in self.answers:
            self._read(deadline, method)
        answer = self.answers.pop(self.asked)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def send(self, method: str, params: Mapping[str, object], tab: Tab | None = None) -> None:
        """Send a DevTools command and do not wait for its answer."""
        self.asked += 1
        message: dict[str, object] = {"id": self.asked, "method": method, "params": params}
        if tab is not None:
            message["sessionId"] = tab.session
        os.write(self.to, json.dumps(message).encode() + b"\0")

    def wait_for(self, tab: Tab, method: str) -> None:
        """Wait until an event of this method has happened in a page."""
        deadline = time.monotonic() + _PATIENCE
        while all(happened != method for happened, _ in tab.events):
            self._read(deadline, method)

    def _read(self, deadline: float, waiting_for: str) -> None:
        ready, _, _ = select.select([self.back], [], [], max(0.0, deadline - time.monotonic()))
        data = os.read(self.back, 1 << 20) if ready else b""
        if not data:
            pytest.fail(f"the browser did not answer {waiting_for}", pytrace=False)
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.tabs:
                details = message["method"], message["params"]
                self.tabs[message["sessionId"]].events.append(details)


def program() -> str:
    """Find a Chromium; the test is skipped without one, but never in CI."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is not None:
        return found
    reason = "no Chromium (Debian: apt-get install chromium)"
    return cannot_be_had(reason)


@contextmanager
def chromium(profile: Path) -> Iterator[Chromium]:
    """Start a browser whose profile is `profile`, and end it."""
    found = program()
    (their_in, to), (back, their_out) = _pipe(), _pipe()
    # Chromium reads descriptor 3 and writes 4; these may be in use in this process.
    shell = f'exec "$@" 3<&{their_in} 4>&{their_out}'
    options = [*_OPTIONS, f"--user-data-dir={profile}"]
    if os.geteuid() == 0:
        options.append("--no-sandbox")
    with subprocess.Popen(
        ["bash", "-c", shell, "bash", found, *options],
        pass_fds=(their_in, their_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"HOME": str(profile)},
    ) as process:
        os.close(their_in)
        os.close(their_out)
        browser = Chromium(to=to, back=back)
        try:
            yield browser
            # Without waiting for an answer: it may exit before it sends one.
            browser.send("Browser.close", {})
            process.wait(_PATIENCE)
        finally:
            process.kill()
            os.close(to)
            os.close(back)


def _pipe() -> tuple[int, int]:
    """Make a pipe whose descriptors are above 3 and 4, which the shell redirects."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _HIGH) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]
