"""Spec, override and stop documents: decoding, checking, schema and reference."""
