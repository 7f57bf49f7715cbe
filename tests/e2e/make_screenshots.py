"""Makes the pictures of docs/images/ anew: a report, and the page that computes.

Run it from the repository after ./demo and the web build: python3 tests/e2e/make_screenshots.py"""

import os
import pathlib
import subprocess
import tempfile

import browser

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WARPMEM = os.environ.get("WARPMEM", str(SOURCE / "build/warpmem"))
IMAGES = SOURCE / "docs/images"
TRACE = "validate/reference/h200/transpose_shared_unpadded.wmt"


def shoot(address, name, height, prepare="", width=1200):
    with browser.Browser(width, height) as page:
        page.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.open(address)
        page.run_async("const done = arguments[0]; const wait = () => document.getElementById('wasm').textContent.trim() && !document.documentElement.dataset.live ? setTimeout(wait, 50) : done(); wait()")
        page.run(prepare + "; document.activeElement.blur()")
        page.screenshot(IMAGES / name)
        problems = page.problems()
        assert not problems, problems
    size = (IMAGES / name).stat().st_size
    print(f"{name}: {size:,} bytes")
    assert size < 200_000, "too large a picture for a README"


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.html")
        subprocess.run([WARPMEM, "report", TRACE, "--source", "kernels/transpose.cu", "-o", report], cwd=SOURCE, check=True)
        shoot("file://" + report, "report.png", 1330)
        shoot("file://" + report, "report-heat.png", 980, "document.getElementById('time').scrollIntoView({behavior: 'instant'})")
    live = SOURCE / "build-web/warpmem.html"
    if live.exists():
        shoot(f"file://{live}", "live.png", 760, "document.getElementById('sweep').click()")


if __name__ == "__main__":
    main()
