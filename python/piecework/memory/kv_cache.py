"""What the KV cache of a model takes: by its architecture, and as an engine reserves it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from piecework.memory.architecture import read_architecture
from piecework.memory.config import read_config
from piecework.memory.dtypes import read_dtype
from piecework.memory.engines import default_page, engine_named
from piecework.memory.reserving import Load, paged
from piecework.memory.sizes import check_whole, decimal

if TYPE_CHECKING:
    from piecework._types import Basis
    from piecework.memory.architecture import Architecture
    from piecework.memory.config import Config, ConfigSource
    from piecework.memory.dtypes import DType
    from piecework.memory.engines import EngineName
    from piecework.memory.layers import Attention

__all__ = ["KvCache", "KvGroup", "Reserved", "kv_cache"]


@dataclass(frozen=True, slots=True)
class KvGroup:
    """Layers that keep the same.

    Attributes:
        name: What they are, such as `grouped-query attention, window 4,096`.
        n_layers: How many.
        token_bytes: Bytes that a token takes in one of them; 0 for a state.
        n_held: Tokens of a sequence that each of them keeps; None for a state.
        sequence_bytes: Bytes of one sequence in all of them.
    """

    name: str
    n_layers: int
    token_bytes: int
    n_held: int | None
    sequence_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Reserved:
    """What an engine reserves.

    Attributes:
        engine: Its name; `pages` where only the size of a page was given.
        page_tokens: Tokens of a page, before an engine makes it larger.
        n_bytes: Bytes for all sequences.
        rule: The rule in words.
        source: Where the rule stands; None for pages alone.
        date: When it was read; None for pages alone.
        basis: `"calibrated"`: a documented rule with the engine's defaults.
    """

    engine: str
    page_tokens: int
    n_bytes: int
    rule: str
    source: str | None
    date: str | None
    basis: Basis

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class KvCache:
    """What a KV cache takes.

    Attributes:
        model_type: The model's type, as its config names it.
        n_tokens: Tokens of each sequence, prompt and answer together.
        batch: Sequences.
        dtype: The number format of keys and values.
        state_dtype: That of recurrent states; None for a model without.
        token_bytes: Bytes that one more token takes, while no window is full.
        next_token_bytes: Bytes that one more token takes now: layers with a full window take none.
        state_bytes: Bytes of the recurrent states of one sequence, which do not grow.
        sequence_bytes: Bytes of one sequence.
        n_bytes: Bytes of all sequences: what the architecture needs.
        basis: `"exact"` where type and number format say all, `"calibrated"` where scales are counted by a rule,
            `"estimate"` where the model's type is not known and its fields alone were read.
        groups: The layers, by what they keep.
        n_sharing: Layers that use the keys and values of another layer, and keep none.
        scales: What is counted for scales, in words; None where there are none.
        reserved: What an engine reserves; None where none was named.
        notes: What was taken from elsewhere than a field of its own.
    """

    model_type: str
    n_tokens: int
    batch: int
    dtype: str
    state_dtype: str | None
    token_bytes: int
    next_token_bytes: int
    state_bytes: int
    sequence_bytes: int
    n_bytes: int
    basis: Basis
    groups: tuple[KvGroup, ...]
    n_sharing: int
    scales: str | None
    reserved: Reserved | None
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it as JSON can hold it."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        plain["groups"] = [group.to_dict() for group in self.groups]
        plain["reserved"] = None if self.reserved is None else self.reserved.to_dict()
        plain["notes"] = list(self.notes)
        return plain

    def __str__(self) -> str:
        sequences = "1 sequence" if self.batch == 1 else f"{self.batch:,} sequences"
        lines = [f"{self.n_tokens:,} tokens × {sequences} in {self.dtype}"]
        lines += [_group_line(group) for group in self.groups]
        if self.n_sharing:
            lines.append(f"{self.n_sharing:>4} layers   share those of others")
        lines.append(f"a token    {self.token_bytes:,} bytes")
        if self.next_token_bytes != self.token_bytes:
            lines.append(f"the next   {self.next_token_bytes:,} bytes: windows are full")
        if self.state_bytes:
            lines.append(f"states     {decimal(self.state_bytes)} a sequence in {self.state_dtype}")
        lines.append(f"needed     {decimal(self.n_bytes)} ({self.n_bytes:,} bytes), {self.basis}")
        if self.reserved is not None:
            lines += _reserved_lines(self.reserved, self.n_bytes)
        if self.scales is not None:
            lines.append(f"scales     {self.scales}")
        return "\n".join([*lines, *(f"note       {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def kv_cache(
    config: ConfigSource,
    *,
    n_tokens: int,
    batch: int = 1,
    dtype: str | None = None,
    state_dtype: str | None = None,
    engine: EngineName | None = None,
    page_tokens: int | None = None,
) -> KvCache:
    """Returns what the KV cache of a model takes.

    Args:
        config: The model's config.json, a folder that holds one, or its content as a dict.
        n_tokens: Tokens of each sequence, prompt and answer together.
        batch: Sequences that are held at once.
        dtype: The number format of keys and values, such as `"fp16"`, `"fp8"`, `"int4"` or `"q8_0"`; None for that which the
            config names for its weights.
        state_dtype: The number format of recurrent states; None for that which the config names for them, else `dtype` if
            it is a float of 16 bits or more.
        engine: Whose pages to reserve: `"vllm"`, `"llama.cpp"`, `"sglang"`, `"tensorrt-llm"` or `"tgi"`; None for no engine.
        page_tokens: Tokens of a page, in place of the engine's; without an engine, pages for each layer.

    Returns:
        A `KvCache`. `n_bytes` is what the architecture needs; `reserved` what an engine's pages take, None where neither
        `engine` nor `page_tokens` is given.

    Raises:
        InputError: The config cannot be read.
        FormatError: It does not say what is needed; the error names the field.
        TypeError: An argument is of another type.
        ValueError: A number is below 1, a name is unknown, or the engine has no rule for such layers, or for the size of its
            pages for them.

    Examples:
        >>> import piecework as pw
        >>> qwen3_8b = {"model_type": "qwen3", "num_hidden_layers": 36, "num_key_value_heads": 8, "head_dim": 128}
        >>> cache = pw.memory.kv_cache(qwen3_8b, n_tokens=20_000, dtype="fp16", engine="vllm")
        >>> cache.token_bytes, cache.n_bytes, cache.basis
        (147456, 2949120000, 'exact')
        >>> cache.reserved.n_bytes, cache.reserved.basis
        (2949120000, 'calibrated')

    Complexity: O(layers).
    """
    check_whole("n_tokens", n_tokens, least=0)
    check_whole("batch", batch, least=1)
    if page_tokens is not None:
        check_whole("page_tokens", page_tokens, least=1)
    read = read_config(config)
    architecture = read_architecture(read)
    known = _dtype(read, dtype)
    known_state = _state_dtype(read, known, state_dtype) if architecture.states else known
    load = Load(n_tokens, batch, known, known_state)
    groups = _groups(architecture, load)
    sequence_bytes = sum(group.sequence_bytes for group in groups)
    layers = architecture.attentions
    return KvCache(
        model_type=read.model_type,
        n_tokens=n_tokens,
        batch=batch,
        dtype=known.name,
        state_dtype=known_state.name if architecture.states else None,
        token_bytes=sum(layer.token_bytes(known) * n for layer, n in layers),
        next_token_bytes=sum(layer.token_bytes(known) * n for layer, n in layers if _grows(layer, n_tokens)),
        state_bytes=sum(one.sequence_bytes(known, known_state) * n for one, n in architecture.states),
        sequence_bytes=sequence_bytes,
        n_bytes=sequence_bytes * batch,
        basis=_basis(architecture, known),
        groups=groups,
        n_sharing=architecture.n_sharing,
        scales=known.scales,
        reserved=_reserved(read, architecture, load, engine, page_tokens),
        notes=tuple(read.notes),
    )


def _basis(architecture: Architecture, dtype: DType) -> Basis:
    if not architecture.is_known:
        return "estimate"
    return "exact" if dtype.scales is None else "calibrated"


def _grows(layer: Attention, n_tokens: int) -> bool:
    return layer.window is None or n_tokens < layer.window


def _dtype(config: Config, name: str | None) -> DType:
    if name is not None:
        return read_dtype(name)
    field = "dtype" if config.has("dtype") else "torch_dtype"
    stated = config.raw(field)
    if stated is None:
        raise config.missing("dtype", "it names no number format; give dtype=")
    try:
        found = read_dtype(stated)
    except (TypeError, ValueError) as error:
        raise config.wrong(field, str(error)) from None
    config.notes.append(f"{field} of the config: {found.name}")
    return found


def _state_dtype(config: Config, dtype: DType, name: str | None) -> DType:
    if name is not None:
        return read_dtype(name)
    for field in ("mamba_ssm_dtype", "mamba_ssm_cache_dtype"):
        if config.has(field):
            try:
                return read_dtype(config.raw(field))
            except (TypeError, ValueError) as error:
                raise config.wrong(field, str(error)) from None
    if not dtype.is_float:
        raise ValueError(
            f"recurrent states are not kept in {dtype.name}; give state_dtype=, such as 'float32'"
        )
    config.notes.append(
        f"the config names no format for recurrent states: {dtype.name}, as the cache (state_dtype=)"
    )
    return dtype


def _groups(architecture: Architecture, load: Load) -> tuple[KvGroup, ...]:
    groups = []
    for layer, n in architecture.attentions:
        token_bytes, n_held = layer.token_bytes(load.dtype), layer.n_held(load.n_tokens)
        groups.append(KvGroup(_name(layer), n, token_bytes, n_held, token_bytes * n_held * n))
    for state, n in architecture.states:
        groups.append(KvGroup(state.name, n, 0, None, state.sequence_bytes(load.dtype, load.state_dtype) * n))
    return tuple(groups)


def _name(layer: Attention) -> str:
    if layer.is_latent:
        index = f" + {layer.index_dim} of an index" if layer.index_dim else ""
        heads = f"latent attention, {layer.k_dim} values{index}"
    else:
        values = f"{layer.k_dim}" if layer.k_dim == layer.v_dim else f"{layer.k_dim} + {layer.v_dim}"
        heads = (
            f"attention, {layer.n_heads} key-value {'head' if layer.n_heads == 1 else 'heads'} of {values}"
        )
    if layer.window is None:
        return heads
    return f"{heads}, {'chunk' if layer.kind == 'chunked' else 'window'} {layer.window:,}"


def _group_line(group: KvGroup) -> str:
    held = "" if group.n_held is None else f"; {group.n_held:,} tokens × {group.token_bytes:,} bytes"
    return f"{group.n_layers:>4} layers   {group.name}{held}: {decimal(group.sequence_bytes)}"


def _reserved(
    config: Config, architecture: Architecture, load: Load, name: str | None, page_tokens: int | None
) -> Reserved | None:
    if name is None:
        if page_tokens is None:
            return None

        n_bytes = paged(architecture, load, page_tokens)
        return Reserved("pages", page_tokens, n_bytes, "pages for each layer", None, None, "calibrated")
    engine = engine_named(name, architecture, load.dtype)
    page = page_tokens or default_page(engine, architecture, config.model_type)
    n_bytes = engine.reserve(architecture, load, page)
    rule = engine.rule if page == engine.page_tokens else f"{engine.rule}; here pages of {page:,}"
    return Reserved(name, page, n_bytes, rule, engine.source, engine.date, "calibrated")


def _reserved_lines(reserved: Reserved, needed: int) -> list[str]:
    more = f", {reserved.n_bytes / needed - 1:+.1%}" if needed else ""
    lines = [
        f"reserved   {decimal(reserved.n_bytes)} ({reserved.n_bytes:,} bytes{more}) by {reserved.engine}, {reserved.basis}"
    ]
    lines.append(f"           {reserved.rule}")
    if reserved.source is not None:
        lines.append(f"           {reserved.source}, read {reserved.date}")
    return lines
