"""bm25s: words alone, BM25 precomputed into sparse matrices; its default tokeniser with English stop words."""

import json

import bm25s

from .base import Base


class Peer(Base):
    """The index is held in memory, as by default."""

    package = "bm25s"

    def build(self, notes, vectors, directory):
        index = bm25s.BM25()
        index.index(bm25s.tokenize([note.whole for note in notes], stopwords="en", show_progress=False), show_progress=False)
        index.save(str(directory))
        (directory / "ids.json").write_text(json.dumps([note.id for note in notes]))

    def open(self, directory):
        self.index = bm25s.BM25.load(str(directory))
        self.ids = json.loads((directory / "ids.json").read_text())

    def query(self, text, vector, k):
        tokens = bm25s.tokenize(text, stopwords="en", show_progress=False)
        found, _ = self.index.retrieve(tokens, k=k, show_progress=False)
        return [self.ids[at] for at in found[0]]
