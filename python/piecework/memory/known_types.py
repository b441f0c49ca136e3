"""The types of models whose layers are known to be what their configs' fields say, and nothing besides."""

from __future__ import annotations

from typing import Final

__all__ = ["ENCODER_TYPES", "KNOWN_TYPES"]

KNOWN_TYPES: Final = frozenset(
    {
        "bamba",
        "bloom",
        "codegen",
        "cohere",
        "cohere2",
        "deepseek_v2",
        "deepseek_v3",
        "deepseek_v32",
        "exaone4",
        "falcon",
        "falcon_h1",
        "falcon_mamba",
        "gemma",
        "gemma2",
        "gemma3_text",
        "gemma3n_text",
        "glm",
        "glm4",
        "glm4_moe",
        "gpt2",
        "gpt_bigcode",
        "gpt_neox",
        "gpt_oss",
        "gptj",
        "granite",
        "granitemoe",
        "granitemoehybrid",
        "jamba",
        "kimi_k2",
        "kimi_linear",
        "lfm2",
        "lfm2_moe",
        "llama",
        "llama4_text",
        "mamba",
        "mamba2",
        "minimax",
        "mistral",
        "mixtral",
        "mpt",
        "nemotron",
        "nemotron_h",
        "olmo",
        "olmo2",
        "olmo3",
        "olmoe",
        "opt",
        "phi",
        "phi3",
        "phimoe",
        "qwen2",
        "qwen2_moe",
        "qwen3",
        "qwen3_moe",
        "qwen3_next",
        "qwen3_5_text",
        "qwen2_vl_text",
        "qwen2_5_vl_text",
        "qwen3_vl_text",
        "recurrent_gemma",
        "smollm3",
        "stablelm",
        "starcoder2",
    }
)
"""Models that generate text. Of any other type, the fields alone are read, and the result is an estimate."""

ENCODER_TYPES: Final = frozenset(
    {
        "albert",
        "bert",
        "camembert",
        "deberta",
        "deberta-v2",
        "distilbert",
        "electra",
        "modernbert",
        "mpnet",
        "nomic_bert",
        "roberta",
        "xlm-roberta",
    }
)
"""Models that read a text at once and keep no cache."""
