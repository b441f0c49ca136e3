"""Models whose listed window is more than they were trained for: what is beyond it needs a scaled position encoding.

Source: the model cards of Qwen3 (2025-04): "natively supports context lengths of up to 32,768 tokens"; "validated up to 131,072
tokens using the YaRN method". The dense models of that release and the two mixtures; later ones (2507) have 262,144 natively.
"""

from __future__ import annotations

import re

__all__ = ["native_note"]

_QWEN3 = re.compile(
    r"(?:.*/)?qwen3-(?:0\.6b|1\.7b|4b|8b|14b|32b|30b-a3b|235b-a22b)(?:-base|-fp8|-awq|-gguf)?", re.IGNORECASE
)
_NATIVE_TOKENS = 32_768


def native_note(model: str, n_window: int) -> str | None:
    """What to say of a window that is more than a model's own.

    Examples:
        >>> native_note("Qwen/Qwen3-8B", 131_072)
        "its native window is 32,768; more only with YaRN (Qwen3's model card, 2025-04)"
        >>> native_note("Qwen/Qwen3-8B", 32_768) is None, native_note("qwen3-coder-plus", 1_000_000) is None
        (True, True)
    """
    if n_window <= _NATIVE_TOKENS or _QWEN3.fullmatch(model) is None:
        return None
    return f"its native window is {_NATIVE_TOKENS:,}; more only with YaRN (Qwen3's model card, 2025-04)"
