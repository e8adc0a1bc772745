"""JSON as JavaScript parses and formats it: `JSON.parse` and the compact `JSON.stringify`.

Invariant: every number is a double, formatted as in ECMAScript. Keys keep their order.
Invariant: a lone surrogate is escaped in lower case. Every other character is written unescaped
where JSON allows it.
"""

import json
import math
import re
from decimal import Decimal
from typing import Any, Final

_EXACT: Final = 2**53
_PLAIN_BELOW: Final = 21
_PLAIN_ABOVE: Final = -7
_SHORT: Final = 15
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STRING: Final = json.JSONEncoder(ensure_ascii=False).encode


def parse(text: str) -> Any:  # noqa: ANN401 -- JSON has no narrower type
    """Return the value of a JSON text. Half of a surrogate pair stays a lone surrogate.

    Raise ValueError for invalid JSON, RecursionError for JSON that is nested too deep.
    """
    return json.loads(text, parse_int=_whole, parse_constant=_refused)


def stringify(value: Any) -> str:  # noqa: ANN401 -- as above
    """Return a value from `parse` as JSON text without white space.

    Raise RecursionError if the value is nested too deep.
    """
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", _spelled(value))


def _spelled(value: Any) -> str:  # noqa: ANN401 -- as above
    match value:
        case str():
            return _STRING(value)
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int() | float():
            return number(value)
        case list():
            return "[" + ",".join(map(_spelled, value)) + "]"
        case _:
            pairs = (f"{_STRING(key)}:{_spelled(found)}" for key, found in value.items())
            return "{" + ",".join(pairs) + "}"


def number(value: float) -> str:
    """Format a number as ECMAScript does: with the fewest digits that identify the double.

    Infinity becomes `null`. JSON has no NaN.
    """
    if isinstance(value, int) and abs(value) < _EXACT:
        return str(value)
    value = float(value)
    if math.isinf(value):
        return "null"
    if value == 0:
        return "0"
    # Python writes a double with the fewest digits too, which are an integer to be scaled.
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    whole = "".join(map(str, digits))
    # The value is 0.DIGITS times ten to the power of `point`.
    return "-" * sign + _placed(whole.rstrip("0"), len(whole) + int(exponent))


def _placed(digits: str, point: int) -> str:
    if len(digits) <= point <= _PLAIN_BELOW:
        return digits.ljust(point, "0")
    if 0 < point <= _PLAIN_BELOW:
        return f"{digits[:point]}.{digits[point:]}"
    if _PLAIN_ABOVE + 1 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    head, tail = digits[0], digits[1:]
    return f"{head}{'.' if tail else ''}{tail}e{point - 1:+d}"


def _whole(digits: str) -> float:
    """Return a JSON integer as an int, or as a double if it is long, as in JavaScript."""
    return int(digits) if len(digits) <= _SHORT else float(digits)


def _refused(name: str) -> None:
    raise ValueError(name)
