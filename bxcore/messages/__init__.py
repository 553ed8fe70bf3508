"""Every actor's closed union of messages; a sender imports the message, never the actor (spec 5.2)."""
