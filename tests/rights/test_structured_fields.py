"""What a Content-Usage field says, to the sign: RFC 9651's dictionaries."""

import pytest
from http_sf import StructuredFieldError

from skord.rights.structured_fields import parse_field_dictionary, refused_uses


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("", {}),
        ("  a=n", {"a": "n"}),
        ("a=n  ,\t b=y ", {"a": "n", "b": "y"}),
        ("a=n;x;y=2; z=tok", {"a": "n"}),
        ("a=n;x=1,b=y", {"a": "n", "b": "y"}),
        ("a=(x y),b=n", {"a": "", "b": "n"}),
        ("a=( x;q=1  y ;r),b=n", None),
        ("a=( x;q=1  y;r ),b=n", {"a": "", "b": "n"}),
        ("a=(),b=n", {"a": "", "b": "n"}),
        ("a=(x)y", None),
        ('a=(x"y")', None),
        ("a=(x", None),
        ('a="n, b=n",b=y', {"a": "", "b": "y"}),
        ("a=?1,b=1.5,c=:YQ==:,d=@7,e=-3", dict.fromkeys("abcde", "")),
        ("a=n,a=y", {"a": "y"}),
        ("a=n,", None),
        ("a=n, ", None),
        ("a=n b=y", None),
        ("a=", None),
        ("a=n;", None),
        ("A=n", None),
        ("a=1.2345", None),
    ],
)
def test_a_field_is_a_dictionary_or_says_nothing(field, said):
    if said is None:
        with pytest.raises(StructuredFieldError):
            parse_field_dictionary(field)
    else:
        assert parse_field_dictionary(field) == said


def test_only_the_token_n_refuses_and_only_uses_a_corpus_is_made_for():
    assert refused_uses("bots=n, train-ai=n, search=n, ai=y, tdm") == ["train-ai", "bots"]
    assert refused_uses('tdm="n", genai=(n), train-genai=N') == []
    assert refused_uses("train-ai=n, search=") == []
