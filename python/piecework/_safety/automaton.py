"""Finds many strings in one text, in one pass: the automaton of Aho and Corasick.

A pattern of alternatives would try each of a tokenizer's hundreds of markers at each `<`, and a tree of them would take
their length at each; this takes one step a character whatever the text and the strings are.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Automaton"]


class Automaton:
    """The strings to find, as a machine. Empty strings are never found.

    Examples:
        >>> list(Automaton(["</s>", "<s>", "s"]).find("a <s> and </s>"))
        [(2, 5, '<s>'), (10, 14, '</s>')]
    """

    __slots__ = ("_depth", "_fail", "_found", "_next", "_start")

    def __init__(self, strings: Iterable[str]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._found: list[str] = [""]
        self._depth = [0]
        for string in dict.fromkeys(strings):
            self._add(string)
        self._fail = self._failures()
        firsts = "".join(map(re.escape, self._next[0]))
        self._start = re.compile(f"[{firsts}]") if firsts else None

    def _add(self, string: str) -> None:
        state = 0
        for char in string:
            if char not in self._next[state]:
                self._next[state][char] = len(self._next)
                self._next.append({})
                self._found.append("")
                self._depth.append(self._depth[state] + 1)
            state = self._next[state][char]
        self._found[state] = string

    def _failures(self) -> list[int]:
        fail = [0] * len(self._next)
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            for char, child in self._next[state].items():
                fail[child] = self._step(fail, fail[state], char)
                # The longest string that ends here; those within it are not asked for.
                self._found[child] = self._found[child] or self._found[fail[child]]
                waiting.append(child)
        return fail

    def _step(self, fail: list[int], state: int, char: str) -> int:
        while state and char not in self._next[state]:
            state = fail[state]
        return self._next[state].get(char, 0)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yields (start, end, string) of what stands in a text: the leftmost and longest, none overlapping.

        Of strings that end at the same place only the longest is seen.

        Complexity: O(n_chars) time; memory for the longest string.
        """
        waiting: deque[tuple[int, int, str]] = deque()
        free = 0
        for state_start, start, end, string in self._ends(text):
            # What starts before the string that may still be growing is final.
            while waiting and waiting[0][0] < state_start:
                free = waiting[0][1]
                yield waiting.popleft()
            while waiting and waiting[-1][0] >= start:
                waiting.pop()
            if start >= (waiting[-1][1] if waiting else free):
                waiting.append((start, end, string))
        yield from waiting

    def _ends(self, text: str) -> Iterator[tuple[int, int, int, str]]:
        """The longest string that ends at each place where one ends, after where what is being read starts."""
        if self._start is None:
            return
        state = at = 0
        while at < len(text):
            if not state:
                # Between candidates the search runs at the speed of `re`.
                candidate = self._start.search(text, at)
                if candidate is None:
                    return
                at = candidate.start()
            state = self._step(self._fail, state, text[at])
            at += 1
            string = self._found[state]
            if string:
                yield at - self._depth[state], at - len(string), at, string
