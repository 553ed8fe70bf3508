"""OpenAI's chat completions as the box speaks them: requests read, answers written, no socket.

The shapes are those of OpenAI's API reference for chat completions and models, as its client reads them.
"""

MODEL = "boxmaker"
"""What ``model`` names and ``/v1/models`` lists: the box itself, whichever model thinks for it."""
CHAT = "/v1/chat/completions"
MODELS = "/v1/models"
PATHS = (CHAT, MODELS)
