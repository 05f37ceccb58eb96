//! How a message is told to a model: the envelope, blocks of what strangers wrote, group history.
