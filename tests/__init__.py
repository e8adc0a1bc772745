"""The tests; `tests.support` has what several of them share."""
