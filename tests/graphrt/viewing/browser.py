"""A headless Chromium, spoken to by its DevTools protocol: for tests that look at pages as people do.

    with Browser() as browser:
        browser.open(path)
        browser.ask("document.title")
        browser.picture("page.png")

`CHROMIUM` may name the program. Where there is none, `Browser.missing()` says so.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One window. `errors` collects what its console complains of."""

    def __init__(self, width=1600, height=900, dark=False):
        self.errors = []
        self._number = 0
        self._size = width, height
        self._dark = dark

    @staticmethod
    def missing():
        """Why no browser can be used; None if one can."""
        try:
            import tornado.websocket  # noqa: F401
        except ImportError:
            return "tornado is not installed"
        return None if _program() else "Chromium is not installed"

    def __enter__(self):
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0"]
        flags += [f"--user-data-dir={self._home.name}", f"--window-size={self._size[0]},{self._size[1]}"]
        self._process = subprocess.Popen(
            [_program(), *flags, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        address = None
        for line in self._process.stderr:
            if found := re.search(r"ws://\S+", line):
                address = found[0]
                break
        assert address, "Chromium did not start"
        self._loop = asyncio.new_event_loop()
        self._run(self._connect(address))
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        width, height = self._size
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.dark(self._dark)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        self._process.stderr.close()
        self._loop.close()
        self._home.cleanup()

    _session = None

    async def _connect(self, address):
        import tornado.websocket

        self._socket = await tornado.websocket.websocket_connect(address, max_message_size=1 << 30)

    def _run(self, work):
        return self._loop.run_until_complete(asyncio.wait_for(work, 60))

    def send(self, method, **given):
        """One command, and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        return self._run(self._exchange(message))

    async def _exchange(self, message):
        await self._socket.write_message(json.dumps(message))
        while True:
            answer = json.loads(await self._socket.read_message())
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        told = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.errors.append(str(told["args"]))
        elif event.get("method") == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.errors.append(told["entry"]["text"])

    def dark(self, on):
        """Asks for the dark page."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.send("Emulation.setEmulatedMedia", media="", features=features)

    def open(self, path):
        """Opens a file, and waits until it is there."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=path if "://" in str(path) else f"file://{path}")
        for _ in range(600):
            if self.ask("document.readyState") == "complete" and self.ask("location.href") != "about:blank":
                return
            time.sleep(0.05)
        raise TimeoutError(f"{path} does not load")

    def ask(self, text):
        """The value of a JavaScript expression; a promise is waited for."""
        found = self.send("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, file, kind="png", quality=None):
        """What the window shows, as a file."""
        given = {"format": kind} if quality is None else {"format": kind, "quality": quality}
        data = base64.b64decode(self.send("Page.captureScreenshot", **given)["data"])
        with open(file, "wb") as out:
            out.write(data)


def _program():
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
