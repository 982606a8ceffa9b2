"""One module per peer, each with a class `Peer` (see base.py)."""
