"""hnswlib: vectors alone, in the HNSW graph of its documentation's example."""

import json

import hnswlib

from .base import Base


class Peer(Base):
    """M 16, ef_construction 200, ef 50; one thread, as there is one caller."""

    package = "hnswlib"

    def build(self, notes, vectors, directory):
        index = hnswlib.Index(space="cosine", dim=vectors.shape[1])
        index.init_index(max_elements=len(notes), ef_construction=200, M=16, random_seed=100)
        index.add_items(vectors, list(range(len(notes))))
        index.save_index(str(directory / "graph.bin"))
        (directory / "ids.json").write_text(json.dumps([note.id for note in notes]))
        (directory / "dims.json").write_text(json.dumps(vectors.shape[1]))

    def open(self, directory):
        self.index = hnswlib.Index(space="cosine", dim=json.loads((directory / "dims.json").read_text()))
        self.index.load_index(str(directory / "graph.bin"))
        self.index.set_ef(50)
        self.ids = json.loads((directory / "ids.json").read_text())

    def query(self, text, vector, k):
        labels, _ = self.index.knn_query(vector, k=k, num_threads=1)
        return [self.ids[at] for at in labels[0]]
