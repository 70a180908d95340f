"""The kinds of personal data that stand-ins are put in the place of."""

from enum import StrEnum


class Replaced(StrEnum):
    """What a stand-in was put in the place of."""

    emails = "emails"
    ip_addresses = "ip_addresses"
    phone_numbers = "phone_numbers"
    personal_numbers = "personal_numbers"
    ibans = "ibans"
    payment_cards = "payment_cards"

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"there is no kind {value!r} of personal data: known are {', '.join(cls)}")


RULES_VERSION = {"ip_addresses": 3, "phone_numbers": 4, "personal_numbers": 4, "ibans": 2}
"""Kinds whose rules hit other things than in an earlier version."""

DEFAULT = (Replaced.emails, Replaced.ip_addresses)
