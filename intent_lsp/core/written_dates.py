"""Dates as people write them: read by ISO 8601, or guessed where only one date can be meant.

Invariant: reading takes no time zone from the machine. A text without a time zone may mean any.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from msgspec import Struct

_DATE: Final = r"\d{4}-\d\d-\d\d|\d{4}-W\d\d(?:-\d)?|\d{8}|\d{4}W\d\d\d?"
_TIME: Final = r"\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?"
_ZONE: Final = r"[Zz]|[+-]\d\d(?::?\d\d)?"
_ISO: Final = re.compile(
    rf"(?P<date>{_DATE})(?:[Tt ](?P<time>{_TIME})(?P<zone>{_ZONE})?)?", re.ASCII
)
_ORDINAL: Final = re.compile(r"(\d{4})-?(\d{3})", re.ASCII)
_PART: Final = re.compile(r"(\d{4})(?:-(\d\d))?", re.ASCII)

_ZONES: Final = timedelta(hours=14)
"""The farthest that a time zone is from UTC."""


class DateRange(Struct, frozen=True):
    """The times in UTC that a written date can mean, from `first` to `last`."""

    first: datetime
    last: datetime


_EVER: Final = DateRange(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))

_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_YEAR_FIRST: Final = re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})", re.ASCII)
_YEAR_LAST: Final = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})", re.ASCII)
_DAY_MONTH: Final = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?[-. ]+([A-Za-z]{3,9})[-., ]+(\d{4})", re.ASCII
)
_MONTH_DAY: Final = re.compile(
    r"([A-Za-z]{3,9})[-. ]+(\d{1,2})(?:st|nd|rd|th)?[-, ]+(\d{4})", re.ASCII
)
_APART: Final = re.compile(
    rf"(?P<date>.+?)(?:(?:[Tt]|[ ,]+)(?P<time>\d?\d:\d\d(?::\d\d(?:[.,]\d+)?)?)"
    rf" *(?P<zone>{_ZONE}|UTC|GMT)?)?",
    re.ASCII,
)
_SECONDS: Final = re.compile(r"\d{10}|\d{13}", re.ASCII)


def date_range(text: str) -> DateRange | None:
    """Return the times that an ISO 8601 date or time can mean, or None if the text is neither.

    A date means its whole day, and a year, a month or a week all its days. Without a time zone in
    the text, the range is 14 hours longer at either end. If it would pass an end of the calendar,
    it is all times. White space around the text does not count.
    """
    bare = text.strip()
    try:
        return _of_day(bare) or _of_part(bare)
    except ValueError:
        return None
    except OverflowError:
        # It is at the end of the calendar, where no time can be added.
        return _EVER


def iso_date(text: str) -> str | None:
    """Return a date or time in the form of ISO 8601, or None if its meaning is not certain.

    Return None too for a text that has that form already. The meaning is certain if the year comes
    first, if the month is an English name, if day and month cannot be confused (`31/12/2026`), and
    for seconds or milliseconds since 1970 (10 or 13 digits).
    """
    bare = text.strip()
    if _SECONDS.fullmatch(bare):
        thousandth = int(bare[10:] or 0)
        moment = datetime.fromtimestamp(int(bare[:10]), UTC) + timedelta(milliseconds=thousandth)
        precision = "milliseconds" if thousandth else "seconds"
        return moment.isoformat(timespec=precision).replace("+00:00", "Z")
    found = _APART.fullmatch(bare)
    days = set(_days(found["date"].strip(" ,"))) if found else set[str]()
    if found is None or len(days) != 1:
        return None
    zone = (found["zone"] or "").upper()
    hour, colon, rest = (found["time"] or "").partition(":")
    time = f"T{hour.zfill(2)}{colon}{rest}" if hour else ""
    made = f"{days.pop()}{time}{'Z' if zone in ('UTC', 'GMT') else zone}"
    return made if made != bare and date_range(made) is not None else None


def _of_day(text: str) -> DateRange | None:
    """Return the range of a day, a week or a time, or None for any other text.

    Raise ValueError if the day or the time does not exist.
    """
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    date, time, zone = found.group("date", "time", "zone")
    if time is None:
        start = datetime.fromisoformat(date).replace(tzinfo=UTC)
        week = "W" in date and len(date.replace("-", "")) == len("2026W01")
        return _anywhere(start, start + timedelta(days=7 if week else 1))
    moment = datetime.fromisoformat(f"{date}T{time}{(zone or '').upper()}")
    if zone is None:
        moment = moment.replace(tzinfo=UTC)
        return _anywhere(moment, moment)
    moment = moment.astimezone(UTC)
    return DateRange(moment, moment)


def _of_part(text: str) -> DateRange | None:
    """Return the range of a year, a month or a day of the year, or None for any other text.

    A day of the year is given by its number: `2026-365`. Raise ValueError if the month or the day
    does not exist.
    """
    ordinal = _ORDINAL.fullmatch(text)
    if ordinal:
        start = datetime.strptime(f"{ordinal[1]} {ordinal[2]}", "%Y %j").replace(tzinfo=UTC)
        return _anywhere(start, start + timedelta(days=1))
    part = _PART.fullmatch(text)
    if part is None:
        return None
    year, month = int(part[1]), int(part[2] or 0)
    start = datetime(year, month or 1, 1, tzinfo=UTC)
    # Four days after the 28th the next month has begun.
    after = start.replace(month=month or 12, day=28) + timedelta(days=4)
    return _anywhere(start, after.replace(day=1))


def _anywhere(start: datetime, end: datetime) -> DateRange:
    return DateRange(start - _ZONES, end + _ZONES)


def _days(text: str) -> Iterator[str]:
    """Yield each day that a date can mean, as `2026-01-31`."""
    if found := _YEAR_FIRST.fullmatch(text):
        yield from _day(found[1], found[2], found[3])
    if found := _YEAR_LAST.fullmatch(text):
        yield from _day(found[3], found[1], found[2])
        yield from _day(found[3], found[2], found[1])
    if found := _DAY_MONTH.fullmatch(text):
        yield from _day(found[3], _month(found[2]), found[1])
    if found := _MONTH_DAY.fullmatch(text):
        yield from _day(found[3], _month(found[1]), found[2])


def _day(year: str, month: str, day: str) -> Iterator[str]:
    """Yield a day as `2026-01-31` if the calendar has it."""
    made = f"{year}-{month.zfill(2)}-{day.zfill(2)}"
    if date_range(made) is not None:
        yield made


def _month(name: str) -> str:
    """Return the number of a month as text, such as "3" for `March` or `mar`; "0" if unknown.

    Only the first three letters of `name` count.
    """
    short = name[:3].lower()
    return str(_MONTHS.index(short) + 1) if short in _MONTHS else "0"
