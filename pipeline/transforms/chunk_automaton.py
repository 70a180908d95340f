"""The chunks of a grammar as an automaton that reads ambiguity classes, a word a step.

A trie over the tag sequences is a nondeterministic automaton for words that may take several
tags. Nodes with the same continuations are one (a minimal acyclic automaton, Daciuk et al. 2000),
and its subset construction is done on demand, as texts call for it, so a step that was taken
before costs one look into a dict.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.transforms.chunk_grammar import ChunkGrammar

_ACCEPTING = -1
"""Key of a trie node where a chunk ends; tags have numbers from 0."""

Node = dict[int, "Node"]


class ChunkAutomaton:
    """States made so far, and the steps between them.

    Args:
        grammar: its chunks.
        tags: for each ambiguity class its tags; may grow while the automaton is in use.

    Attributes:
        start: the state before the first word.
        size: how many states there are.

    >>> from pipeline.transforms.chunk_grammar import TOY
    >>> automaton = ChunkAutomaton(TOY, [(), (2,), (0, 3)])
    >>> state = automaton.start[1][2]
    >>> state.accepts, state[1], automaton.start[0]
    (True, None, None)
    """

    def __init__(self, grammar: ChunkGrammar, tags: Sequence[tuple[int, ...]]) -> None:
        self._tags = tags
        self._states: dict[frozenset[int], State] = {}
        merged: dict[tuple[tuple[int, int], ...], Node] = {}
        root = _merged(_trie(grammar.chunks), merged)
        self._accepting = frozenset(id(n) for n in merged.values() if _ACCEPTING in n)
        self.start = self._state([root])

    @property
    def size(self) -> int:
        """How many states were made."""
        return len(self._states)

    def step(self, nodes: Sequence[Node], number: int) -> State | None:
        """The state after one more word; None if no chunk can come any more."""
        tags = self._tags[number]
        found = [
            following for node in nodes for tag in tags if (following := node.get(tag)) is not None
        ]
        return self._state(found) if found else None

    def _state(self, nodes: Sequence[Node]) -> State:
        key = frozenset(map(id, nodes))
        state = self._states.get(key)
        if state is None:
            if len(key) < len(nodes):
                nodes = list({id(node): node for node in nodes}.values())
            accepts = not self._accepting.isdisjoint(key)
            state = self._states[key] = State(self, nodes, accepts=accepts)
        return state


class State(dict[int, "State | None"]):
    """From a class to the next state; what was never asked for is worked out then.

    Attributes:
        accepts: whether what was read is a chunk.
    """

    __slots__ = ("_automaton", "_nodes", "accepts")

    def __init__(self, automaton: ChunkAutomaton, nodes: Sequence[Node], *, accepts: bool) -> None:
        self._automaton = automaton
        self._nodes = nodes
        self.accepts = accepts

    def __missing__(self, number: int) -> State | None:
        following = self[number] = self._automaton.step(self._nodes, number)
        return following


def _trie(chunks: Sequence[tuple[int, ...]]) -> Node:
    root: Node = {}
    for chunk in chunks:
        node = root
        for tag in chunk:
            node = node.setdefault(tag, {})
        node[_ACCEPTING] = _END
    return root


_END: Node = {}


def _merged(node: Node, known: dict[tuple[tuple[int, int], ...], Node]) -> Node:
    """The trie with equal subtrees made one; `known` keeps them by their continuations."""
    for tag, following in node.items():
        if following:
            node[tag] = _merged(following, known)
    key = tuple([(tag, id(following)) for tag, following in node.items()])
    return known.setdefault(key, node)
