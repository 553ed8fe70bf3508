from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

THREADS = """
import ctypes, sys, threading
from bxio.one_arena import one_arena
assert one_arena() if sys.argv[1] == "one" else True
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
all_there = threading.Barrier(5)

def work():
    assert libc.malloc(50_000)
    all_there.wait(10)

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
all_there.wait(10)
for thread in threads:
    thread.join(10)
libc.malloc_stats()
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_stats"), reason="needs glibc's own count of heaps")
@pytest.mark.parametrize(("wanted", "one"), [("one", True), ("as they come", False)])
def test_threads_share_one_heap_once_they_are_told_to(wanted: str, one: bool) -> None:  # noqa: FBT001
    said = subprocess.run(
        [sys.executable, "-c", THREADS, wanted], capture_output=True, text=True, timeout=20, check=True
    )
    assert (said.stderr.count("Arena ") == 1) is one
