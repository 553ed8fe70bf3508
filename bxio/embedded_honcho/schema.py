"""The tables. ``message_text`` holds each message twice: as it was said, and only what it states.

No trigger keeps it in step: a schema that is not trusted may not touch a virtual table.
"""

from __future__ import annotations

VERSION = 1
"""Kept in the file's ``user_version``."""

TABLES = """
CREATE TABLE workspaces (
    name TEXT PRIMARY KEY, uid TEXT NOT NULL, metadata TEXT NOT NULL, configuration TEXT NOT NULL,
    created_at TEXT NOT NULL);
CREATE TABLE peers (
    workspace TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, name TEXT NOT NULL, uid TEXT NOT NULL,
    metadata TEXT NOT NULL, configuration TEXT NOT NULL, created_at TEXT NOT NULL,
    PRIMARY KEY (workspace, name));
CREATE TABLE sessions (
    workspace TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, name TEXT NOT NULL, uid TEXT NOT NULL,
    metadata TEXT NOT NULL, configuration TEXT NOT NULL, created_at TEXT NOT NULL,
    PRIMARY KEY (workspace, name));
CREATE TABLE members (
    workspace TEXT NOT NULL, session TEXT NOT NULL, peer TEXT NOT NULL, configuration TEXT NOT NULL,
    PRIMARY KEY (workspace, session, peer),
    FOREIGN KEY (workspace, session) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (workspace, peer) REFERENCES peers ON DELETE CASCADE);
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL,
    session TEXT NOT NULL, peer TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT NOT NULL,
    created_at TEXT NOT NULL, token_count INTEGER NOT NULL,
    FOREIGN KEY (workspace, session) REFERENCES sessions ON DELETE CASCADE,
    FOREIGN KEY (workspace, peer) REFERENCES peers ON DELETE CASCADE);
CREATE INDEX messages_of_session ON messages (workspace, session, seq);
CREATE VIRTUAL TABLE message_text USING fts5(
    content, statements, tokenize = 'porter unicode61 remove_diacritics 2');
"""
