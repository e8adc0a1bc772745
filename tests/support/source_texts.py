"""Contents that are no programs, under the names of programs."""

from hypothesis import strategies as st

_SUFFIXES = "py js ts tsx go rs java c cpp cs rb php kt swift sh sql html css yaml"

contents = st.binary(max_size=200) | st.text(max_size=200).map(str.encode)
"""Whatever a file may hold, text or not."""

suffixes = st.sampled_from(_SUFFIXES.split())
"""Ends of names of as many languages."""
