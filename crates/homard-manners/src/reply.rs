//! What of an answer is said aloud: silent tokens, tags, media lines, prefixes, and what a tool has said already.
