r"""Stand-ins for what names a person or a machine in a text: e-mail addresses, public IP addresses.

As at the export of SWEb (Norlund et al. 2024) and FineWeb, with stand-ins that nobody can own:
`example.com` is set aside by RFC 2606, 192.0.2.0/24 by RFC 5737 and 2001:db8::/32 by RFC 3849.
Replacing twice changes nothing.

* An e-mail address is letters (any script), digits and `._%+-&'`, "@", and a domain of two
  labels or more. Markdown's escapes belong to it. `info(at)kommun.se`, `info [snabel-a] kommun
  [punkt] se` and the like count too. A handle (`@namn@mastodon.se`) and a picture's name
  (`logo@2x.png`) do not.
* A public IP address is one that the Internet routes: private, loopback, link-local and
  documentation ones stay, and so do networks: IPv4 ones with their mask (`83.233.0.0/16`), IPv6
  ones of a provider's size (`2002::/16`), and what has but its first group (`2000::`). Four
  numbers below 32 are taken for a version or the number of a section, which 1 in 4,096 addresses
  would be taken for, too; those whose second and third number are the same for an example
  (`100.10.10.17`), and 1 in 256 with them.

The others are off unless asked for, since they also hit numbers that name nobody: telephone
numbers, with a country's prefix or as people of the page's country write them (phonenumbers);
personal identity numbers of Sweden, Norway, Iceland, Finland, Latvia, Estonia and Lithuania whose
dates and check digits are right (python-stdnum), and of Denmark, whose newer ones have none, by
date, series and language; IBANs; payment cards.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from phonenumbers import Leniency, PhoneNumberMatcher

from skord.publishing.check_digits import (
    has_danish_check,
    is_card,
    is_danish,
    is_estonian_or_lithuanian,
    is_finnish,
    is_iban,
    is_icelandic,
    is_latvian,
    is_norwegian,
    is_swedish,
)
from skord.publishing.replaced_kinds import DEFAULT, Replaced

EMAIL = "email@example.com"
IPV4 = "192.0.2.1"
IPV6 = "2001:db8::1"
PHONE = "+00 00 000 00 00"
PERSONAL_NUMBER = "000000-0000"
IBAN = "XX00 0000 0000 0000 0000"
CARD = "0000 0000 0000 0000"

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
_MASK = re.compile(
    r"/(?P<bits>[0-9]{1,2})(?![0-9])|[ ](?:(?:net)?mask[: ]{1,2})?(?P<mask>255\.[0-9.]{5,11})",
    re.IGNORECASE,
)

_CALL = (
    r"(?:tele?f(?:on|oon)?(?:nummer|nr)?|tlfn?(?:r|nr)?|tele?|mob(?:il)?(?:telefon|nummer)?|ring|fax"
    r"|sími|s|gsm|puh(?:elin)?|p|tālr(?:unis)?|phone|call|t)"
)
"""Words before a telephone number."""

_PHONE = re.compile(
    r"(?<![\w.,+/=-])(?![0-9]{2}[-/][0-9]{2}[-/ ](?:19|20)[0-9]{2}(?![0-9]))(?:"  # no date
    # with the country: a plus sign or 00
    r"(?:\+|00)(?:46|47|45|354|298|358|37[0-2])[ -]?(?:\(0\))?(?:[ -]?[0-9]){6,10}"
    # an area behind a 0, and a mark
    r"|\(?0[1-9][0-9]{0,2}(?:[ ]?[-–/][ ]?|\)[ ]?)[0-9](?:[ -]?[0-9]){4,7}"
    # mobiles in their usual groups: Swedish 070 123 45 67, Finnish 040 123 4567
    r"|07[02369][ ]?[0-9]{3}[ ][0-9]{2}[ ][0-9]{2}|0[45][0-9][ ][0-9]{3}[ ][0-9]{3,4}"
    r")(?![\w-]|[.,][0-9]|[ ]?[%€$]|[ ]?(?:kr|SEK|NOK|DKK|euro?|kg|km)\b)"
)
_CALLED = re.compile(
    rf"(?<![\w.])(?:{_CALL})(?:[.:]{{1,2}}[ ]?|[ ])(?:nr\.?[ ]|på[ ]|i[ ])?(?!10-10-)"
    r"(?P<number>\(?\+?[0-9](?:[ -]?[()]?[0-9]){6,11})(?![\w-]|[.,][0-9]|[ ]?(?:kr|euro?)\b)",
    re.IGNORECASE,
)
"""A number of seven digits or more behind one of those words; years and prices are shorter."""

_NATIONAL = re.compile(
    r"(?<![\w.,+/=-])\(?[0-9](?:[ \u00a0/()–-]{0,2}[0-9]){5,11}"
    r"(?![\w-]|[.,:][0-9]|[ \u00a0]?[%€$°]"
    r"|[ \u00a0]?(?:kr|SEK|NOK|DKK|ISK|euro?|eur|kg|km|m|mln|mio|st|stk|kpl|gb|tk)\b)",
    re.IGNORECASE,
)
"""What may be a number without its country's prefix, in groups."""
_YEARS = re.compile(r"(?:(?:19|20)[0-9]{2}[ –/-]?){2,}")
_NORWEGIAN_MOBILE = re.compile(r"[49][0-9]{2} [0-9]{2} [0-9]{3}")
"""As they are written; the library groups them by twos."""
REGIONS = {
    "sv": "SE", "da": "DK", "no": "NO", "nb": "NO", "nn": "NO", "is": "IS", "fo": "FO", "fi": "FI",
    "et": "EE", "lv": "LV", "lt": "LT", "kl": "GL",
}  # fmt: skip
"""The country whose telephone numbers a page of a language writes without a prefix."""
_CLOCK = re.compile(
    r"(?:\b(?:kl|klo|kello|kell|klokkan|klukkan|klokken|plkst|val|(?:öppe[tn]|åpe[nt]t?|åbent?|avoinna|avatud)"
    r"|(?:m[åa]n|tis|tir|ons|tors?|fre|l[öø]r|s[öø]n)[a-zåäöøæ]*)[.:]?[ ]*|[0-9][:.][0-9]{2}[ ]?[-–]?[ ]?)$",
    re.IGNORECASE,
)
"""What stands before hours of opening, as in *kl. 08-17 12 13*."""
_BEFORE_CHARS = 24

_DASH = "\\-\u2010\u2011\u2013\u2212"
_BLANK = " \u00a0\u2009\u202f"
_NUMBER = re.compile(
    rf"(?<![\w.,+-])(?P<century>19|20)?(?P<date>[0-9]{{6}}|[0-9]{{2}}(?:([. ])[0-9]{{2}})(?:\3[0-9]{{2}})"
    rf"|[0-9]{{2}}\.[0-9]{{2}}\.(?:19|20)[0-9]{{2}})(?P<mark>[{_BLANK}][{_DASH}][{_BLANK}]|[{_DASH}+{_BLANK}]?)"
    r"(?P<rest>[0-9]{4,5})(?![\w-]|[.,][0-9])"
)
_FINNISH = re.compile(
    rf"(?<![\w.,+-])([0-9]{{6}})([{_DASH}+ABCDEFYXWVU])([0-9]{{3}}[0-9A-FHJ-NPR-Y])(?![\w-])",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ \u00a0]?[A-Z0-9]){10,30}(?![A-Za-z0-9])")
_CARD = re.compile(
    r"(?<![\w.,+/-])(?:[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}"
    r"|3[47][0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5})(?![\w-]|[.,/][0-9])"
)


@dataclass(frozen=True)
class Pseudonymised:
    """A text with stand-ins, and how many of each kind were put in."""

    text: str
    counts: Counter[str]


def pseudonymise(
    text: str, kinds: Sequence[str] = DEFAULT, language: str | None = None
) -> Pseudonymised:
    """The text with stand-ins for everything of these kinds.

    The page's language decides whose telephone numbers need no prefix.

    >>> replaced = pseudonymise("Mejla info@åmål.se. Servern är 83.233.12.4, inte 10.0.0.1.")
    >>> replaced.text
    'Mejla email@example.com. Servern är 192.0.2.1, inte 10.0.0.1.'
    >>> dict(replaced.counts)
    {'emails': 1, 'ip_addresses': 1}
    >>> pseudonymise("Ring oss: 22 33 44 55", ["phone_numbers"], "nb").text
    'Ring oss: +00 00 000 00 00'
    """
    counts: Counter[str] = Counter()
    asked = [Replaced(name) for name in kinds]
    for kind in Replaced:
        for find, stand_in in _RULES[kind] if kind in asked else ():
            places = [one for one in find(text, language) if text[slice(*one)] != stand_in]
            counts[str(kind)] += len(places)
            text = _replaced(text, places, stand_in)
    return Pseudonymised(text, +counts)


def _replaced(text: str, places: Sequence[Place], stand_in: str) -> str:
    parts, done = [], 0
    for start, end in places:
        parts += [text[done:start], stand_in]
        done = end
    return "".join([*parts, text[done:]])


class Marked(NamedTuple):
    """Where something of a kind stands: half-open range of characters (code points)."""

    kind: str
    start: int
    end: int


def marked_personal_data(
    text: str, kinds: Sequence[str], language: str | None = None
) -> list[Marked]:
    """Everything of these kinds in a text, in order; stand-ins are nothing.

    >>> marked_personal_data("Ring 08-123 45 67.", ["phone_numbers"])
    [Marked(kind='phone_numbers', start=5, end=17)]
    """
    spans = {
        Marked(str(kind), *place)
        for kind in map(Replaced, kinds)
        for find, stand_in in _RULES[kind]
        for place in find(text, language)
        if text[slice(*place)] != stand_in
    }
    found = sorted(spans, key=lambda one: (one.start, -one.end, one.kind))
    return [one for at, one in enumerate(found) if not _is_within(one, found[:at])]


def _is_within(one: Marked, before: Sequence[Marked]) -> bool:
    """Whether another of its kind, found by another rule, holds it already."""
    return any(each.kind == one.kind and one.end <= each.end for each in before[-3:])


Place = tuple[int, int]
Find = Callable[[str, "str | None"], Iterator[Place]]
"""Where things of a kind stand in a text of a language: in order, none within another."""

StandIn = Callable[["re.Match[str]"], str]
"""What to put in the place of a match: the match itself where it is not what it looks like."""


def _by_pattern(
    pattern: re.Pattern[str], stand_in: StandIn, shown: str, text: str, _: str | None
) -> Iterator[Place]:
    for match in pattern.finditer(text):
        new = stand_in(match)
        if new == match[0]:
            continue
        at = new.index(shown)
        yield match.start() + at, match.end() - (len(new) - at - len(shown))


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
    public = public and max(numbers) >= _SECTION_BELOW and numbers[0] < 224
    public = public and numbers[1] != numbers[2]
    return IPV4 if public and not _is_network(match) else match[0]


def _is_network(match: re.Match[str]) -> bool:
    """Whether a mask stands behind an address of which it leaves nothing: many machines' prefix.

    >>> texts = ("83.233.0.0/16", "83.233.0.0 255.255.0.0", "83.233.12.4/16", "83.233.12.4/32")
    >>> [_is_network(_IPV4.match(text)) for text in texts]
    [True, True, False, False]
    """
    behind = _MASK.match(match.string, match.end())
    if behind is None:
        return False
    try:
        network = ipaddress.IPv4Network(f"{match[0]}/{behind['bits'] or behind['mask']}")
    except ValueError:
        return False
    return network.num_addresses > 1


def _for_ipv6(match: re.Match[str]) -> str:
    written = match[0].rstrip(":") if not match[0].endswith("::") else match[0]
    try:
        address = ipaddress.IPv6Address(written)
    except ipaddress.AddressValueError:
        return match[0]
    public = address in _GLOBAL_UNICAST and address.is_global and int(address) % (1 << 112)
    return IPV6 + match[0][len(written) :] if public else match[0]


def _for_phone(match: re.Match[str]) -> str:
    return match[0] if _is_hours(match.string, match.start()) else PHONE


def _is_hours(text: str, start: int) -> bool:
    """Whether a time of day stands before a number, or a word that stands before hours.

    >>> text = "kl. 08-17 12 13"
    >>> _is_hours(text, 4), _is_hours("Ring 08-17 12 13", 5)
    (True, False)
    """
    return _CLOCK.search(text[max(0, start - _BEFORE_CHARS) : start]) is not None


def _for_called(match: re.Match[str]) -> str:
    digits = sum(c.isdigit() for c in match["number"])
    is_phone = 7 <= digits <= 12
    return match[0][: match.start("number") - match.start()] + PHONE if is_phone else match[0]


def _national_phones(text: str, language: str | None) -> Iterator[Place]:
    """Numbers in the groups of the page's country; a run of digits may be any number."""
    region = REGIONS.get(language or "")
    if region is None:
        return
    for match in _NATIONAL.finditer(text):
        written = match[0]
        if written.strip("(").isdigit() or _YEARS.fullmatch(written):
            continue
        if _is_hours(text, match.start()):
            continue
        if region == "NO" and _NORWEGIAN_MOBILE.fullmatch(written):
            yield match.span()
            continue
        for phone in PhoneNumberMatcher(written, region, Leniency.STRICT_GROUPING, max_tries=4):
            if phone.start == 0 and phone.end == len(written):
                yield match.span()


def _is_personal_number(match: re.Match[str], language: str | None) -> bool:
    day = re.sub(r"[. ]", "", match["date"])
    number = day[:4] + day[-2:] + match["rest"]
    if len(match["rest"]) == 5:
        return _is_of_eleven(match, number, language)
    if len(match["date"]) > len("yymmdd"):
        return False
    has_dash = _has_dash(match)
    is_mobile = not has_dash and not match["century"] and number.startswith("07")
    if is_swedish(number) and not is_mobile:
        return True
    if match["century"] or match["mark"] == "+":
        return False
    return is_icelandic(number) or _is_danish(match, number, language)


def _is_of_eleven(match: re.Match[str], number: str, language: str | None) -> bool:
    """Whether eleven digits are a Norwegian, Latvian, Estonian or Lithuanian number."""
    if match["century"] or match["mark"] == "+":
        return False
    if is_norwegian(number):
        return True
    if len(match["date"]) > len("ddmmyy"):  # with signs, as in no other country
        return False
    is_baltic = match["mark"] == "" and is_estonian_or_lithuanian(number)
    return is_baltic or ((_has_dash(match) or language == "lv") and is_latvian(number))


_DASHES = frozenset("-\u2010\u2011\u2013\u2212")


def _has_dash(match: re.Match[str]) -> bool:
    return match["mark"].strip() in _DASHES


def _personal_numbers(text: str, language: str | None) -> Iterator[Place]:
    for match in _NUMBER.finditer(text):
        if _is_personal_number(match, language):
            yield match.span()


_DANISH_CALLED = re.compile(
    r"(?:\bcpr|person(?:nummer|nr)|\bfødt\b|\bf\.)[^0-9\n]{0,30}$", re.IGNORECASE
)
_DANISH, _NOT_DANISH = re.compile("[æøÆØ]"), re.compile("[äöðþāčēģīķļņšūžÄÖÐÞ]")
NEAR = 200
"""Characters to either side by which the language around a number is known."""


def _is_danish(match: re.Match[str], number: str, language: str | None) -> bool:
    """A day, and the check digit or, as since 2007, none; or called what it is.

    A Swedish or an Icelandic number with a wrong digit may have this form, too: where letters of
    theirs stand around, it is none. One without a check digit needs a page of Danish, or letters
    of it around; one without a dash is called what it is.
    """
    if not is_danish(number):
        return False
    text, start, end = match.string, match.start(), match.end()
    before = text[max(0, start - NEAR) : start]
    around = before + text[end : end + NEAR]
    if not _has_dash(match):
        return bool(_DANISH_CALLED.search(before))
    is_there = has_danish_check(number) or language == "da" or _DANISH.search(around) is not None
    return (is_there and _NOT_DANISH.search(around) is None) or bool(_DANISH_CALLED.search(before))


def _for_finnish(match: re.Match[str]) -> str:
    date, mark, rest = match.groups()
    written = f"{date}{'-' if mark in _DASHES else mark}{rest}"
    return PERSONAL_NUMBER if is_finnish(written) else match[0]


_LONGEST_IBAN, _SHORTEST_IBAN = 34, 15


def _for_iban(match: re.Match[str]) -> str:
    """The account's number, which may be followed by words in capitals."""
    ends = [place + 1 for place, character in enumerate(match[0]) if character.isalnum()]
    for end in reversed(ends[_SHORTEST_IBAN - 1 : _LONGEST_IBAN]):
        if is_iban(match[0][:end].replace("\u00a0", " ")):
            return IBAN + match[0][end:]
    return match[0]


def _for_card(match: re.Match[str]) -> str:
    return CARD if is_card(match[0]) else match[0]


def _rule(pattern: re.Pattern[str], stand_in: StandIn, shown: str) -> tuple[Find, str]:
    return partial(_by_pattern, pattern, stand_in, shown), shown


_RULES: dict[Replaced, Sequence[tuple[Find, str]]] = {
    Replaced.emails: [_rule(_ADDRESS, _for_email, EMAIL)],
    Replaced.ip_addresses: [_rule(_IPV4, _for_ipv4, IPV4), _rule(_IPV6, _for_ipv6, IPV6)],
    Replaced.phone_numbers: [
        _rule(_PHONE, _for_phone, PHONE),
        _rule(_CALLED, _for_called, PHONE),
        (_national_phones, PHONE),
    ],
    Replaced.personal_numbers: [
        (_personal_numbers, PERSONAL_NUMBER),
        _rule(_FINNISH, _for_finnish, PERSONAL_NUMBER),
    ],
    Replaced.ibans: [_rule(_IBAN, _for_iban, IBAN)],
    Replaced.payment_cards: [_rule(_CARD, _for_card, CARD)],
}
