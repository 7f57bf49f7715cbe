"""The page that computes, in a real browser: what it says is what the command says."""

import json
import os
import random
import subprocess
import unittest

import browser
import harness

ANSWER = os.environ["ANSWER_QUESTIONS"]
BUILD = os.environ.get("WARPMEM_WEB", os.path.join(harness.SOURCE, "build-web"))
PAGE = os.path.join(BUILD, "warpmem.html")
CASES = 1500  # of which a thousand and more have an answer


def missing():
    if not os.path.exists(PAGE):
        return "the page is not built (web/get_zig.sh; cmake --preset web; cmake --build --preset web)"
    return browser.missing()


def index(r):
    """An index of an access, of random shape and numbers."""
    n = lambda *choices: str(r.choice(choices))
    return r.choice([
        lambda: f"threadIdx.x * {n(1, 2, 3, 4, 8, 17, 32, 33)} + {n(0, 1, 5, 31)}",
        lambda: f"(blockIdx.x * blockDim.x + threadIdx.x) * s + {n(0, 1, 2)}",
        lambda: f"threadIdx.y * {n(32, 33, 1024)} + threadIdx.x",
        lambda: f"threadIdx.x * {n(32, 33, 1024)} + threadIdx.y",
        lambda: f"lane ^ {n(1, 3, 7, 31)}",
        lambda: f"random(threadIdx.x + {n(0, 100)}) % {n(8, 100, 4096)}",
        lambda: f"min(threadIdx.x, {n(0, 7, 20)}) + (lane & {n(1, 3, 24)}) * {n(4, 8)}",
        lambda: f"(threadIdx.x / {n(2, 4, 8)}) * {n(1, 9)}"])()


def access(r, number):
    """One statement, on an array of its own."""
    a = f"a{number}"
    kind = r.choice(["", "", "", "shared "])
    width = r.choice(["char", "short", "float", "float", "double", "float2", "float4"])
    declared = f"{kind}{width} {a}; "
    i = index(r)
    what = r.choice([f"{a}[{i}]", f"{a}[{i}]", f"{a}[{i}] = 1", f"{a}[{i}] += 1", f"for k in 0..{r.randint(1, 6)}: {a}[{i} + k*{r.choice([1, 32, 64])}]",
                     f"if (lane < {r.randint(0, 32)}) {a}[{i}]", f"for k in 0..2: for j in 0..{r.choice([4, 64, 300])}: {a}[j*32 + lane]"])
    if r.random() < 0.08:
        declared, what = f"int {a}; ", f"atomicAdd(&{a}[{i}], 1)"
    elif r.random() < 0.05:
        declared, what = f"constant int {a}[64]; ", f"{a}[{i}]"
    elif r.random() < 0.05:
        declared, what = f"shared half {a}[64][{r.choice([64, 72])}]; ", f"ldmatrix(&{a}[lane][{r.choice([0, 8])}])"
    elif r.random() < 0.03:
        what = r.choice([f"{a}[{i}", f"{a}[q + 1]", f"{a}[{i}] @ 2", "for k in 0..: 1"])  # mistakes
    return declared + what


def question(r, cards):
    ask = {"do": "pattern", "text": "; ".join(access(r, n) for n in range(r.randint(1, 3))), "gpu": r.choice(cards),
           "block": r.choice([[32], [64], [7], [256], [32, 8], [8, 8, 4], [16, 16], [96], [128], [1, 32], [12, 5], [1024], [2048]]), "grid": r.choice([[1], [4], [3, 2]]),
           "let": {"s": r.choice([0, 1, 2, 5, 32, -1])}}
    if r.random() < 0.3:
        size = r.choice([8, 16, 48, 64, 128, 200])
        ask["set"] = r.choice([{"l1.size": f"{size}KiB", "shared.configs": f"0,{size * 512}", "shared.per_cta": str(size * 512), "shared.reserved": "0", "l1.reserved": "0"},
                               {"l1.size": "512KiB"}, {"l2.size": "1MiB"}, {"l1.ways": "8"}, {"shared.banks": "16"}, {"l1.size": "nothing"}, {"l1.sise": "1"}])
    if r.random() < 0.05:
        ask["cta"], ask["warp"] = 1, 1
    return ask


def answers(questions):
    """The native program's."""
    done = subprocess.run([ANSWER], input="".join(q + "\n" for q in questions).encode(), stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


class Answers(harness.CommandTest):
    def test_answers_are_what_the_command_prints(self):
        r = random.Random(7)
        cards = [c["name"] for c in json.loads(answers(['{"do":"cards"}'])[0])["cards"]]
        self.assertEqual(len(cards), len(self.run_command("gpus", "--format", "json").json()["cards"]))
        asked = [question(r, cards) for _ in range(40)]
        for ask, answer in zip(asked, map(json.loads, answers(map(json.dumps, asked)))):
            command = ["pattern", ask["text"], "--format", "json", "--gpu", ask["gpu"], "--block", "x".join(map(str, ask["block"])), "--grid", "x".join(map(str, ask["grid"])),
                       *(f"--let={k}={v}" for k, v in ask["let"].items()), *(f"--set={k}={v}" for k, v in ask.get("set", {}).items())]
            for name in ("cta", "warp"):
                if name in ask:
                    command += ["--" + name, str(ask[name])]
            run = self.run_command(*command)
            with self.subTest(command):
                if run.status == 0:
                    self.assertEqual(answer["text"], run.out)
                elif "accesses nothing" not in run.err:  # the command refuses to draw no lanes
                    self.assertIn(answer["error"]["message"].split("\n")[0], run.err)

    def test_what_is_no_question_is_refused(self):
        for wrong in ("", "[]", "{", '{"do":"dance"}', '{"do":"pattern","text":7}', '{"do":"pattern","text":"a[lane]","block":["x"]}', '{"do":"card","gpu":"h2000"}'):
            self.assertIn("error", json.loads(answers([wrong])[0]), wrong)

    def test_the_first_answer_is_the_commands(self):
        with open(os.path.join(harness.SOURCE, "web/first_answer.json"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.run_command("pattern", "a[threadIdx.x * stride]", "--let", "stride=2", "--format", "json").out)


@unittest.skipIf(missing(), missing())
class Page(harness.CommandTest):
    def open(self, **options):
        page = browser.Browser(**options)
        self.addCleanup(page.close)
        page.open("file://" + PAGE)
        page.run_async("const done = arguments[0]; const wait = () => document.documentElement.dataset.live ? done() : setTimeout(wait, 50); wait()")
        return page

    def set(self, page, selector, value):
        page.run("const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change'))", selector, str(value))

    def text(self, page):
        return page.run("return document.querySelector('#answer').innerText")

    def test_a_thousand_random_cases_are_the_native_programs(self):
        r = random.Random(20)
        cards = [c["name"] for c in json.loads(answers(['{"do":"cards"}'])[0])["cards"]]
        asked = [json.dumps(question(r, cards)) for _ in range(CASES)]
        native = answers(asked)
        page = self.open()
        refused = 0
        for at in range(0, CASES, 50):
            browsers = page.run("return arguments[0].map(q => warpmem.askText(q))", asked[at:at + 50])
            for ask, mine, its in zip(asked[at:], native[at:], browsers):
                self.assertEqual(its, mine, ask)
                refused += "error" in json.loads(mine)
        self.assertGreaterEqual(CASES - refused, 1000)
        self.assertGreater(refused, 0)

    def test_a_student_drags_a_stride(self):
        page = self.open()
        self.assertIn("8\nsectors, 4 would do", self.text(page))
        self.set(page, "input[data-let=stride]", 32)
        self.assertIn("32\nsectors, 4 would do", self.text(page))
        self.set(page, "input[data-let=stride]", 1)
        self.assertIn("4\nsectors, 4 would do", self.text(page))
        self.set(page, "#gpu", "gtx280")
        self.set(page, "#pattern", "a[threadIdx.x * stride + shift]")
        self.assertEqual(page.run("return [...document.querySelectorAll('input[data-let]')].map(x => x.dataset.let)"), ["stride", "shift"])
        self.assertEqual(page.problems(), [])
        self.assertEqual({a.split(":")[0] for a in page.requests()} - {"file", "data"}, set())

    def test_a_smaller_l1_misses_more(self):
        page = self.open()
        self.set(page, "#pattern", "for r in 0..2: for k in 0..256: a[k*32 + lane]")  # 32 KiB, twice
        hits = lambda: page.run("return [...document.querySelectorAll('#answer .tile')].map(x => x.innerText)[2].split('\\n')[0]")
        self.assertEqual(hits(), "50 %")
        self.set(page, "#l1", 1)  # 8 KiB
        self.assertEqual(hits(), "0 %")

    def test_mistakes_are_shown_where_they_are(self):
        page = self.open()
        self.set(page, "#pattern", "a[threadIdx.x * ]")
        self.assertIn("^", page.run("return document.querySelector('.wrong').innerText"))
        self.set(page, "#pattern", "a[threadIdx.x]")
        self.assertTrue(page.run("return document.querySelector('.wrong').hidden"))

    def test_every_card_and_a_curve(self):
        page = self.open()
        page.click("#all-cards")
        self.assertEqual(page.run("return document.querySelectorAll('#below tbody tr').length"), page.run("return document.querySelectorAll('#gpu option').length"))
        page.click("#sweep")
        self.assertGreater(page.run("return document.querySelectorAll('#below circle').length"), 60)
        self.assertEqual(page.problems(), [])

    def test_without_webassembly_what_was_computed_is_there(self):
        page = self.open()
        page.devtools("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly")
        page.open("file://" + PAGE)
        self.assertIn("no WebAssembly", page.run("return document.querySelector('#live').innerText"))
        self.assertIn("8\nsectors, 4 would do", page.run("return document.querySelector('#live').innerText"))

    def test_a_live_report_holds_the_same(self):
        os.symlink(harness.WARPMEM, self.path("warpmem"))
        run = self.run_command("report", os.path.join(harness.SOURCE, "validate/reference/h200/transpose_naive_row.wmt"), "--no-gain", "--live", "-o", "live.html")
        if run.status == 6:
            self.skipTest("the module is not where this command looks for it")
        self.assert_works(run)
        page = browser.Browser()
        self.addCleanup(page.close)
        page.open("file://" + self.path("live.html"))
        page.run_async("const done = arguments[0]; const wait = () => document.documentElement.dataset.live ? done() : setTimeout(wait, 50); wait()")
        # What is far from sight is not laid out, and has no text.
        page.run("document.querySelector('section#live').style.contentVisibility = 'visible'")
        self.assertIn("8\nsectors, 4 would do", self.text(page))
        self.assertGreater(page.run("return document.querySelectorAll('#chart svg').length"), 0)
        self.assertEqual(page.problems(), [])


if __name__ == "__main__":
    harness.main()
