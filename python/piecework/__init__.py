"""See, count, budget and check the pieces that language models read.

    >>> import piecework as pw
    >>> tok = pw.load("gpt-4o")
    >>> tok.count("Hello, world!")
    4

- `load` gives a `Tokenizer` by a model's name, a file, a folder, a hub id or another library's object: `count`,
  `count_up_to`, `truncate`, `encode`, `ids`, `decode`, `encode_batch`, `count_batch`, `decoder`, `encoder`, `save`,
  `show`, `stages`, `info`.
- `Tokenizer.chat` makes the prompt that a model reads of messages, with who wrote each token: a `ChatPrompt`.
- `count` counts a text or a chat for a model and says what the number is worth; `count_async` waits for an endpoint.
- `compare` measures tokenizers on many languages, or on texts of your own: a `Comparison`.
- `side_by_side` shows one text under several tokenizers, with what they cut differently ringed.
- `cost` prices a call, `cost_conversation` a conversation before it runs, `cost_log` one that ran, from usage records.
- `scan` finds what in a text could deceive a reader, a filter or a model: a `Scan`.
- `memory` sizes embedding tables and KV caches by a model's config.
- `plot` draws results and plain rows: a `Chart`, saved as SVG, PNG, HTML or Vega-Lite.
- `show_bytes` and `byte_table` show the bytes behind a text, without a tokenizer.
- `train` learns a tokenizer of texts, files or counted words.
- `errors` has every exception; all are `PieceworkError`.

Public names come from here, and lazily: importing the package loads nothing, the first use of a name loads its home.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piecework import errors as errors
    from piecework import memory as memory
    from piecework import train as train
    from piecework._api.bills import log_request, reconcile
    from piecework._api.budgets import budget, pack
    from piecework._api.comparing import compare, side_by_side
    from piecework._api.costs import cost, cost_conversation, cost_log
    from piecework._api.counting import count, count_async
    from piecework._api.scanning import scan
    from piecework._budget import Budget, BudgetChange, Drop, Line, Packed
    from piecework._chat.counted_parts import ChatPart
    from piecework._chat.forged import ForgedMarker
    from piecework._chat.prompt import ChatPrompt
    from piecework._check import Check, check
    from piecework._core import Batch, Counts, Ids, __version__
    from piecework._cost import Caching, ConversationCost, Cost
    from piecework._cost.reconcile import Reconciliation
    from piecework._counts import Count, Part
    from piecework._explain import byte_table, show_bytes
    from piecework._files.save import Saved
    from piecework._measure import Comparison, Samples, SampleText
    from piecework._plots import Chart, plot
    from piecework._safety import Finding, Scan
    from piecework._slim import slim
    from piecework._tokenizer import (
        DecodeStream,
        EncodeStream,
        Encoding,
        Forged,
        PaddedRows,
        Rows,
        StreamEnd,
        Table,
        Tokenizer,
        load,
    )
    from piecework.errors import (
        BudgetError,
        ChatError,
        ChecksumError,
        ContextOverflowError,
        CostError,
        DecodeError,
        EmptyCorpusError,
        EncodeError,
        FetchError,
        FormatError,
        IncompleteTextError,
        InputError,
        LimitTooSmallError,
        LoadError,
        MemoryCapError,
        MessageError,
        MissingExtraError,
        NotUnicodeError,
        OutputError,
        PatternLimitError,
        PieceworkError,
        PieceworkWarning,
        RemoteCountError,
        SpecialTokenError,
        TemplateError,
        TooLongError,
        TrainError,
        UnencodableError,
        UnknownIdError,
        UnknownPriceError,
        UnknownTokenizerError,
        UnsafeTemplateError,
        VocabSizeError,
    )

__all__ = [
    "Batch",
    "Budget",
    "BudgetChange",
    "BudgetError",
    "Caching",
    "Chart",
    "ChatError",
    "ChatPart",
    "ChatPrompt",
    "Check",
    "ChecksumError",
    "Comparison",
    "ContextOverflowError",
    "ConversationCost",
    "Cost",
    "CostError",
    "Count",
    "Counts",
    "DecodeError",
    "DecodeStream",
    "Drop",
    "EmptyCorpusError",
    "EncodeError",
    "EncodeStream",
    "Encoding",
    "FetchError",
    "Finding",
    "Forged",
    "ForgedMarker",
    "FormatError",
    "Ids",
    "IncompleteTextError",
    "InputError",
    "LimitTooSmallError",
    "Line",
    "LoadError",
    "MemoryCapError",
    "MessageError",
    "MissingExtraError",
    "NotUnicodeError",
    "OutputError",
    "Packed",
    "PaddedRows",
    "Part",
    "PatternLimitError",
    "PieceworkError",
    "PieceworkWarning",
    "Reconciliation",
    "RemoteCountError",
    "Rows",
    "SampleText",
    "Samples",
    "Saved",
    "Scan",
    "SpecialTokenError",
    "StreamEnd",
    "Table",
    "TemplateError",
    "Tokenizer",
    "TooLongError",
    "TrainError",
    "UnencodableError",
    "UnknownIdError",
    "UnknownPriceError",
    "UnknownTokenizerError",
    "UnsafeTemplateError",
    "VocabSizeError",
    "__version__",
    "budget",
    "byte_table",
    "check",
    "compare",
    "cost",
    "cost_conversation",
    "cost_log",
    "count",
    "count_async",
    "load",
    "log_request",
    "pack",
    "plot",
    "reconcile",
    "scan",
    "show_bytes",
    "side_by_side",
    "slim",
]

# The home of each public name that is not an error.
_HOMES = {
    "Batch": "_core",
    "Budget": "_budget",
    "BudgetChange": "_budget",
    "Caching": "_cost",
    "Chart": "_plots",
    "ChatPart": "_chat.counted_parts",
    "ChatPrompt": "_chat.prompt",
    "Check": "_check",
    "Comparison": "_measure",
    "ConversationCost": "_cost",
    "Cost": "_cost",
    "Count": "_counts",
    "Counts": "_core",
    "DecodeStream": "_tokenizer",
    "Drop": "_budget",
    "EncodeStream": "_tokenizer",
    "Encoding": "_tokenizer",
    "Finding": "_safety",
    "Forged": "_tokenizer",
    "ForgedMarker": "_chat.forged",
    "Ids": "_core",
    "Line": "_budget",
    "Packed": "_budget",
    "PaddedRows": "_tokenizer",
    "Part": "_counts",
    "Reconciliation": "_cost.reconcile",
    "Rows": "_tokenizer",
    "SampleText": "_measure",
    "Samples": "_measure",
    "Saved": "_files.save",
    "Scan": "_safety",
    "StreamEnd": "_tokenizer",
    "Table": "_tokenizer",
    "Tokenizer": "_tokenizer",
    "__version__": "_core",
    "budget": "_api.budgets",
    "byte_table": "_explain",
    "check": "_check",
    "compare": "_api.comparing",
    "cost": "_api.costs",
    "cost_conversation": "_api.costs",
    "cost_log": "_api.costs",
    "count": "_api.counting",
    "count_async": "_api.counting",
    "load": "_tokenizer",
    "log_request": "_api.bills",
    "pack": "_api.budgets",
    "plot": "_plots",
    "reconcile": "_api.bills",
    "scan": "_api.scanning",
    "show_bytes": "_explain",
    "side_by_side": "_api.comparing",
    "slim": "_slim",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        # Submodules that are public but not imported yet, such as `piecework.errors`, arrive here too.
        if name in {"errors", "memory", "train"}:
            return importlib.import_module(f"piecework.{name}")
        raise AttributeError(f"module 'piecework' has no attribute {name!r}")
    home = importlib.import_module(f"piecework.{_HOMES.get(name, 'errors')}")
    value: object = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "errors", "memory", "train"])
