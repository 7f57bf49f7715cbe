"""A headless Chromium, driven through chromedriver by the WebDriver protocol, which is plain HTTP and
JSON: Python's standard library is enough."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that the protocol gives to elements


def missing():
    """Why no browser can be started, or None."""
    if not CHROMIUM or not DRIVER:
        return "chromium and chromium-driver are not installed"
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, width=1280, height=900, mobile=False, dark=False, arguments=()):
        port = free_port()
        self.driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        options = {"binary": CHROMIUM, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                                "--disable-dev-shm-usage", "--disable-background-networking",
                                                f"--window-size={width},{height}", *arguments]}
        if mobile:
            options["mobileEmulation"] = {"deviceMetrics": {"width": width, "height": height, "pixelRatio": 2, "touch": True}}
        for attempt in range(100):
            try:
                self.session = None
                value = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                    "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
                break
            except (urllib.error.URLError, ConnectionError):
                if attempt == 99 or self.driver.poll() is not None:
                    raise
                time.sleep(0.1)
        self.session = value["sessionId"]
        if dark:
            self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def call(self, method, path, body=None):
        if self.session:
            path = f"/session/{self.session}" + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def keys(self, text):
        """To what has the focus."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hover(self, selector):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        origin = {ELEMENT: self.find(selector)}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin}, {"type": "pointerMove", "duration": 20, "x": 1, "y": 1, "origin": origin}]}]})

    def problems(self):
        """What the page has written to the console as errors or warnings since the last call."""
        return [e["message"] for e in self.call("POST", "/se/log", {"type": "browser"}) if e["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page has asked for."""
        out = []
        for entry in self.call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                out.append(message["params"]["request"]["url"])
        return out

    def screenshot(self, path, whole=False):
        if whole:
            shot = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        else:
            shot = self.call("GET", "/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
