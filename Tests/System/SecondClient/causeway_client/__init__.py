"""A client of Causeway's sync protocol, written from its pages: PROTOCOL.md, ENCODING.md, envelopes.proto."""
