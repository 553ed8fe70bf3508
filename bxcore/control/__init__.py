"""The protocol of the control socket, for both of its ends: requests, answers, the table of routes."""

from bxcore.control.exit_codes import ErrorCode, Exit
from bxcore.control.requests import Request
from bxcore.control.routes import Encoded, NotARequest, decode, encode

__all__ = ["Encoded", "ErrorCode", "Exit", "NotARequest", "Request", "decode", "encode"]
