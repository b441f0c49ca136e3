"""What a model's tables and its KV cache take in memory.

`embedding` sizes the table of vectors, `kv_cache` what a model keeps of the tokens that it has read, by its architecture
and as an engine reserves it. Bytes are exact; GB are decimal.
"""

from piecework.memory.embedding import EmbeddingMemory, embedding
from piecework.memory.engines import EngineName
from piecework.memory.kv_cache import KvCache, KvGroup, Reserved, kv_cache

__all__ = ["EmbeddingMemory", "EngineName", "KvCache", "KvGroup", "Reserved", "embedding", "kv_cache"]
