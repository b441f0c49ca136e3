"""What configs of transformers say of their layers is what we read, with and without `layer_types`."""

from __future__ import annotations

import pytest
from transformers import AutoConfig

from piecework.memory.config import DOCUMENTED, read_config
from piecework.memory.patterns import layer_kinds

NAMES = {
    "full_attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "state",
    "hybrid": "both",
}
# Types whose configs say which layer is what without `layer_types`, too.
BY_OTHER_FIELDS = [
    "cohere2", "exaone4", "falcon_h1", "falcon_mamba", "gemma2", "gemma3_text", "gemma3n_text", "jamba", "llama4_text",
    "mamba", "mamba2", "qwen2", "qwen3", "qwen3_next", "recurrent_gemma", "smollm3",
]  # fmt: skip
BY_TYPES = ["gpt_oss", "granitemoehybrid", "lfm2", "olmo3", "qwen3_5_text"]


@pytest.mark.parametrize("model_type", BY_OTHER_FIELDS)
def test_layers_by_other_fields(model_type: str) -> None:
    config = AutoConfig.for_model(model_type)
    fields = {
        key: value
        for key, value in config.to_dict().items()
        if key not in {"layer_types", "layers_block_type"}
    }
    assert layer_kinds(read_config(fields)) == [NAMES[one] for one in config.layer_types]


@pytest.mark.parametrize("model_type", BY_TYPES)
def test_layers_by_their_types(model_type: str) -> None:
    config = AutoConfig.for_model(model_type)
    assert layer_kinds(read_config(config.to_dict())) == [NAMES[one] for one in config.layer_types]


@pytest.mark.parametrize(
    ("model_type", "name", "value"),
    [
        (model_type, name, value)
        for model_type, fields in DOCUMENTED.items()
        for name, value in fields.items()
        # Patterns are no attributes; the layers that they give are compared above.
        if name not in {"sliding_window_pattern", "full_attention_interval"}
    ],
)
def test_what_is_said_to_be_documented_is(model_type: str, name: str, value: int) -> None:
    assert getattr(AutoConfig.for_model(model_type), name) == value
