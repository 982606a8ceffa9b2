"""Exact cosine search in numpy: vectors alone."""

import json

import numpy as np

from .base import Base


class Peer(Base):
    """A matrix and its ids."""

    package = "numpy"

    def build(self, notes, vectors, directory):
        np.save(directory / "vectors.npy", vectors)
        (directory / "ids.json").write_text(json.dumps([note.id for note in notes]))

    def open(self, directory):
        self.vectors = np.load(directory / "vectors.npy")
        self.ids = json.loads((directory / "ids.json").read_text())

    def query(self, text, vector, k):
        scores = self.vectors @ vector
        best = np.argpartition(-scores, k)[:k]
        return [self.ids[at] for at in best[np.argsort(-scores[best])]]
