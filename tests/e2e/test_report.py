"""report: the page itself, and the page in a real browser."""

import json
import os
import re
import subprocess
import unittest

import browser
import harness

REFERENCE = os.path.join(harness.SOURCE, "validate/reference/h200")
DATA = re.compile(r'<script id="data" type="application/json">(.*?)</script>', re.DOTALL)


def reference(name):
    return os.path.join(REFERENCE, name + ".wmt")


def data_of(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(DATA.search(file.read())[1])


class Report(harness.CommandTest):
    def report(self, *arguments):
        self.assert_works(self.run_command("report", *arguments, "-o", "report.html"))
        return self.path("report.html")

    def test_the_page_asks_for_nothing_else(self):
        with open(self.report(reference("transpose_naive_row")), encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        for address in re.findall(r"https?://[^\"' )]+", page):
            self.assertEqual(address, "http://www.w3.org/2000/svg")  # a name, which nobody opens
        self.assertNotRegex(page, r"<(link|img|iframe)\b|@import|\bfetch\(|XMLHttpRequest")

    def test_its_data_are_what_replay_and_explain_say(self):
        data = data_of(self.report(reference("transpose_naive_row"), "--source", os.path.join(harness.SOURCE, "kernels")))
        launch = data["runs"][0]["launches"][0]
        replayed = self.run_command("replay", reference("transpose_naive_row"), "--format", "json").json()["kernels"][0]
        values = {m[0]: v for m, v in zip(data["metrics"], launch["values"])}
        for name, value in values.items():
            if not isinstance(value, list):
                self.assertEqual(value, replayed["metrics"][name], name)
        self.assertEqual(values["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], 524288)
        said = data["accuracy_words"][0][3][list(values).index("sm__cycles_elapsed.max")]
        self.assertRegex(said, r"median \d+\.\d %, 90th percentile \d+ %")
        store = next(s for s in launch["sites"] if s["op"] == "store")
        self.assertEqual((store["line"], store["sectors"], store["ideal_sectors"]), (28, 524288, 131072))
        self.assertEqual(store["by_size"], [[16, 32768]])  # two rows of 16 threads, a row's 8 bytes a sector
        self.assertEqual([s["file"] for s in data["sources"]], ["transpose.cu"])
        window = [sum(int(n, 36) for n in w.split(",")) for w in launch["dram"]["windows"]]
        self.assertEqual(sum(window), 4 * 1024 * 1024 // 32)  # the matrix, which is read once

    def test_banks_over_time_add_up_to_the_words_of_the_lanes(self):
        launch = data_of(self.report(reference("transpose_shared_unpadded"), "--no-gain"))["runs"][0]["launches"][0]
        words = sum(int(n, 36) for w in launch["banks"]["windows"] for n in w.split(","))
        self.assertEqual(words, 2 * 1024 * 1024)  # each element of the matrix is stored and loaded once
        self.assertEqual(launch["banks"]["rows"], 32)

    def test_the_whole_reference_is_a_page_of_less_than_3_mb(self):
        path = self.path("report.html")
        # Half a minute of one core.
        subprocess.run([harness.WARPMEM, "report", REFERENCE, "-o", path], check=True, timeout=900, stderr=subprocess.DEVNULL)
        self.assertLess(os.path.getsize(path), 3_000_000)
        data = data_of(path)
        self.assertEqual(sum(len(r["launches"]) for r in data["runs"]), 191)
        cycles = [p for p in data["pairs"] if data["pair_counters"][p[2]][0] == "sm__cycles_elapsed.max"]
        self.assertEqual(len(cycles), 191)

    def test_wrong_inputs_name_their_fix(self):
        trace = reference("transpose_naive_row")
        self.assert_fails(self.run_command("report", trace, "--source", os.path.join(harness.SOURCE, "kernels/reduction.cu")), 2, "no instruction is from this file", "transpose.cu")
        with open(self.path("c.csv"), "w") as file:
            file.write("l1.size,cycles\n1024,many\n")
        self.assert_fails(self.run_command("report", trace, "--curves", "c.csv"), 3, "c.csv, line 2", "'many' is no number")
        self.assert_fails(self.run_command("report", trace, "--profile", "a.csv", "--profile", "b.csv"), 2, "2 files of counters for 1 traces")
        self.assert_fails(self.run_command("report", trace, "--gpu", "h2000"), 2, "h200")
        self.assert_fails(self.run_command("report", "nothing.wmt"), 2, "nothing.wmt")


@unittest.skipIf(browser.missing(), browser.missing())
class InABrowser(harness.CommandTest):
    def open(self, *arguments, **options):
        self.assert_works(self.run_command("report", *arguments, "-o", "report.html", "--force"))
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        page.open("file://" + self.path("report.html"))
        self.assertEqual(page.run("return document.documentElement.dataset.ready"), "yes", page.problems())
        return page

    def visible(self, page, selector):
        return page.run("return [...document.querySelectorAll(arguments[0])].filter(x => x.getBoundingClientRect().height > 0).length", selector)

    def test_all_charts_are_there_and_nothing_is_asked_for(self):
        page = self.open(reference("transpose_shared_unpadded"), "--source", os.path.join(harness.SOURCE, "kernels"),
                         "--profile", os.path.join(REFERENCE, "transpose_shared_unpadded.csv"))
        for section in ("chart", "findings", "source", "time", "roofline", "histograms", "heat", "pairs"):
            self.assertGreater(self.visible(page, f"#{section} svg, #{section} canvas"), 0, section)
        self.assertEqual(page.run("return document.querySelectorAll('#roofline circle').length"), 3)  # L1, L2, DRAM
        self.assertEqual(page.problems(), [])
        self.assertEqual({a.split(":")[0] for a in page.requests()} - {"file", "data"}, set())
        # Every chart has a name, and its words, for whoever does not see it.
        self.assertEqual(page.run("return [...document.querySelectorAll('figure svg, figure canvas')].filter(x => !(x.getAttribute('aria-label') || '').length).length"), 0)
        self.assertEqual(page.run("const ids = [...document.querySelectorAll('[id]')].map(x => x.id); return ids.length - new Set(ids).size"), 0)

    def test_tables_sort_and_filter(self):
        page = self.open(reference("scan_blelloch"), "--no-gain")
        column = lambda: page.run("return [...document.querySelector('#instructions table').tBodies[0].rows].map(r => Number(r.cells[4].textContent.replace(/,/g, '')))")
        before = column()
        page.click("#instructions th:nth-child(5) button")
        self.assertEqual(column(), sorted(before, reverse=True))
        self.assertEqual(page.run("return document.querySelector('#instructions th:nth-child(5)').getAttribute('aria-sort')"), "descending")
        page.click("#instructions th:nth-child(5) button")
        self.assertEqual(column(), sorted(before))
        page.run("const i = document.querySelector('#counters input'); i.value = 'dram__sectors'; i.dispatchEvent(new Event('input'))")
        names = page.run("return [...document.querySelectorAll('#counters tbody tr')].map(r => r.cells[0].textContent)")
        self.assertEqual(names, [n for n in names if "dram__sectors" in n])
        self.assertIn("dram__sectors_read.sum", names)

    def test_hovering_shows_numbers(self):
        page = self.open(reference("transpose_naive_row"), "--no-gain")
        page.hover("#histograms rect.mark")
        self.assertEqual(page.run("return [tip.hidden, tip.textContent]"), [False, "32,768 loads of 4 sectors each"])
        page.hover("#chart g.mark")
        self.assertIn("L1 to SMs: 4 MiB read", page.run("return tip.textContent"))
        page.hover("#heat canvas")
        self.assertRegex(page.run("return tip.textContent"), r"channel \d+, cycles [\d,]+ to [\d,]+\n[\d,]+ sectors")

    def test_words_lead_to_what_they_mean(self):
        page = self.open(reference("spmv_scalar"), "--no-gain")
        links = page.run("return [...document.querySelectorAll('main a.word')].map((a) => [a.textContent, a.title, a.getAttribute('href')])")
        meaning = self.run_command("words", "sector").out.split(None, 1)[1].strip()
        self.assertIn(["sectors", meaning, "#word-sector"], links)
        self.assertEqual(page.run("return [...document.querySelectorAll('main a.word')].filter((a) => !document.querySelector(a.getAttribute('href'))).length"), 0)
        # Each once in a section, and none that is an everyday word.
        for section in page.run("return [...document.querySelectorAll('main > section')].map((s) => [...s.querySelectorAll('a.word')].map((a) => a.getAttribute('href')))"):
            self.assertEqual(len(section), len(set(section)))
            self.assertNotIn("#word-line", section)
        self.assertEqual(page.run("return document.querySelectorAll('#words dt').length"), len(self.run_command("words", "--format", "json").json()["words"]))

    def test_a_line_that_is_picked_shows_its_lanes(self):
        page = self.open(reference("transpose_shared_unpadded"), "--no-gain", "--source", os.path.join(harness.SOURCE, "kernels"))
        self.assertIn("lanes 0 to 31 share bank 0: 32 passes, 31 too many", page.run("return document.querySelector('#source .detail').textContent"))
        page.click('#source tr[data-line="transpose.cu:81"]')
        text = page.run("return document.querySelector('#source .detail').textContent")
        self.assertIn("transpose.cu:81", text)
        self.assertNotIn("share bank", text)
        self.assertIn("none is too many", text)

    def test_the_keyboard_reaches_marks_and_lines(self):
        page = self.open(reference("transpose_naive_row"), "--no-gain")
        page.run("document.querySelector('#chart svg .mark[tabindex=\"0\"]').focus()")
        self.assertIn("L1 to SMs", page.run("return tip.textContent"))
        page.keys("\ue014")  # right arrow
        self.assertIn("L2 to L1", page.run("return tip.textContent"))
        page.run("document.querySelector('#source tr.hot').focus()")
        page.keys("\ue007")  # enter
        self.assertIn("transpose.cu:28", page.run("return document.querySelector('#source .detail').textContent"))

    def test_a_charts_data_can_be_copied(self):
        page = self.open(reference("transpose_naive_row"), "--no-gain")
        page.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.click("#histograms .tools .copy")
        text = page.run_async("const done = arguments[0]; setTimeout(() => navigator.clipboard.readText().then(done, e => done(String(e))), 300)")
        self.assertEqual(text, "sectors,loads,stores\n4,32768,0\n16,0,32768\n")

    def test_two_cards_stand_side_by_side(self):
        page = self.open(reference("transpose_naive_row"), "--no-gain", "--gpu", "h200", "--gpu", "a100_80")
        self.assertEqual(self.visible(page, "#chart svg"), 2)
        self.assertEqual(page.run("return [...document.querySelectorAll('#chart .who')].map(x => x.textContent)"),
                         ["A: transpose_naive_row · h200", "B: transpose_naive_row · a100_80"])
        self.assertGreater(self.visible(page, "#compare tbody tr"), 10)
        self.assertEqual(page.problems(), [])

    def test_another_launch_is_picked_in_the_overview(self):
        page = self.open(*(reference(n) for n in ("transpose_naive_row", "transpose_row_copy", "gather_random")), "--no-gain")
        page.click("#launches tbody tr:nth-child(3)")
        self.assertIn("gather_random", page.run("return document.querySelector('#summary').textContent"))
        self.assertEqual(page.problems(), [])

    def test_every_kind_of_launch_can_be_drawn(self):
        for gpu in ("8800gtx", "c2050", "v100", "b200"):
            with self.subTest(gpu):
                page = self.open(reference("histogram_shared"), reference("transpose_naive_row"), "--no-gain", "--gpu", gpu)
                self.assertEqual(page.problems(), [])
                self.assertEqual(page.run("return [...document.querySelectorAll('.notice')].filter(x => x.textContent.includes('cannot be drawn')).length"), 0)
        page = self.open(reference("matmul_naive"), "--counts")
        self.assertIn("keeps no time", page.run("return document.querySelector('#time').textContent"))
        self.assertEqual(page.problems(), [])

    def test_on_a_phone_nothing_is_wider_than_the_screen(self):
        page = self.open(reference("transpose_shared_unpadded"), "--no-gain", width=390, height=844, mobile=True)
        self.assertEqual(page.run("return document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.visible(page, "#chart svg"), 1)

    def test_in_the_dark_it_is_dark(self):
        page = self.open(reference("transpose_naive_row"), "--no-gain", dark=True)
        light = lambda selector: page.run("return getComputedStyle(document.querySelector(arguments[0])).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)", selector)
        self.assertLess(light("body"), 150)
        self.assertLess(light("section"), 150)

    def test_names_from_outside_are_text(self):
        source = self.path("copy\x1b[2J.cu")
        with open(source, "w") as file:
            file.write("// </script><script>document.title = 'run'</script>\n// <!--\n<img src=x onerror=\"document.title='run'\">\n__global__ void f() {}\n" * 2)
        hostile = "a<img src=x onerror=document.title='run'><!--.wmt"
        self.trace("evil", hostile)
        page = self.open(hostile, "--source", source)
        self.assertTrue(page.run("return document.title").startswith("a<img src=x"))
        self.assertEqual(page.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(page.problems(), [])
        self.assertIn("</script>", page.run("return document.querySelector('#source').textContent"))

    def test_a_sweep_is_drawn(self):
        trace = reference("spmv_scalar")
        self.assert_works(self.run_command("explore", trace, "--vary", "gpu=v100,h200", "--vary", "latency.l2_near=220,300,380",
                                           "--results", "s.sqlite"))
        page = self.open(trace, "--no-gain", "--curves", "s.sqlite")
        # A chart for each of three figures, in it a line for each card, of three points.
        self.assertEqual(page.run("return document.querySelectorAll('#curves figure').length"), 3)
        self.assertEqual(page.run("return document.querySelectorAll('#curves circle').length"), 3 * 2 * 3)
        page.hover("#curves circle")
        self.assertRegex(page.run("return tip.textContent"), r"latency.l2_near = 220\ngpu=(v100|h200): [\d,]+")
        self.assert_works(self.run_command("explore", trace, "--vary", "gpu=v100,h200", "--results", "g.sqlite"))
        self.assert_fails(self.run_command("report", trace, "--curves", "g.sqlite", "-o", "x.html"), 2, "no axis of this sweep")

    def test_curves_are_drawn(self):
        with open(self.path("curves.csv"), "w") as file:
            file.write("l1.size,cycles,l2 sectors\n32768,900,50\n65536,700,60\n131072,650,\n")
        page = self.open(reference("transpose_naive_row"), "--no-gain", "--curves", "curves.csv")
        self.assertEqual(page.run("return document.querySelectorAll('#curves circle').length"), 5)
        page.hover("#curves circle")
        self.assertEqual(page.run("return tip.textContent"), "l1.size = 32 KiB\ncycles: 900")


if __name__ == "__main__":
    harness.main()
