# SPDX-License-Identifier: BSD-2-Clause
"""A page in headless Chromium, driven through the DevTools protocol over a pipe (--remote-debugging-pipe): no port, no
driver, nothing but Python's own library. What the page complains about and what it asks the network for is kept."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Trouble(Exception):
    """The browser did not do what it was told."""


class Browser:
    def __init__(self, log, seconds=30):
        """log: a file for what Chromium says about itself. seconds: for everything together."""
        self.deadline = time.monotonic() + seconds
        self.profile = tempfile.mkdtemp(prefix="assay-chromium-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-extensions", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                   "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"]
        with open(log, "wb") as output:
            # The protocol is spoken on descriptors 3 and 4.
            self.process = subprocess.Popen(
                ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", *command], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, pass_fds=(to_read, to_write), start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.received, self.number, self.events = b"", 0, []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        """The next message; Trouble when none comes in time."""
        while b"\0" not in self.received:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                raise Trouble("Chromium did not answer in time")
            more = os.read(self.from_browser, 1 << 20)
            if not more:
                raise Trouble(f"Chromium ended with {self.process.wait(5)}")
            self.received += more
        one, _, self.received = self.received.partition(b"\0")
        return json.loads(one)

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(request).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        """Opens a file and waits until all of it is there."""
        self.events.clear()
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def complaints(self):
        """What the page wrote to its console, exceptions included."""
        found = []
        for event in self.events:
            details = event.get("params", {})
            if event.get("method") == "Runtime.consoleAPICalled":
                found.append(str(details["args"]))
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(details["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded":
                found.append(details["entry"]["text"])
        return found

    def requests(self):
        """The addresses that the page asked for, itself among them."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def evaluate(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Trouble(f"{expression[:80]}: {answer['exceptionDetails']['exception']['description']}")
        return answer["result"].get("value")

    def resize(self, width, height=900, scheme="light"):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, top=0, height=None):
        """The page, all of it unless told otherwise, as a PNG."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or size["height"], "scale": 1}
        picture = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def print(self, path):
        """The page as it would be printed on A4."""
        printed = self.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True,
                           printBackground=False)
        with open(path, "wb") as file:
            file.write(base64.b64decode(printed["data"]))
