//! What a message means: commands, directives in the text, words that stop.
