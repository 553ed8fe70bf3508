"""The runtime under every actor: mailboxes, replies, dead letters, lives (spec 5.2)."""
