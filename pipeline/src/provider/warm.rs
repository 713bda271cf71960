//! Connections opened before they are needed, so that no handshake falls into a turn.
