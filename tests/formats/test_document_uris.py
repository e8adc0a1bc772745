"""URIs of the server's read-only documents (protocol section 4.9)."""

from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import fold
from intent_lsp.formats.document_uris import (
    ContentDocument,
    ContentSide,
    RecordDocument,
    read_document_uri,
)

ID = "b3c1f0de-b2f0-45a6-8e2b-65c3cb1b4151"
IDS = st.text(min_size=1, max_size=40)
PATHS = (
    st.text(min_size=1, max_size=30)
    .filter(lambda text: "\0" not in text)
    .map(lambda text: fold("/" + text.encode("utf-8", "replace").decode()) or "/")
    .filter(lambda path: path != "/")
)


def by_an_editor(uri: str) -> str:
    """Return a URI as an editor spells it that decodes path and query, and encodes all of it."""
    scheme, _, rest = uri.partition(":")
    path, _, query = rest.partition("?")
    decoded = [unquote(part, errors="surrogatepass") for part in (path, query)]
    path, query = (quote(part, safe="/", errors="surrogatepass") for part in decoded)
    return f"{scheme}:{path}?{query.replace('/', '%2F')}"


@pytest.mark.parametrize(
    ("document", "uri"),
    [
        (
            RecordDocument("/home/ada/project", ID),
            f"intent-record:/home/ada/project/record-b3c1f0de.txt?record={ID}",
        ),
        (RecordDocument("/", "a"), "intent-record:/record-a.txt?record=a"),
        (
            ContentDocument(path="/w/src/a.py", side=ContentSide.BEFORE, record_id=ID),
            f"intent-before:/w/src/a.py?side=before&record={ID}",
        ),
        (
            ContentDocument(path="/w/ü 🙂/[a]#?.ts", side=ContentSide.AFTER, record_id="a/b&c"),
            "intent-before:/w/%C3%BC%20%F0%9F%99%82/%5Ba%5D%23%3F.ts?side=after&record=a%2Fb%26c",
        ),
        (
            ContentDocument(path="/w/50%25.txt", side=ContentSide.DISK),
            "intent-before:/w/50%2525.txt?side=disk",
        ),
    ],
)
def test_a_document_is_spelled_and_read(
    document: RecordDocument | ContentDocument, uri: str
) -> None:
    assert document.uri == uri
    assert read_document_uri(uri) == document
    # Editors that write an authority, an encoded query or a fragment mean the same.
    scheme, _, rest = uri.partition(":")
    assert read_document_uri(f"{scheme}://{rest}") == document
    assert read_document_uri(f"{uri}#L3") == document
    assert read_document_uri(by_an_editor(uri)) == document


@given(path=PATHS, record_id=IDS, side=st.sampled_from(ContentSide))
def test_whatever_is_spelled_is_read_back_as_it_was(
    path: str, record_id: str, side: ContentSide
) -> None:
    wanted = None if side is ContentSide.DISK else record_id
    for document in (
        RecordDocument(path, record_id),
        ContentDocument(path=path, side=side, record_id=wanted),
    ):
        assert document.uri.isascii()
        for uri in (document.uri, by_an_editor(document.uri)):
            assert read_document_uri(uri) == document


def test_a_name_that_is_not_utf_8_is_kept() -> None:
    document = ContentDocument(path="/w/\udc80.txt", side=ContentSide.DISK)
    assert document.uri == "intent-before:/w/%80.txt?side=disk"
    assert read_document_uri(document.uri) == document


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "intent-record:",
        "intent-record:/w/record-a.txt",
        "intent-record:/w/record-a.txt?record=",
        "intent-record:/w/record-a.txt?id=a",
        "intent-record:/w/record-a.txt?side=disk&record=a",
        "intent-record:w/record-a.txt?record=a",
        "intent-record://host/w/record-a.txt?record=a",
        "intent-record:/w/../../record-a.txt?record=a",
        "intent-record:/w/record-a.txt?record=%FF",
        "intent-before:/w/a?side=disk&record=a",
        "intent-before:/w/a?side=before",
        "intent-before:/w/a?side=before&record=",
        "intent-before:/w/a?side=both&record=a",
        "intent-before:/w/a?record=a",
        "intent-before:/w/a",
        "intent-after:/w/a?side=after&record=a",
        "file:///w/a?side=disk",
        "INTENT-RECORD:/w/record-a.txt?record=a",
    ],
)
def test_any_other_uri_is_none_of_ours(uri: str) -> None:
    assert read_document_uri(uri) is None


@given(st.text(max_size=60))
def test_reading_never_raises(text: str) -> None:
    for uri in (text, f"intent-record:{text}", f"intent-before:/a?{text}"):
        read_document_uri(uri)
