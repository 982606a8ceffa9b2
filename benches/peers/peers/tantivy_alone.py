"""tantivy-py: words alone, BM25 over title and body with the English stemmer."""

import tantivy

from .base import Base, terms


class Peer(Base):
    """Title and body are fields of their own, both searched."""

    package = "tantivy"

    def build(self, notes, vectors, directory):
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("title", tokenizer_name="en_stem")
        schema.add_text_field("body", tokenizer_name="en_stem")
        index = tantivy.Index(schema.build(), path=str(directory))
        writer = index.writer()
        for note in notes:
            writer.add_document(tantivy.Document(id=note.id, title=note.title, body=note.text))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, directory):
        self.index = tantivy.Index.open(str(directory))
        self.searcher = self.index.searcher()

    def query(self, text, vector, k):
        query = self.index.parse_query(" ".join(terms(text)).lower(), ["title", "body"])
        hits = self.searcher.search(query, k).hits
        return [self.searcher.doc(address)["id"][0] for _, address in hits]
