"""Which format a tokenizer file has: by what it holds, since names mislead (Llama 3's `tokenizer.model` holds ranks)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from piecework.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_format"]

_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(?:\n|$)")
_READ_HERE = "this version reads tokenizer.json (byte-level BPE) and .tiktoken files"


def read_format(path: Path, data: bytes) -> Literal["tokenizer.json", "tiktoken"]:
    r"""Names the format of a file's bytes.

    Raises:
        FormatError: The file is empty, or of a format that this version does not read.

    Examples:
        >>> from pathlib import Path
        >>> read_format(Path("tokenizer.model"), b"IQ== 0\nIg== 1\n")
        'tiktoken'
    """
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "tokenizer.json"
    if _RANK_LINE.match(start):
        return "tiktoken"
    if not data:
        reason = "the file is empty"
    elif data.startswith(b"GGUF"):
        reason = f"this is a GGUF file; {_READ_HERE}"
    elif path.suffix == ".model":
        reason = f"this looks like a SentencePiece model; {_READ_HERE}"
    else:
        reason = f"this is no tokenizer file that is known here; {_READ_HERE}"
    raise FormatError(reason, place="byte 0", reason=reason)
