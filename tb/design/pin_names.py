# SPDX-License-Identifier: Apache-2.0
"""What the name of a single port says: clock, reset and its polarity, enable, ready."""

from __future__ import annotations

import re
from collections.abc import Iterable

SIDES = frozenset({"i", "o", "in", "out", "ip", "op"})
"""Words that say nothing but the direction."""
_CLOCK = re.compile(r"(?:[a-z]*clk|clock|ck)\d*$")
_OF_CLOCK = re.compile(
    r"overrid(?:e|den)|ovr|forced?|bypass|test|scan|mode|gat(?:e|ed|ing)|dis|disable|select|sel|req|ack|div|divider|"
    r"ok|valid|good|lock|locked|stop|halt|on|off|ratio|switch"
)
"""What a word behind ``clk`` makes an input that does something to a clock, and is none."""
_RESET = re.compile(r"(?:n|[aphgs]|sys|core|ap|por|glb)?(?:rst|reset)(?:n|b)?\d*$")
_LOW = ("n", "ni", "nin", "b", "l", "neg")
"""Last words that say active low."""
_LETTERS = ("b", "l")
"""Those of them that may count ports as well."""
_COUNT = re.compile(r"(?![np])[a-z]|\d+")
"""Last words that count ports."""
_HOLD = re.compile("(?:wait|waitrequest|busy|stall|halt|hold|hld|ready|rdy|gnt|yumi)n?")
_FILL = re.compile("[aw]?fulln?|[ar]?emptyn?")
_RESTING = re.compile(
    "[as]?(?:clear|clr|flush|init)n?|(?:test|scan|dft|m?bist)(?:mode|en|enable)?|sleep|debug|dbg|pause|halt|abort|poison|"
    "isolate|thresh(?:old)?|timeout|ecc|err(?:or)?|inj|inject"
)
"""Words of inputs that change nothing of what a module does while they are 0."""
_START = re.compile("start|go|begin|launch|trigger|trig|kick|run|load|ld|init|next|exec|execute|calc|compute|fire")
_END = re.compile("done|finish|finished|complete|completed|eoc")
_ENABLE = re.compile(r"(?:clk_?en|clock_enable|ce|cen|en|ena|enable|aclken|ap_start|ap_continue)$")

_ALL = re.compile("clk|clock|a?clken|ce|cen|en|ena|enable|core|block|module|chip|sys|global|ap|start|continue|n")
"""Words of an enable of all that a module does."""


def name_words(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [t for t in re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_") if t]


def inner_words(name: str) -> list[str]:
    """The words of a name without those that say its direction at either end."""
    words = name_words(name)
    while len(words) > 1 and words[0] in SIDES:
        words = words[1:]
    while len(words) > 1 and words[-1] in SIDES:
        words = words[:-1]
    return words


def is_clock(name: str) -> bool:
    """Whether a name is a clock's."""
    tokens = [t for t in name_words(name) if t not in SIDES]
    if not tokens:
        return False
    of_two = tokens[0] in ("clk", "clock") and len(tokens) == 2 and not _OF_CLOCK.fullmatch(tokens[-1])
    return bool(_CLOCK.match(tokens[-1])) or of_two


def is_reset(name: str) -> bool:
    """Whether a name is a reset's."""
    tokens = name_words(name)
    while tokens and (tokens[-1] in SIDES or tokens[-1] in _LOW):
        tokens.pop()
    return bool(tokens) and bool(_RESET.match(tokens[-1]) or _RESET.match(tokens[0]))


def rests(name: str) -> bool:
    """Whether an input that is tied to 0 asks, by its name, for nothing but the usual."""
    return any(_RESTING.fullmatch(word) for word in name_words(name))


def _last_word(name: str) -> str:
    """The last one that is no direction; empty where nothing else is left, as of ``do``."""
    return (inner_words(name) or [""])[-1]


def _low_joined(name: str) -> str:
    """The name with an ``_n`` of its last word as part of it: ``FULL_N`` is ``fulln``."""
    return re.sub(r"_[nN](?=$|_[ioIO]$)", "n", name)


def is_counted(name: str, others: Iterable[str]) -> bool:
    """Whether the last word tells a name from others: ``req_b`` beside ``req_a``, but not ``rst_b`` alone.

    Args:
        name: of a port.
        others: names of ports of the module.
    """
    head, last = inner_words(name)[:-1], _last_word(name)
    if not head or not _COUNT.fullmatch(last):
        return False
    words = (inner_words(one) for one in others)
    return any(one[:-1] == head and one[-1] != last and _COUNT.fullmatch(one[-1]) for one in words)


def low_by_name(name: str, others: Iterable[str] = ()) -> bool:
    """Whether a reset's name says that it is active low, as ``rst_n``, ``resetb`` and ``reset_`` do.

    Args:
        name: of the reset.
        others: names of ports of the module.
    """
    tokens = name_words(name)
    while tokens and tokens[-1] in SIDES:
        tokens.pop()
    if not tokens:
        return False
    if name.endswith("_"):
        return True
    if len(tokens) > 1 and tokens[-1] in _LOW:
        return not (tokens[-1] in _LETTERS and is_counted(name, others))
    word = next((t for t in tokens if _RESET.match(t)), tokens[-1]).rstrip("0123456789")
    return word.endswith(("rstn", "resetn", "rstb", "resetb")) or word in ("nrst", "nreset")


def holds_up(name: str) -> bool:
    """Whether the last word is that of flow control, which is no payload; ``ready_n`` is, too."""
    return _HOLD.fullmatch(_last_word(_low_joined(name))) is not None


def is_fill_flag(name: str) -> bool:
    """Whether the last word is that of a full or empty flag, which a response may have as payload."""
    return _FILL.fullmatch(_last_word(_low_joined(name))) is not None


def is_enable(name: str) -> bool:
    """Whether a name is an enable's, which does nothing useful at 0."""
    tokens = [t for t in name_words(name) if t not in SIDES]
    return bool(tokens) and bool(_ENABLE.match(tokens[-1]) or _ENABLE.match("_".join(tokens[-2:])))


def enables_all(name: str) -> bool:
    """Whether an enable's name says nothing of what it enables: ``core_en``, but not ``prog_en``."""
    return all(_ALL.fullmatch(word) for word in inner_words(name))


def starts(name: str) -> bool:
    """Whether a name says that something begins."""
    return _START.fullmatch(_last_word(name)) is not None


def ends(name: str) -> bool:
    """Whether a name says that something has ended."""
    return _END.fullmatch(_last_word(name)) is not None


def is_ready(name: str) -> bool:
    """Whether a name is a ready's, without which whoever offers something waits for ever."""
    tokens = [t for t in name_words(name) if t not in SIDES]
    return bool(tokens) and tokens[-1] in ("ready", "rdy")
