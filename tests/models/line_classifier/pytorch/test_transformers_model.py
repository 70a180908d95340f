# ruff: noqa: PLC0415 -- torch is imported only by the tests that need it
from __future__ import annotations

import importlib.abc
import json
import os
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.markdown.extraction import split_lines
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.pytorch.device import thread_count
from skord.models.line_classifier.pytorch.transformers_model import (
    Window,
    Work,
    read_token_classifier,
    window_batches,
)
from skord.models.line_classifier.training.dataset import Page

HAS_TRANSFORMERS = bool(find_spec("torch") and find_spec("transformers"))
needs_transformers = pytest.mark.skipif(
    not HAS_TRANSFORMERS, reason="torch and transformers are not installed: skord[transformers]"
)
# Libraries of the extra warn about their own futures; that is not ours to fail on.
pytestmark = pytest.mark.filterwarnings("default")

POSITIONS = 66  # 64 tokens and the two that models of this family leave unused
SHORT = "# rubrik\n\nen kort text om en bro\nmeny\n"


@pytest.fixture(scope="module", params=[1, 2], ids=["one label", "two labels"])
def folder(request, tmp_path_factory):
    return saved_model(tmp_path_factory.mktemp("model"), labels=request.param)


def saved_model(folder, *, labels, sep_token="</s>", positions=POSITIONS):
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import (
        LongformerConfig,
        LongformerForTokenClassification,
        PreTrainedTokenizerFast,
    )

    known = ["<s>", "<pad>", "</s>", "<unk>", "en", "kort", "text", "om", "bro", "meny", "rubrik"]
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(known)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        pad_token="<pad>",
        sep_token=sep_token,
        model_max_length=10_000,
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = LongformerConfig(
        vocab_size=len(known),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=positions,
        attention_window=8,
        pad_token_id=1,
        sep_token_id=2,
        num_labels=labels,
    )
    LongformerForTokenClassification(config).save_pretrained(folder)
    return folder


def logits_of_one_pass(folder, page):
    """The published convention, spelled out with the library alone."""
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForTokenClassification.from_pretrained(folder).eval()
    text = page.replace("\n", tokenizer.sep_token)
    tokens = tokenizer(text, return_tensors="pt", add_special_tokens=False)
    with torch.no_grad():
        actual = model(**tokens).logits[0][tokens.input_ids[0] == tokenizer.sep_token_id]
    return (actual[:, 1] - actual[:, 0] if actual.shape[1] == 2 else actual[:, 0]).numpy()


@needs_transformers
def test_a_short_page_has_the_logits_of_a_single_pass(folder):
    (logits,) = load_line_classifier(str(folder)).logits([SHORT])
    assert logits.dtype == np.float32
    assert np.allclose(logits, logits_of_one_pass(folder, SHORT), atol=1e-5)
    assert len(set(logits.round(4).tolist())) > 1


@needs_transformers
@pytest.mark.parametrize(
    "page",
    [
        "",
        "\n",
        "utan radslut",
        "\n" * 200,
        "en kort text\n" * 100,
        "meny\n" + "bro " * 500 + "\nmeny\nmeny\n",
        "bro " * 500 + "\n",
    ],
    ids=["empty", "one", "no line", "blank", "long page", "long line amid", "long line"],
)
def test_there_is_one_logit_for_each_line_feed(folder, page):
    (logits,) = load_line_classifier(str(folder)).logits([page])
    assert logits.shape == (page.count("\n"),)
    assert np.isfinite(logits).all()
    assert (logits != 0).all()


@needs_transformers
def test_pages_together_have_the_logits_that_each_has_alone(folder):
    model = load_line_classifier(str(folder))
    pages = [SHORT, "", "meny\n", "en kort text\n" * 100, SHORT * 3]
    for page, actual in zip(pages, model.logits(pages), strict=True):
        assert np.allclose(actual, model.logits([page])[0], atol=1e-5)


@needs_transformers
@pytest.mark.slow
def test_a_page_of_a_hundred_thousand_tokens(tmp_path):
    model = load_line_classifier(str(saved_model(tmp_path, labels=1, positions=4098)))
    page = "en kort text om\u2028en\x85bro \f \r\n" * 15_000
    tokens, separators = model.page_tokens(page)
    assert tokens.size >= 100_000
    assert separators.size == page.count("\n")
    (logits,) = model.logits([page])
    assert logits.shape == (15_000,)
    assert (logits != 0).all()


def test_batches_hold_like_lengths_and_no_more_than_asked():
    lengths = [5, 30, 7, 30, 100, 6, 5]
    work = [Work(n, Window(0, length, np.arange(1))) for n, length in enumerate(lengths)]
    actual = [[some.tokens for some in batch] for batch in window_batches(work, 60)]
    assert actual == [[100], [30, 30], [7, 6, 5, 5]]


def test_a_process_takes_the_threads_that_it_is_given_or_all_cores(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert thread_count() == len(os.sched_getaffinity(0))


@needs_transformers
def test_lines_far_from_a_window_edge_see_what_a_cut_page_shows(folder):
    model = load_line_classifier(str(folder))
    lines = [("en kort text om en bro", "meny", "rubrik om")[n % 3] + "\n" for n in range(60)]
    (whole,) = model.logits(["".join(lines)])
    tokens, separators = model.page_tokens("".join(lines))
    assert tokens.size > 2 * model.window_tokens
    # The first window's lines up to its middle come from a page that ends with the window.
    inside = int(np.searchsorted(separators, model.window_tokens - 1))
    cut = int(np.searchsorted(separators, model.window_tokens // 2))
    (first,) = model.logits(["".join(lines[:inside])])
    assert np.allclose(whole[:cut], first[:cut], atol=0.05)


@needs_transformers
def test_a_separator_spelled_out_in_the_text_ends_no_line(folder):
    model = load_line_classifier(str(folder))
    page = "en </s> bro\nmeny </s></s>\n"
    (logits,) = model.logits([page])
    assert logits.shape == (2,)
    tokens, separators = model.page_tokens(page)
    assert (np.flatnonzero(tokens == 2) == separators).all()


@needs_transformers
def test_other_line_breaks_end_no_line(folder):
    page = "en\u2028bro\x85\nmeny\r\f\n"
    assert len(split_lines(page)) == 2
    (logits,) = load_line_classifier(str(folder)).logits([page])
    assert logits.shape == (2,)


@needs_transformers
def test_the_name_changes_with_the_weights(folder, tmp_path):
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    model = AutoModelForTokenClassification.from_pretrained(folder)
    model.classifier.bias.data += 1
    model.save_pretrained(tmp_path / "other")
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path / "other")
    again, other = (
        read_token_classifier(str(folder)),
        read_token_classifier(str(tmp_path / "other")),
    )
    assert again.name == load_line_classifier(str(folder)).name
    assert other.name.rpartition("-")[2] != again.name.rpartition("-")[2]


@needs_transformers
def test_a_fine_tuned_model_learns_its_pages_and_can_be_named(tmp_path):
    from skord.models.line_classifier.training.finetune import FineTuning, fine_tune

    base = saved_model(tmp_path / "base", labels=2)
    gold = "en kort text om en bro en text"
    page = Page(
        id="1", source="made", site="a.se", lang="sv", licence="", title="", gold=gold,
        markdown=f"meny\nrubrik\n\n{gold}\n\nmeny\n",
    )  # fmt: skip
    recipe = FineTuning(epochs=20, batch_windows=2, learning_rate=5e-2)
    loss = fine_tune(str(base), [page, page], tmp_path / "tuned", recipe)
    (logits,) = load_line_classifier(str(tmp_path / "tuned")).logits([page.markdown])
    assert loss < 0.1
    assert logits[3] > 0 > max(logits[0], logits[1], logits[5])


@needs_transformers
def test_what_is_no_model_cannot_be_fine_tuned(tmp_path):
    from skord.models.line_classifier.training.finetune import FineTuning, fine_tune

    with pytest.raises(ConfigError, match=r"cannot be fine-tuned: \S"):
        fine_tune(str(tmp_path), [], tmp_path / "out", FineTuning())


@needs_transformers
def test_a_folder_without_a_model_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="holds no token classifier"):
        load_line_classifier(str(tmp_path))


@needs_transformers
def test_a_model_that_is_nowhere_is_a_config_error_at_once(monkeypatch):
    with pytest.raises(ConfigError, match="my-extractor: there is no such folder"):
        load_line_classifier("my-extractor")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nobody answers
    with pytest.raises(ConfigError, match="nobody/has-it: there is no such folder, and https://"):
        load_line_classifier("nobody/has-it")


@needs_transformers
def test_a_model_of_three_labels_or_without_separator_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="one or two labels"):
        read_token_classifier(str(saved_model(tmp_path / "three", labels=3)))
    with pytest.raises(ConfigError, match="separator token"):
        read_token_classifier(str(saved_model(tmp_path / "none", labels=1, sep_token=None)))


PUBLISHED_CODE = """
import torch
from transformers import LongformerForTokenClassification


class LineClassificationModel(LongformerForTokenClassification):
    def forward(self, input_ids, attention_mask, line_sep_token_ids):
        output = self.longformer(input_ids, attention_mask=attention_mask)[0]
        rows = [output[row, places] for row, places in enumerate(line_sep_token_ids)]
        padded = self.classifier(torch.nn.utils.rnn.pad_sequence(rows, batch_first=True))
        return [told[: len(row), 0] for told, row in zip(padded, rows)]
"""


def published_model(folder, code=PUBLISHED_CODE):
    """A model with the published extractor's contract: code of its own, one logit a line."""
    saved_model(folder, labels=2)
    (folder / "modeling_lines.py").write_text(code)
    settings = json.loads((folder / "config.json").read_text())
    settings["auto_map"] = {
        "AutoModelForTokenClassification": "modeling_lines.LineClassificationModel"
    }
    (folder / "config.json").write_text(json.dumps(settings))
    return folder


def logits_as_published(folder, page):
    """What the published example computes, with the library alone."""
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForTokenClassification.from_pretrained(folder, trust_remote_code=True).eval()
    tokens = tokenizer(
        page.replace("\n", tokenizer.sep_token), return_tensors="pt", add_special_tokens=False
    )
    ends = (tokens.input_ids[0] == tokenizer.sep_token_id).nonzero()
    with torch.no_grad():
        return model(**tokens, line_sep_token_ids=ends[None, :, 0])[0].numpy()


@needs_transformers
def test_a_model_with_the_published_contract_gives_what_its_example_gives(tmp_path):
    folder = published_model(tmp_path / "published")
    model = load_line_classifier(str(folder), trust_remote_code=True)
    long = "en kort text om bro\nmeny\n\n" * 30
    short, empty, cut = model.logits([SHORT, "", long])
    assert np.allclose(short, logits_as_published(folder, SHORT), atol=1e-5)
    assert len(set(short.round(4).tolist())) > 1
    assert empty.shape == (0,)
    assert cut.shape == (90,)
    assert np.isfinite(cut).all()


@needs_transformers
def test_the_code_of_a_model_runs_only_where_it_is_trusted(tmp_path):
    mark = tmp_path / "ran"
    folder = published_model(tmp_path / "m", f"open({str(mark)!r}, 'w').close()\n{PUBLISHED_CODE}")
    with pytest.raises(ConfigError, match="set trust_remote_code = true"):
        load_line_classifier(str(folder))
    assert not mark.exists()
    load_line_classifier(str(folder), trust_remote_code=True)
    assert mark.exists()


@needs_transformers
def test_other_code_with_the_same_weights_has_another_name(tmp_path):
    names = {
        read_token_classifier(
            str(published_model(tmp_path / f"{number}/m", code)), trust_remote_code=True
        ).name
        for number, code in enumerate((PUBLISHED_CODE, PUBLISHED_CODE.replace(", 0]", ", 1]")))
    }
    assert len(names) == 2
    assert all(name.startswith("m-") for name in names)


@needs_transformers
def test_a_model_with_too_few_logits_is_a_config_error(tmp_path):
    code = PUBLISHED_CODE.replace("[: len(row), 0]", "[1 : len(row), 0]")
    model = load_line_classifier(str(published_model(tmp_path, code)), trust_remote_code=True)
    with pytest.raises(ConfigError, match="gave 3 logits for 4 lines"):
        model.logits([SHORT])


class Absent(importlib.abc.MetaPathFinder):
    """Makes a package look as if it were not installed."""

    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] in {"torch", "transformers"}:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def test_without_the_extra_the_error_says_what_to_install(tmp_path, monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] in {"torch", "transformers"}]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"pip install 'skord\[transformers\]'"):
        read_token_classifier(str(tmp_path))
