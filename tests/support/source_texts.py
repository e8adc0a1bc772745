"""Generated file contents that are not programs, with the suffixes of source files."""

from hypothesis import strategies as st

_SUFFIXES = "py js ts tsx go rs java c cpp cs rb php kt swift sh sql html css yaml"

contents = st.binary(max_size=200) | st.text(max_size=200).map(str.encode)
"""Any content, text or not."""

suffixes = st.sampled_from(_SUFFIXES.split())
"""File name suffixes of as many languages."""
