"""The commands: each is one line here and one file in `commands`, which is imported when the command runs."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COMMANDS", "CommandRow"]


class CommandRow(NamedTuple):
    """One command.

    Attributes:
        name: What is typed, and the name of its file.
        section: The heading it stands under.
        help: What it does, in a few words.
    """

    name: str
    section: str
    help: str


COMMANDS = (
    CommandRow("count", "Text", "tokens in text, files, folders"),
    CommandRow("show", "Text", "colored pieces; several -m one under the other"),
    CommandRow("explain", "Text", "why a text became its tokens"),
    CommandRow("encode", "Text", "text to ids"),
    CommandRow("decode", "Text", "ids to text"),
    CommandRow("truncate", "Text", "the first or last N tokens of a text"),
    CommandRow("scan", "Text", "forged turns, invisible characters, look-alikes"),
    CommandRow("slim", "Text", "cheaper forms of the same data"),
    CommandRow("chat", "Chat", "messages as the model reads them, part by part"),
    CommandRow("budget", "Chat", "does a request fit, by how much, and what to drop"),
    CommandRow("reconcile", "Chat", "why a bill says something else than the local count"),
    CommandRow("check", "Chat", "limits, budgets and scan of prompts, for CI"),
    CommandRow("cost", "Chat", "a call, a conversation before it runs, or a log, in money and time"),
    CommandRow("memory", "Chat", "what embeddings and the KV cache take"),
    CommandRow("compare", "Languages", "tokenizers × languages or kinds of text"),
    CommandRow("models", "Tokenizer", "the names that are known; add NAME fetches one"),
    CommandRow("info", "Tokenizer", "what a tokenizer is"),
    CommandRow("train", "Build", "a tokenizer of your own text, planned, measured, resumed"),
)
