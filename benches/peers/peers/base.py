"""What a peer is to the benchmark."""

import re
from importlib.metadata import version


class Base:
    """A peer: `build` makes its store in an empty directory, another process `open`s it and asks `query`."""

    #: The package of the registry whose version is shown.
    package = None

    def version(self):
        """The version that is measured."""
        return version(self.package)

    def prepare(self, options):
        """Called before anything is measured, with the command line's options."""

    def build(self, notes, vectors, directory):
        """Makes a store of the notes; row i of `vectors` belongs to note i. Returns when all is on disk."""
        raise NotImplementedError

    def open(self, directory):
        """Opens the store in a process that has not seen it."""
        raise NotImplementedError

    def query(self, text, vector, k):
        """The ids of the first k notes, best first."""
        raise NotImplementedError


def terms(text):
    """The words of a query that a query language would otherwise take for operators."""
    return re.findall(r"\w+", text)
