"""Addresses to listen at, and origins, as they are typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.endpoint import Endpoint, read_endpoint, read_origin

hosts = st.from_regex(r"[a-z0-9.-]+", fullmatch=True) | st.ip_addresses(v=6).map(str)


@given(hosts, st.integers(0, 65_535))
def test_what_is_told_is_read_as_the_same(host: str, port: int) -> None:
    endpoint = Endpoint(host, port)
    assert read_endpoint(str(endpoint)) == endpoint


@given(st.text(max_size=20))
def test_any_text_is_an_endpoint_or_none(spelled: str) -> None:
    found = read_endpoint(spelled)
    assert found is None or 0 <= found.port <= 65_535


@pytest.mark.parametrize(
    ("spelled", "endpoint"),
    [
        ("localhost:2087", Endpoint("localhost", 2087)),
        ("[::1]:0", Endpoint("::1", 0)),
        ("[fe80::1%eth0]:1", Endpoint("fe80::1%eth0", 1)),
        ("0.0.0.0:65535", Endpoint("0.0.0.0", 65_535)),  # noqa: S104 - nobody listens
        (":0", Endpoint("127.0.0.1", 0)),
        ("2087", Endpoint("127.0.0.1", 2087)),
        ("", None),
        ("localhost", None),
        ("localhost:", None),
        ("localhost:65536", None),
        ("localhost:-1", None),
        ("localhost:²", None),
        ("::1:80", None),
        ("[::1]80", None),
        ("[]:80", None),
        ("a b:80", None),
        ("localhost:80\n", None),
    ],
)
def test_an_endpoint_is_a_host_and_a_port(spelled: str, endpoint: Endpoint | None) -> None:
    assert read_endpoint(spelled) == endpoint


@pytest.mark.parametrize(
    ("spelled", "origin"),
    [
        ("https://IDE.example", "https://ide.example"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:80", "http://[::1]:80"),
        ("vscode-webview://1abc", "vscode-webview://1abc"),
        ("null", None),
        ("*", None),
        ("", None),
        ("ide.example", None),
        ("https://", None),
        ("https://ide.example/", None),
        ("https://*.example", None),
        ("https://a.example https://b.example", None),
        ("https://me@ide.example", None),
        ("https://ide.example\n", None),
    ],
)
def test_an_origin_names_one_site(spelled: str, origin: str | None) -> None:
    assert read_origin(spelled) == origin
