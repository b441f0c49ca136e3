"""`pw.memory`: each architecture by a calculation on paper, what engines reserve, and configs that do not say enough."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework.errors import FormatError, InputError, LoadError
from piecework.memory.engines import ENGINES

CONFIGS = Path(__file__).resolve().parents[2] / "examples" / "configs"

QWEN3_8B = CONFIGS / "qwen3-8b.json"
MHA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
}
GQA: dict[str, Any] = {**MHA, "num_key_value_heads": 8}
GPT2: dict[str, Any] = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257}
FALCON: dict[str, Any] = {
    "model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "multi_query": True,
    "new_decoder_architecture": False,
}  # fmt: skip
MISTRAL: dict[str, Any] = {**GQA, "model_type": "mistral", "sliding_window": 4096}
GEMMA2: dict[str, Any] = {
    "model_type": "gemma2", "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256,
    "sliding_window": 4096,
}  # fmt: skip
GEMMA3N: dict[str, Any] = {
    "model_type": "gemma3n",
    "text_config": {"model_type": "gemma3n_text", "num_hidden_layers": 35, "num_key_value_heads": 2, "head_dim": 256,
                    "sliding_window": 512, "num_kv_shared_layers": 15, "sliding_window_pattern": 5},
}  # fmt: skip
LLAMA4: dict[str, Any] = {
    "model_type": "llama4_text", "num_hidden_layers": 48, "num_key_value_heads": 8, "head_dim": 128,
    "attention_chunk_size": 8192, "no_rope_layer_interval": 4,
}  # fmt: skip
JAMBA: dict[str, Any] = {
    "model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "attn_layer_period": 8, "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4,
    "mamba_expand": 2,
}  # fmt: skip
FALCON_H1: dict[str, Any] = {
    "model_type": "falcon_h1", "hidden_size": 1024, "num_hidden_layers": 36, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 64, "mamba_d_ssm": 1536, "mamba_n_heads": 24, "mamba_d_head": 64,
    "mamba_n_groups": 1, "mamba_d_state": 128, "mamba_d_conv": 4, "mamba_expand": 2,
}  # fmt: skip
NEMOTRON_H: dict[str, Any] = {
    "model_type": "nemotron_h", "hidden_size": 4096, "num_hidden_layers": 4, "hybrid_override_pattern": "M-M*",
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "mamba_num_heads": 128, "mamba_head_dim": 64,
    "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4, "mamba_ssm_cache_dtype": "float32",
}  # fmt: skip
KIMI: dict[str, Any] = {
    "model_type": "kimi_linear", "hidden_size": 2304, "num_hidden_layers": 4, "kv_lora_rank": 512, "qk_rope_head_dim": 64,
    "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 32, "head_dim": 128,
                           "short_conv_kernel_size": 4},
}  # fmt: skip
LFM2: dict[str, Any] = {
    "model_type": "lfm2", "hidden_size": 2048, "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 8,
    "full_attn_idxs": [2], "conv_L_cache": 3,
}  # fmt: skip


def fp16(config: object, n_tokens: int, **options: Any) -> pw.memory.KvCache:
    return pw.memory.kv_cache(config, n_tokens=n_tokens, dtype="fp16", **options)  # type: ignore[arg-type]


# --- tables -----------------------------------------------------------------------------------------------------------


def test_the_table_of_the_worked_case() -> None:
    table = pw.memory.embedding(32_000, d_model=4_096, dtype="fp16")
    assert (table.n_parameters, table.table_bytes, table.table_bytes / 2**20) == (
        131_072_000,
        262_144_000,
        250,
    )
    assert table.matrix(10) == ((10, 4096), 81_920)
    assert "250.0 MiB" in str(table)


def test_gpt2_has_38_6_million_parameters_in_its_table() -> None:
    table = pw.memory.embedding(50_257, d_model=768)
    assert round(table.n_parameters / 1e6, 1) == 38.6


def test_tables_that_are_not_tied_are_two() -> None:
    assert pw.memory.embedding(10, d_model=4, dtype="float32", tied=False).total_bytes == 320
    assert pw.memory.embedding(10, d_model=4, dtype="float32").total_bytes == 160
    assert pw.memory.embedding(10, d_model=32, dtype="q4_0").table_bytes == 180


# --- the worked case --------------------------------------------------------------------------------------------------


def test_qwen3_8b_takes_147456_bytes_a_token() -> None:
    cache = fp16(QWEN3_8B, 20_000)
    assert cache.token_bytes == 36 * 2 * 8 * 128 * 2 == 147_456
    assert (cache.n_bytes, cache.basis) == (2_949_120_000, "exact")
    assert round(cache.n_bytes / 1e9, 2) == 2.95
    assert round(fp16(QWEN3_8B, 35_700).n_bytes / 1e9, 1) == 5.3
    assert "2.95 GB" in str(cache)


# --- by architecture --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "n_tokens", "n_bytes"),
    [
        # Every head its own: 32 layers x 2 x 32 x 128 x 2 bytes = 524,288 a token.
        pytest.param(MHA, 4096, 4096 * 524_288, id="multi-head"),
        pytest.param(GPT2, 1000, 1000 * 12 * 2 * 768 * 2, id="gpt2"),
        pytest.param(GQA, 4096, 4096 * 131_072, id="grouped-query"),
        # One head of 4544 / 71 = 64 for all: 32 x 2 x 64 x 2 = 8,192.
        pytest.param(FALCON, 2048, 2048 * 8192, id="multi-query"),
        pytest.param(MISTRAL, 10_000, 4096 * 131_072, id="window everywhere"),
        pytest.param(MISTRAL, 1000, 1000 * 131_072, id="window not full"),
        # 21 layers of each kind, 2 x 8 x 256 x 2 = 8,192 bytes a token and layer.
        pytest.param(GEMMA2, 8192, 21 * 8192 * 8192 + 21 * 4096 * 8192, id="gemma 2"),
        # 62 layers, each sixth sees all: 10, and 52 see 1,024; 2 x 16 x 128 x 2 = 8,192.
        pytest.param(CONFIGS / "gemma-3-27b.json", 32_768, 2_684_354_560 + 436_207_616, id="gemma 3"),
        # The last 15 of 35 share; of the first 20, each fifth sees all: 4, and 16 see 512; 2 x 2 x 256 x 2 = 2,048.
        pytest.param(GEMMA3N, 4096, 4 * 4096 * 2048 + 16 * 512 * 2048, id="gemma 3n"),
        pytest.param(CONFIGS / "gpt-oss-20b.json", 1000, 12 * 1000 * 2048 + 12 * 128 * 2048, id="gpt-oss"),
        pytest.param(LLAMA4, 10_000, 12 * 10_000 * 4096 + 36 * 8192 * 4096, id="chunks"),
        # 512 + 64 values for all heads, 61 layers: 70,272 bytes a token.
        pytest.param(CONFIGS / "deepseek-v3.json", 1000, 70_272_000, id="latent"),
        # 12 layers x 2 x 2 x 256 x 2 = 24,576 a token; 36 states of 8,192 x 3 + 32 x 128 x 128 values.
        pytest.param(CONFIGS / "qwen3-next-80b.json", 1000, 24_576_000 + 39_518_208, id="gated delta net"),
        # 4 layers x 4,096 a token; 28 states of 8,192 x 3 + 8,192 x 16 values.
        pytest.param(JAMBA, 1000, 16_384_000 + 8_716_288, id="mamba"),
        # Each of 36 layers has both: 512 a token; (1,536 + 2 x 128) x 3 + 24 x 64 x 128 values.
        pytest.param(FALCON_H1, 1000, 18_432_000 + 14_542_848, id="mamba 2 and attention"),
        # One layer x 4,096 a token; two states of (8,192 + 2 x 8 x 128) x 3 values and 8,192 x 128 of four bytes.
        pytest.param(NEMOTRON_H, 1000, 4_096_000 + 2 * (30_720 * 2 + 1_048_576 * 4), id="letters"),
        # One latent layer of 1,152 a token; three states of 3 x 4,096 x 3 + 32 x 128 x 128 values.
        pytest.param(KIMI, 1000, 1_152_000 + 3 * (36_864 + 524_288) * 2, id="kimi"),
        # One layer of 2 x 8 x 64 x 2 = 2,048 a token; three convolutions of 2,048 x 2 values.
        pytest.param(LFM2, 1000, 2_048_000 + 3 * 4096 * 2, id="convolutions"),
    ],
)
def test_what_an_architecture_needs(config: object, n_tokens: int, n_bytes: int) -> None:
    cache = fp16(config, n_tokens)
    assert (cache.n_bytes, cache.basis) == (n_bytes, "exact")
    assert sum(group.sequence_bytes for group in cache.groups) == n_bytes
    assert fp16(config, n_tokens, batch=3).n_bytes == 3 * n_bytes


def test_full_windows_take_no_more() -> None:
    gemma = CONFIGS / "gemma-3-27b.json"
    assert fp16(gemma, 100).next_token_bytes == 62 * 8192
    assert fp16(gemma, 2000).next_token_bytes == 10 * 8192
    assert fp16(gemma, 2001).n_bytes - fp16(gemma, 2000).n_bytes == 10 * 8192


def test_states_do_not_grow() -> None:
    cache = fp16(CONFIGS / "qwen3-next-80b.json", 0)
    assert (cache.n_bytes, cache.state_bytes, cache.token_bytes) == (39_518_208, 39_518_208, 24_576)


def test_a_window_that_is_switched_off_is_none() -> None:
    config = {
        **GQA,
        "model_type": "qwen2",
        "sliding_window": 100,
        "use_sliding_window": False,
        "max_window_layers": 4,
    }
    assert fp16(config, 1000).n_bytes == 1000 * 131_072
    on = {**config, "use_sliding_window": True}
    assert fp16(on, 1000).n_bytes == 4 * 1000 * 4096 + 28 * 100 * 4096


def test_heads_may_differ_by_layer() -> None:
    config = {"model_type": "x", "num_hidden_layers": 2, "num_key_value_heads": [1, 3], "head_dim": 8}
    cache = fp16(config, 10)
    assert (cache.n_bytes, cache.basis) == (10 * (1 + 3) * 2 * 8 * 2, "estimate")
    assert "not known" in cache.notes[-1]


def test_minimax_keeps_a_matrix_for_each_head() -> None:
    config = {**GQA, "model_type": "minimax", "num_hidden_layers": 4, "attn_type_list": [0, 0, 0, 1]}
    assert fp16(config, 10).n_bytes == 10 * 4096 + 3 * 32 * 128 * 128 * 2


def test_sparse_attention_keeps_the_keys_of_its_index() -> None:
    config = json.loads((CONFIGS / "deepseek-v3.json").read_text("utf-8"))
    config |= {"model_type": "deepseek_v32", "index_head_dim": 128}
    assert fp16(config, 1).n_bytes == 61 * (576 + 128) * 2


# --- number formats ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "token_bytes", "basis"),
    [
        ("fp32", 294_912, "exact"),
        ("bf16", 147_456, "exact"),
        ("torch.bfloat16", 147_456, "exact"),
        ("fp8", 73_728, "calibrated"),
        # 36 x 2 x 8 vectors of 128 values, with 4 bytes of scale and zero point each.
        ("int8", 576 * 132, "calibrated"),
        ("int4", 576 * 68, "calibrated"),
        # Four blocks of 32 for 128 values: a 16-bit scale each (and a minimum for _1), fifth bits, and the values.
        ("q8_0", 576 * 4 * (2 + 32), "calibrated"),
        ("q5_1", 576 * 4 * (4 + 4 + 16), "calibrated"),
        ("q5_0", 576 * 4 * (2 + 4 + 16), "calibrated"),
        ("q4_1", 576 * 4 * (4 + 16), "calibrated"),
        ("q4_0", 576 * 4 * (2 + 16), "calibrated"),
        ("iq4_nl", 576 * 4 * (2 + 16), "calibrated"),
    ],
)
def test_number_formats(dtype: str, token_bytes: int, basis: str) -> None:
    cache = pw.memory.kv_cache(QWEN3_8B, n_tokens=1, dtype=dtype)
    assert (cache.token_bytes, cache.basis) == (token_bytes, basis)
    assert (cache.scales is None) == (basis == "exact")


def test_the_config_may_name_the_format_and_says_so() -> None:
    cache = pw.memory.kv_cache(QWEN3_8B, n_tokens=1)
    assert (cache.dtype, cache.notes[-1]) == ("bfloat16", "dtype of the config: bfloat16")


def test_states_need_a_format_of_their_own_beside_integers() -> None:
    with pytest.raises(ValueError, match="state_dtype="):
        pw.memory.kv_cache(JAMBA, n_tokens=1, dtype="int8")
    cache = pw.memory.kv_cache(JAMBA, n_tokens=0, dtype="fp16", state_dtype="fp32")
    assert cache.state_bytes == 28 * (24_576 * 2 + 131_072 * 4)


# --- engines ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "n_tokens", "engine", "n_bytes"),
    [
        pytest.param(QWEN3_8B, 20_001, "vllm", 1251 * 16 * 147_456, id="vllm pages"),
        pytest.param(QWEN3_8B, 1, "vllm", 16 * 147_456, id="vllm one token"),
        # Groups of 12 layers: 63 pages for all tokens, 63 - 54 for the window of 128; a page of 16 x 2,048 x 12.
        pytest.param(CONFIGS / "gpt-oss-20b.json", 1000, "vllm", 72 * 16 * 2048 * 12, id="vllm windows"),
        # Groups of 10: one of all tokens with 63 pages, six of windows that are not full, eight layers of them padding.
        pytest.param(CONFIGS / "gemma-3-27b.json", 1000, "vllm", 7 * 63 * 16 * 8192 * 10, id="vllm padding"),
        # A state of 1,097,728 bytes needs pages of 544 tokens x 2,048: 19 for 10,000 tokens and one for each of 3 groups.
        pytest.param(CONFIGS / "qwen3-next-80b.json", 10_000, "vllm", 22 * 544 * 2048 * 12, id="vllm states"),
        pytest.param(QWEN3_8B, 20_000, "llama.cpp", 20_224 * 147_456, id="llama.cpp padding"),
        # 20,224 cells for 10 layers; 1,024 + 512 for 52.
        pytest.param(
            CONFIGS / "gemma-3-27b.json",
            20_000,
            "llama.cpp",
            (10 * 20_224 + 52 * 1536) * 8192,
            id="llama.cpp windows",
        ),
        pytest.param(JAMBA, 256, "llama.cpp", 256 * 16_384 + 28 * 155_648 * 4, id="llama.cpp states"),
        pytest.param(QWEN3_8B, 20_001, "sglang", 20_001 * 147_456, id="sglang"),
        pytest.param(QWEN3_8B, 20_001, "tensorrt-llm", 20_032 * 147_456, id="tensorrt-llm"),
        pytest.param(QWEN3_8B, 20_001, "tgi", 20_001 * 147_456, id="tgi"),
        # One latent vector and no values of their own: 70,272 bytes a token.
        pytest.param(CONFIGS / "deepseek-v3.json", 1000, "llama.cpp", 1024 * 70_272, id="llama.cpp latent"),
    ],
)
def test_what_an_engine_reserves(config: object, n_tokens: int, engine: str, n_bytes: int) -> None:
    cache = fp16(config, n_tokens, engine=engine)
    assert cache.reserved is not None
    assert (cache.reserved.n_bytes, cache.reserved.basis) == (n_bytes, "calibrated")
    assert cache.reserved.n_bytes >= cache.n_bytes
    assert cache.reserved.source
    assert cache.reserved.date
    twice = fp16(config, n_tokens, engine=engine, batch=2).reserved
    assert twice is not None
    assert twice.n_bytes == 2 * n_bytes


def test_pages_of_another_size() -> None:
    reserved = fp16(QWEN3_8B, 100, engine="vllm", page_tokens=64).reserved
    alone = fp16(QWEN3_8B, 100, page_tokens=64).reserved
    assert reserved is not None
    assert alone is not None
    assert reserved.n_bytes == alone.n_bytes == 128 * 147_456
    assert reserved.rule.endswith("; here pages of 64")
    assert (alone.engine, alone.source) == ("pages", None)
    assert fp16(QWEN3_8B, 100).reserved is None


def test_pages_grow_to_a_state_in_steps_of_the_page_that_is_asked_for() -> None:
    # 1,097,728 bytes of state in steps of 64 tokens x 2,048 bytes are 9 steps, 576 tokens: 18 pages and one for each of
    # three groups of states, each for 12 layers.
    reserved = fp16(CONFIGS / "qwen3-next-80b.json", 10_000, engine="vllm", page_tokens=64).reserved
    assert reserved is not None
    assert reserved.n_bytes == (18 + 3) * 576 * 2048 * 12


@pytest.mark.parametrize(
    ("config", "engine", "why"),
    [
        # FlashMLA takes pages of 64, CUTLASS of 128, TensorRT-LLM's kernels of 32 or 64.
        *((CONFIGS / "deepseek-v3.json", one, "latent attention") for one in ("vllm", "sglang", "tensorrt-llm", "tgi")),
        # flashinfer takes heads of 64, 128 and 256; what stands in for it depends on the GPU. So it does for Falcon.
        ({**GQA, "head_dim": 96}, "tgi", "heads of 96 values"),
        (FALCON, "tgi", "falcon"),
    ],
)  # fmt: skip
def test_where_the_size_of_a_page_depends_on_the_gpu_it_must_be_given(
    config: object, engine: str, why: str
) -> None:
    with pytest.raises(ValueError, match=f"{engine} depend on the GPU for {why}: give page_tokens="):
        fp16(config, 100, engine=engine)
    cache = fp16(config, 100, engine=engine, page_tokens=64)
    assert cache.reserved is not None
    assert cache.reserved.n_bytes == 128 * cache.token_bytes


def test_an_engine_without_a_rule_refuses() -> None:
    with pytest.raises(ValueError, match="window in sglang"):
        fp16(GEMMA2, 10, engine="sglang")
    with pytest.raises(ValueError, match="recurrent layers in tgi"):
        fp16(JAMBA, 10, engine="tgi")
    with pytest.raises(ValueError, match="not of q8_0"):
        pw.memory.kv_cache(QWEN3_8B, n_tokens=1, dtype="q8_0", engine="vllm")
    with pytest.raises(
        ValueError, match=r"engine= takes one of .* not 'nano'; of another, page_tokens= alone"
    ):
        fp16(QWEN3_8B, 10, engine="nano")
    with pytest.raises(ValueError, match="states beside latent attention in vllm"):
        fp16(KIMI, 10, engine="vllm", page_tokens=64)
    with pytest.raises(ValueError, match="several kinds and sizes in vllm"):
        fp16({**GEMMA2, "num_key_value_heads": [8, 4] * 21}, 10, engine="vllm")
    sparse = json.loads((CONFIGS / "deepseek-v3.json").read_text("utf-8")) | {"index_head_dim": 128}
    with pytest.raises(ValueError, match=r"index of sparse attention in llama\.cpp"):
        fp16(sparse, 10, engine="llama.cpp")
    with pytest.raises(ValueError, match=r"llama\.cpp refuses q8_0: its blocks do not divide a head of 80"):
        pw.memory.kv_cache({**GQA, "head_dim": 80}, n_tokens=1, dtype="q8_0", engine="llama.cpp")


def test_a_rule_says_where_and_when_it_was_read() -> None:
    for engine in ENGINES.values():
        assert re.search(r"\([0-9a-f]{8}\)|^https://", engine.source)
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", engine.date)
    text = str(fp16(QWEN3_8B, 10, engine="tensorrt-llm"))
    assert text.endswith("reference/KvCacheConfig.html, read 2026-11-30")


# --- configs that do not say enough -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "place"),
    [
        ({}, "num_hidden_layers"),
        ({**GQA, "num_key_value_heads": None, "model_type": "qwen3"}, "num_key_value_heads"),
        ({"model_type": "x", "num_hidden_layers": 2, "num_key_value_heads": 2}, "hidden_size"),
        ({**GQA, "hidden_size": 4097}, "head_dim"),
        ({**GQA, "model_type": "x", "sliding_window": 10}, "layer_types"),
        ({**GQA, "model_type": "qwen2", "sliding_window": 10}, "use_sliding_window"),
        ({**GQA, "mamba_d_state": 16}, "layer_types"),
        ({**GQA, "layer_types": ["full_attention"]}, "layer_types"),
        ({**GQA, "layer_types": ["sparse_hash"] * 32}, "layer_types"),
        ({**GQA, "layer_types": ["linear_attention"] * 32}, "linear_num_value_heads"),
        ({**GQA, "layer_types": "full_attention"}, "layer_types"),
        ({**GQA, "model_type": "minimax"}, "layer_types"),
        ({**GQA, "layer_types": ["sliding_attention"] * 32}, "sliding_window"),
        ({**GQA, "kv_lora_rank": 512}, "qk_rope_head_dim"),
        ({**JAMBA, "attn_layer_offset": None}, "attn_layer_offset"),
        ({**JAMBA, "mamba_expand": None}, "mamba_expand"),
        ({**FALCON, "multi_query": None}, "multi_query"),
        ({**GQA, "num_hidden_layers": "32"}, "num_hidden_layers"),
        ({**GQA, "num_hidden_layers": 0}, "num_hidden_layers"),
        ({**GQA, "num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({**GQA, "num_hidden_layers": True}, "num_hidden_layers"),
        ({**GQA, "num_key_value_heads": [8]}, "num_key_value_heads"),
        ({**GQA, "num_key_value_heads": -8}, "num_key_value_heads"),
        ({**GQA, "num_kv_shared_layers": 32}, "num_kv_shared_layers"),
        ({**GQA, "is_encoder_decoder": True}, "is_encoder_decoder"),
        ({**MHA, "model_type": "bert"}, "model_type"),
        ({**GQA, "block_configs": [{}]}, "block_configs"),
        ({**NEMOTRON_H, "hybrid_override_pattern": "MX"}, "hybrid_override_pattern"),
        ({**KIMI, "linear_attn_config": {"full_attn_layers": [9]}}, "linear_attn_config"),
        ({**LFM2, "full_attn_idxs": 7}, "full_attn_idxs"),
    ],
)
def test_the_error_names_the_field(config: dict[str, Any], place: str) -> None:
    with pytest.raises(FormatError) as caught:
        fp16(config, 10)
    assert caught.value.place == place
    assert place in caught.value.message


def test_without_a_number_format() -> None:
    with pytest.raises(FormatError, match="dtype"):
        pw.memory.kv_cache(GQA, n_tokens=1)
    with pytest.raises(FormatError, match="dtype"):
        pw.memory.kv_cache({**GQA, "torch_dtype": "float7"}, n_tokens=1)


def test_what_is_taken_from_documentation_is_said() -> None:
    notes = fp16(MHA, 1).notes
    assert notes == (
        "num_key_value_heads is absent: each of the 32 heads of llama has its own",
        "head_dim is absent: 4096 / 32 = 128",
    )


def test_files_that_are_no_config(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        fp16(tmp_path, 1)
    path = tmp_path / "config.json"
    for content in (b"", b"[1]", b"\xff", b"{", b"[" * 100_000, b'{"num_hidden_layers": 1e999}', b"3"):
        path.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            fp16(tmp_path, 1)
        assert caught.value.path == str(path)
    with path.open("wb") as stream:
        stream.truncate(17 << 20)
    with pytest.raises(LoadError, match="larger"):
        fp16(path, 1)


def test_arguments() -> None:
    for bad in (-1, 1.5, True, "1"):
        with pytest.raises((TypeError, ValueError)):
            fp16(QWEN3_8B, bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch="):
        fp16(QWEN3_8B, 1, batch=0)
    with pytest.raises(ValueError, match="no dtype 'fp17'"):
        pw.memory.kv_cache(QWEN3_8B, n_tokens=1, dtype="fp17")
    with pytest.raises(TypeError, match="a path or a dict"):
        fp16(7, 1)
    with pytest.raises(ValueError, match="d_model="):
        pw.memory.embedding(5, d_model=0)


def test_results_are_data() -> None:
    cache = fp16(CONFIGS / "gemma-3-27b.json", 5000, engine="vllm")
    assert pickle.loads(pickle.dumps(cache)) == cache
    assert json.loads(json.dumps(cache.to_dict()))["reserved"]["engine"] == "vllm"
    assert "<pre>" in cache._repr_html_()


def test_a_file_that_never_ends_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^/dev/zero is larger than any config \(16,777,216 bytes\)$"):
        pw.memory.kv_cache("/dev/zero", n_tokens=5)


@pytest.mark.parametrize("name", ["n_tokens", "batch", "page_tokens"])
def test_a_number_beyond_all_memory_is_refused(name: str) -> None:
    for number, words in (
        (10**400, "is at most 10"),
        (10**5000, "is at most 10"),
        (-(10**5000), "is at least "),
    ):
        given: dict[str, Any] = {"n_tokens": 5, "dtype": "float16"}
        with pytest.raises(ValueError, match=f"{name}= {words}"):
            pw.memory.kv_cache(GQA, **{**given, name: number})
