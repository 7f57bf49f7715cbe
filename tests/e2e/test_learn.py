"""The course in docs/learn/: its exercises take right answers and no others; its pictures are what its blocks draw."""

import glob
import os
import re
import shlex

import harness
from harness import SOURCE

COURSE = os.path.join(SOURCE, "docs/learn")

# Right answers, each with others that look like one. Worked out by hand: docs/learn/ has the reasons.
RIGHT = {
    1: ["5*32 + threadIdx.x", "160 + (31 - threadIdx.x)"],
    2: ["5"],
    3: ["48"],
    4: ["32 + threadIdx.x"],
    5: ["2048", "2,048"],
    6: ["(blockIdx.x*32 + threadIdx.y)*128 + blockIdx.y*32 + threadIdx.x"],
    7: ["1"],
    8: ["33", "35"],
    9: ["1024"],
    10: ["4"],
    11: ["threadIdx.x % 8 + threadIdx.x / 8 * 8", "threadIdx.x"],
    12: ["90"],
}
WRONG = {
    1: ["threadIdx.x*32 + 5", "threadIdx.x", "5*32", "160 + threadIdx.x/2"],
    2: ["4", "8"],
    3: ["64", "16"],
    4: ["threadIdx.x*4 + 1", "threadIdx.x"],
    5: ["512"],
    6: ["(blockIdx.x*32 + threadIdx.x)*128 + blockIdx.y*32 + threadIdx.y",
        "(blockIdx.y*32 + threadIdx.y)*128 + blockIdx.x*32 + threadIdx.x"],
    7: ["8"],
    8: ["32", "34", "48"],
    9: ["16384", "512"],
    10: ["1", "32"],
    11: ["threadIdx.x % 8", "threadIdx.x*8"],
    12: ["10", "1000"],
}


class Learn(harness.CommandTest):
    def test_right_answers_are_right(self):
        for lesson, answers in RIGHT.items():
            for answer in answers:
                with self.subTest(lesson=lesson, answer=answer):
                    run = self.run_command("learn", str(lesson), answer)
                    self.assertEqual((run.status, run.err), (0, ""))
                    self.assertTrue(run.out.startswith("right: "), run.out)

    def test_wrong_answers_are_not_and_get_a_hint(self):
        for lesson, answers in WRONG.items():
            for answer in answers:
                with self.subTest(lesson=lesson, answer=answer):
                    run = self.run_command("learn", str(lesson), answer)
                    self.assertEqual(run.status, 1, run.out + run.err)
                    self.assertRegex(run.out, r"^not yet: .+\nhint: .+\n$")

    def test_what_is_no_answer_is_said(self):
        for lesson, answer, place in [("2", "five", "'five' is no number"), ("1", "3 +", "pattern"),
                                      ("13", "1", "there is no lesson 13")]:
            run = self.run_command("learn", lesson, answer)
            self.assertEqual(run.status, 2)
            self.assertIn(place, run.err)
            self.assertIn("fix: ", run.err)

    def test_each_lesson_has_a_page_and_asks(self):
        pages = re.findall(r"docs/(learn/\S+)", self.run_command("learn").out)
        self.assertEqual(len(pages), len(RIGHT))
        self.assertEqual(sorted(os.path.join(SOURCE, "docs", p) for p in pages),
                         sorted(glob.glob(COURSE + "/[0-9]*.md")))
        for lesson, page in enumerate(pages, start=1):
            with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
                self.assertIn(f"warpmem learn {lesson}\n", file.read())
            self.assertIn("Answer with: ", self.run_command("learn", str(lesson)).out)

    def test_pictures_are_what_the_blocks_draw(self):
        drawn = 0
        for page in glob.glob(COURSE + "/*.md"):
            with open(page, encoding="utf-8") as file:
                text = file.read()
            for name in re.findall(r"\]\(pictures/(\S+\.svg)\)", text):
                command = re.search(rf"^build/warpmem (.* --svg {re.escape(name)})$", text, re.MULTILINE)
                self.assertIsNotNone(command, f"nothing in {page} draws {name}")
                self.assertEqual(self.run_command(*shlex.split(command[1])).status, 0)
                with open(self.path(name), encoding="utf-8") as new, \
                        open(os.path.join(COURSE, "pictures", name), encoding="utf-8") as old:
                    self.assertEqual(new.read(), old.read(), f"draw {name} again: {command[1]}")
                drawn += 1
        self.assertGreaterEqual(drawn, 4)


if __name__ == "__main__":
    harness.main()
