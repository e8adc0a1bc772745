"""What two sequences have in common at their ends, counted by halving.

Invariant: stretches are compared whole, at the speed of C: a large text costs next to nothing.
"""

from collections.abc import Sequence


def common_head(one: Sequence[object], other: Sequence[object]) -> int:
    """Count what both begin with; both are of one kind: texts, bytes, or lists."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_tail(one: Sequence[object], other: Sequence[object], head: int) -> int:
    """Count what both end with behind the first `head` of each."""
    low, high = 0, min(len(one), len(other)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
