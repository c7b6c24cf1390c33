"""What is being traced belongs to its thread, where Python starts threads with another's context, too."""

import contextvars
import subprocess
import sys
import threading

import pytest

from autograph.backends import threads

PROGRAM = """
import contextvars, threading
from autograph.backends import threads

number = contextvars.ContextVar("number", default=0)
get = threads.of_its_thread(number, 0)
assert get() == 0
number.set(1)
seen = []

def other(deep):
    seen.append(get())
    number.set(2)
    seen.append(get())
    if deep:
        start(contextvars.copy_context().run, other, False)

def start(run, *arguments):
    thread = threading.Thread(target=run, args=arguments)
    thread.start()
    thread.join()

start(other, True)
start(contextvars.copy_context().run, other, False)
assert contextvars.copy_context().run(get) == 1  # the same thread: a task has what its maker has
print(seen, get())
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="this Python starts threads with empty contexts")
@pytest.mark.parametrize("flag", ["0", "1"])
def test_values_stay_with_their_thread(flag):
    command = [sys.executable, "-X", f"thread_inherit_context={flag}", "-c", PROGRAM]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    if flag == "1":
        assert ended.stdout == "[0, 2, 0, 2, 0, 2] 1\n"


def test_a_new_thread_has_the_default():
    number = contextvars.ContextVar("number", default=0)
    get, seen = threads.of_its_thread(number, 0), []
    assert get() == 0
    number.set(1)
    thread = threading.Thread(target=lambda: seen.append(get()))
    thread.start()
    thread.join()
    assert seen == [0] and get() == 1
