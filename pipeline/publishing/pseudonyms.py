r"""Stand-ins for what names a person or a machine in a text: e-mail addresses, public IP addresses.

As at the export of SWEb (Norlund et al. 2024) and FineWeb, with stand-ins that nobody can own:
`example.com` is set aside by RFC 2606, 192.0.2.0/24 by RFC 5737 and 2001:db8::/32 by RFC 3849.
Replacing twice changes nothing.

* An e-mail address is letters (any script), digits and `._%+-&'`, "@", and a domain of two
  labels or more. Markdown's escapes belong to it. `info(at)kommun.se`, `info [snabel-a] kommun
  [punkt] se` and the like count too. A handle (`@namn@mastodon.se`) and a picture's name
  (`logo@2x.png`) do not.
* A public IP address is one that the Internet routes: private, loopback, link-local and
  documentation ones stay, and so do IPv6 networks of a provider's size (`2002::/16`). Four
  numbers below 32 are taken for a version or the number of a section, which 1 in 4,096 addresses
  would be taken for, too.

Two rules are off unless asked for, since they also hit numbers that name nobody: telephone
numbers, and personal identity numbers whose check digits are right (Swedish personnummer,
Norwegian fødselsnummer, Icelandic kennitala) or, where there is none, whose date is (Danish CPR).
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

EMAIL = "email@example.com"
IPV4 = "192.0.2.1"
IPV6 = "2001:db8::1"
PHONE = "+00 00 000 00 00"
PERSONAL_NUMBER = "000000-0000"

_RESERVED_DOMAINS = (".example.com", ".example.org", ".example.net", ".example")
_PICTURES = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "avif"))

_AT = r"(?:\\?@|\(a\)|\[a\]|\s?[\[({]\s?(?:at|@|snabel-?a|alfakrøll|krøllalfa)\s?[\])}]\s?)"
_DOT = r"(?:\.|\s?[\[({]\s?(?:dot|punkt|punktum|prik)\s?[\])}]\s?)"
_LABEL = r"[^\W_](?:[\w-]{0,62}(?<![-_]))?"
_ADDRESS = re.compile(
    rf"(?<![\w@])(?P<local>\w[\w.%+&'\\-]{{0,63}}){_AT}(?P<domain>{_LABEL}(?:{_DOT}{_LABEL}){{1,8}})",
    re.IGNORECASE,
)
_TOP_LEVEL = re.compile(r"xn--[a-z0-9-]+|[a-z]{2,24}(?=[-_]|$)", re.IGNORECASE | re.ASCII)
_IN_DOMAIN = re.compile(rf"({_DOT})", re.IGNORECASE)
_IPV4 = re.compile(r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\w|-[^\W\d]|\.\w)")
_IPV6 = re.compile(
    r"(?<![\w:.])[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]{1,38}(?![\w:]|/(?:[12]?[0-9]|3[0-2])(?![0-9]))"
)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_SECTION_BELOW = 32

_PHONE = re.compile(
    r"(?<![\w.,+/=-])(?:(?:\+|00)(?:46|47|45|354|298)[ -]?(?:\(0\))?(?:[ -]?[0-9]){6,10}"
    r"|0[0-9]{1,3}[ ]?[-–/][ ]?[0-9](?:[ ]?[0-9]){4,7}"
    r"|(?<=tlf )[0-9]{2}(?: ?[0-9]{2}){3}|(?<=tlf: )[0-9]{2}(?: ?[0-9]{2}){3}"
    r"|(?<=tlf\. )[0-9]{2}(?: ?[0-9]{2}){3})(?![\w-]|[.,][0-9])"
)
_NUMBER = re.compile(r"(?<![\w.,+-])(?:19|20)?([0-9]{6})([-+ ]?)([0-9]{4,5})(?![\w-]|[.,][0-9])")
_NO_WEIGHTS = ((3, 7, 6, 1, 8, 9, 4, 5, 2, 1, 0), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))
_IS_WEIGHTS = (3, 2, 7, 6, 5, 4, 3, 2, 1)


class Replaced(StrEnum):
    """What a stand-in was put in the place of."""

    emails = "emails"
    ip_addresses = "ip_addresses"
    phone_numbers = "phone_numbers"
    personal_numbers = "personal_numbers"


DEFAULT = (Replaced.emails, Replaced.ip_addresses)


@dataclass(frozen=True)
class Pseudonymised:
    """A text with stand-ins, and how many of each kind were put in."""

    text: str
    counts: Counter[str]


def pseudonymise(text: str, kinds: Sequence[str] = DEFAULT) -> Pseudonymised:
    """The text with stand-ins for everything of these kinds.

    >>> found = pseudonymise("Mejla info@åmål.se. Servern är 83.233.12.4, inte 10.0.0.1.")
    >>> found.text
    'Mejla email@example.com. Servern är 192.0.2.1, inte 10.0.0.1.'
    >>> dict(found.counts)
    {'emails': 1, 'ip_addresses': 1}

    Raises:
        ValueError: a kind is none of `Replaced`.
    """
    counts: Counter[str] = Counter()
    for kind in Replaced:
        if kind in [Replaced(name) for name in kinds]:
            for pattern, stand_in in _RULES[kind]:
                text = pattern.sub(_noting(stand_in, kind, counts), text)
    return Pseudonymised(text, counts)


StandIn = Callable[["re.Match[str]"], str]
"""What to put in the place of a match: the match itself where it is not what it looks like."""


def _noting(stand_in: StandIn, kind: str, counts: Counter[str]) -> StandIn:
    def replace(match: re.Match[str]) -> str:
        new = stand_in(match)
        if new != match[0]:
            counts[str(kind)] += 1
        return new

    return replace


def _for_email(match: re.Match[str]) -> str:
    domain = _domain_of(match["domain"])
    if domain is None or _is_reserved(domain.lower()):
        return match[0]
    return EMAIL + match[0][match.start("domain") - match.start() + len(domain) :]


def _domain_of(written: str) -> str | None:
    """The part of it that is a domain; None when there is none.

    A label with a capital after one without begins the next sentence: "a@kommun.se.Ring oss".

    >>> _domain_of("kommun.se.Ring"), _domain_of("Kommun.SE"), _domain_of("2x.png")
    ('kommun.se', 'Kommun.SE', None)
    """
    first, *rest = _IN_DOMAIN.split(written)
    labels = [first]
    for dot, label in zip(rest[::2], rest[1::2], strict=True):
        begins_sentence = label[0].isupper() and not label.isupper() and labels[-1].islower()
        if len(labels) > 1 and begins_sentence:
            break
        labels += [dot, label]
    while len(labels) > 1:
        top = _TOP_LEVEL.match(labels[-1])
        if top and top[0].lower() not in _PICTURES:
            return "".join([*labels[:-1], top[0]])
        labels = labels[:-2]
    return None


def _is_reserved(domain: str) -> bool:
    """Whether nobody can have an address there.

    >>> _is_reserved("mail.example.com"), _is_reserved("notexample.com")
    (True, False)
    """
    return f".{domain}".endswith(_RESERVED_DOMAINS)


def _for_ipv4(match: re.Match[str]) -> str:
    numbers = [int(part) for part in match[0].split(".")]
    try:
        public = ipaddress.IPv4Address(match[0]).is_global
    except ipaddress.AddressValueError:
        return match[0]
    return IPV4 if public and max(numbers) >= _SECTION_BELOW and numbers[0] < 224 else match[0]


def _for_ipv6(match: re.Match[str]) -> str:
    written = match[0].rstrip(":") if not match[0].endswith("::") else match[0]
    try:
        address = ipaddress.IPv6Address(written)
    except ipaddress.AddressValueError:
        return match[0]
    public = address in _GLOBAL_UNICAST and address.is_global
    return IPV6 + match[0][len(written) :] if public else match[0]


def _for_phone(_: re.Match[str]) -> str:
    return PHONE


def _for_personal_number(match: re.Match[str]) -> str:
    date, mark, rest = match.groups()
    digits = [int(digit) for digit in date + rest]
    if len(rest) == 5:
        is_personal = mark in ("", " ") and _is_day(date, added=40) and _is_norwegian(digits)
    else:
        swedish = _is_swedish(date, digits)
        danish_or_icelandic = _is_day(date) and (mark == "-" or _is_icelandic(digits))
        is_personal = mark != " " and (swedish or danish_or_icelandic)
    return PERSONAL_NUMBER if is_personal else match[0]


def _is_day(date: str, added: int = 0) -> bool:
    """Whether six digits can be day, month, year; a Norwegian D-number has 40 added to the day."""
    day = int(date[:2])
    return (1 <= day <= 31 or 1 <= day - added <= 31) and 1 <= int(date[2:4]) <= 12


def _is_swedish(date: str, digits: Sequence[int]) -> bool:
    """Year, month, day (60 added for a coordination number) and Luhn's check digit."""
    if not (1 <= int(date[2:4]) <= 12 and 1 <= int(date[4:6]) % 60 <= 31):
        return False
    doubled = [digit * (2 - place % 2) for place, digit in enumerate(digits)]
    return sum(n // 10 + n % 10 for n in doubled) % 10 == 0


def _is_norwegian(digits: Sequence[int]) -> bool:
    sums = (sum(a * b for a, b in zip(digits, row, strict=True)) for row in _NO_WEIGHTS)
    return all(total % 11 == 0 for total in sums)


def _is_icelandic(digits: Sequence[int]) -> bool:
    return sum(a * b for a, b in zip(digits, _IS_WEIGHTS, strict=False)) % 11 == 0


_RULES: dict[Replaced, Sequence[tuple[re.Pattern[str], StandIn]]] = {
    Replaced.emails: [(_ADDRESS, _for_email)],
    Replaced.ip_addresses: [(_IPV4, _for_ipv4), (_IPV6, _for_ipv6)],
    Replaced.phone_numbers: [(_PHONE, _for_phone)],
    Replaced.personal_numbers: [(_NUMBER, _for_personal_number)],
}
