"""What a control token is for, by its text: the markers of published models, a row each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["TURN_ROLES", "token_role"]

TURN_ROLES = frozenset({"turn start", "turn end"})
"""The roles of the tokens around a turn of a conversation."""

# The fields of a model's config that name ids, and the role that says the same.
_FIELDS = {"bos_token_id": "begin", "eos_token_id": "end", "pad_token_id": "padding"}

# The first pattern that matches the whole token tells; a bar may be the full-width one of DeepSeek's tokens.
_BY_TEXT: tuple[tuple[str, str], ...] = (
    (r"<[|｜](im_start|start_header_id|start|user|assistant|system|User|Assistant|turn|start_of_role)[|｜]?>", "turn start"),
    (r"<start_of_turn>|\[INST\]|<\|START_OF_TURN_TOKEN\|>|<\|role_start\|>", "turn start"),
    (r"<\|(user|assistant|system|developer)_(start|begin)\|>|<(user|assistant|system)>|<seed:bos>|\[SYSTEM_PROMPT\]", "turn start"),
    (r"<[|｜](im_end|eot_id|eom_id|end|return|call|eot|end_of_role)[|｜]>|<turn\|>", "turn end"),
    (r"<end_of_turn>|\[/INST\]|<\|END_OF_TURN_TOKEN\|>", "turn end"),
    (r"<\|(user|assistant|system|developer)_end\|>|</(user|assistant|system)>|<seed:eos>|\[/SYSTEM_PROMPT\]", "turn end"),
    (r"<\|(end_header_id|message|channel|constrain|im_sep)\|>", "inside a turn's head"),
    (r"</?(think|thinking|thought)>|\[/?THINK\]", "thinking"),
    (r"</?tool(s|_calls?|_responses?|_results?|_declare)?>|<[|｜]tool.*[|｜]>|\[/?(TOOL|AVAILABLE_TOOLS).*\]", "tools"),
    (r"</?function_call>|<\|python_tag\|>", "tools"),
    (r"<[|｜]?(fim|fill)[_▁].*>|<(PRE|SUF|MID|EOT)>|\[(PREFIX|MIDDLE|SUFFIX)\]|<\|endofprompt\|>", "fill in the middle"),
    (r"<\|(repo_name|file_sep)\|>", "repository"),
    (r"<\|(vision|image|video|object_ref|box|quad|audio).*\|>|<image_soft_token>|\[(IMG|AUDIO).*\]", "vision or sound"),
    (r"<[|｜].*(reserved|unused|place▁holder|extra_).*[|｜]>|<unused\d+>|\[unused\d+\]|<extra_id_\d+>", "reserved"),
    (r"<s>|<bos>|<\|begin_of_text\|>|<\|startoftext\|>|<｜begin▁of▁sentence｜>", "begin"),
    (r"</s>|<eos>|<\|end_?of_?text\|>|<｜end▁of▁sentence｜>", "end"),
    (r"<pad>|\[PAD\]|<\|pad\|>|<\|finetune_right_pad_id\|>", "padding"),
    (r"<unk>|\[UNK\]", "unknown"),
    (r"<mask>|\[MASK\]", "mask"),
    (r"\[CLS\]", "class"),
    (r"\[SEP\]", "separator"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), role) for pattern, role in _BY_TEXT)


def token_role(content: str, named: Mapping[str, str], fields: Iterable[str] = ()) -> str:
    """What a control token is for.

    Args:
        content: Its text.
        named: The tokens that the model's files name for a role, role to content.
        fields: The fields of the model's configs that have its id, such as `bos_token_id`.

    Returns:
        The roles, and the fields that say more than they, joined by commas; "" where nothing tells.

    Examples:
        >>> token_role("<|im_end|>", {"end": "<|im_end|>"}), token_role("<think>", {}), token_role("<x>", {})
        ('end, turn end', 'thinking', '')
        >>> token_role("<|endoftext|>", {"padding": "<|endoftext|>"}, ["bos_token_id", "pad_token_id"])
        'padding, end, bos_token_id'
    """
    roles = [role for role, token in named.items() if token == content]
    by_text = next((role for pattern, role in _COMPILED if pattern.fullmatch(content)), None)
    if by_text is not None and by_text not in roles:
        roles.append(by_text)
    more = [name for name in dict.fromkeys(fields) if _FIELDS.get(name) not in roles]
    return ", ".join([*roles, *more])
