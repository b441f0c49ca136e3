"""Run by the interpreter of tools.llama_cpp_env: the ids of texts by llama.cpp.

Takes the folder of the compiled library as its argument and a request as JSON on stdin; writes the ids as JSON. It
imports nothing of this project, which that interpreter does not have.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

MAX_TOKENS_PER_BYTE = 2


def main() -> None:
    """Answers one request."""
    os.environ["LLAMA_CPP_LIB_PATH"] = sys.argv[1]
    from llama_cpp import llama_cpp as library  # noqa: PLC0415 - it looks for the library when it is imported

    request = json.load(sys.stdin)
    silent = library.llama_log_callback(lambda *_: None)
    library.llama_log_set(silent, ctypes.c_void_p(0))
    library.llama_backend_init()
    parameters = library.llama_model_default_params()
    parameters.vocab_only = True
    model = library.llama_model_load_from_file(request["model"].encode(), parameters)
    if not model:
        sys.exit(f"llama.cpp does not load {request['model']}")
    vocab = library.llama_model_get_vocab(model)

    def ids(text: str) -> list[int] | None:
        data = text.encode()
        size = MAX_TOKENS_PER_BYTE * len(data) + 16
        tokens = (library.llama_token * size)()
        n = library.llama_tokenize(
            vocab, data, len(data), tokens, size, request["add_special"], request["parse_special"]
        )
        return list(tokens[:n]) if n >= 0 else None

    json.dump([ids(text) for text in request["texts"]], sys.stdout)


if __name__ == "__main__":
    main()
