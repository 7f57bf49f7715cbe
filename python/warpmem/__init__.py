"""What a CUDA kernel does to a GPU's memory system: traces, cards, replays, explanations.

    import warpmem as wm
    trace = wm.open("transpose.wmt")
    print(trace.replay("h200").launch(0)["l2_sectors"])
"""
import csv as _csv
import html as _html
import io as _io
import json as _json
import os as _os
import shutil as _shutil
import tempfile as _tempfile
import weakref as _weakref

from . import _command, _emulate, _warpmem
from ._errors import (CheckFailed, EnvironmentMissing, Error, IncompleteError, InternalError, MalformedError,
                      ResourceError, UsageError)

__all__ = ["Card", "CheckFailed", "Counters", "EnvironmentMissing", "Error", "Explanation", "IncompleteError",
           "InternalError", "MalformedError", "Replay", "ResourceError", "Table", "Trace", "UsageError", "capture", "card", "cards",
           "emulate", "emulate_script", "occupancy", "open", "pattern", "read"]

_builtin_open = open


def _read(path):
    with _builtin_open(path, encoding="utf-8") as file:
        return file.read()


class Table:
    """Rows of a result. pandas, polars, DuckDB and pyarrow take it as it is (`__arrow_c_stream__`)."""

    def __init__(self, table):
        self._table = table

    @classmethod
    def _of(cls, columns):
        return cls(_warpmem.table_of(list(columns.items())))

    @classmethod
    def _of_csv(cls, text):
        rows = list(_csv.reader(_io.StringIO(text)))
        names, cells = rows[0], rows[1:]
        return cls._of({name: [_number(row[i]) for row in cells] for i, name in enumerate(names)})

    @property
    def columns(self):
        return self._table.columns

    def __len__(self):
        return len(self._table)

    def __getitem__(self, row):
        return self._table.row(row if row >= 0 else len(self) + row)

    def __iter__(self):
        return (self._table.row(i) for i in range(len(self)))

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self):
        import pyarrow
        return pyarrow.table(self)

    def to_pandas(self):
        return self.to_arrow().to_pandas(split_blocks=True)  # each column as it is, not copied into one block

    def to_polars(self):
        import polars
        return polars.DataFrame(self)

    def __repr__(self):
        return f"<warpmem.Table: {len(self):,} rows of {', '.join(self.columns)}>"

    def _repr_html_(self, most=50):
        def cell(value):
            text = "" if value is None else f"{value:,}" if isinstance(value, (int, float)) else _html.escape(str(value))
            return f"<td style='text-align:{'right' if isinstance(value, (int, float)) else 'left'}'>{text}</td>"
        head = "".join(f"<th>{_html.escape(c)}</th>" for c in self.columns)
        rows = "".join("<tr>" + "".join(cell(v) for v in self[i].values()) + "</tr>" for i in range(min(most, len(self))))
        more = f"<p>{len(self) - most:,} rows more</p>" if len(self) > most else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _number(text):
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Card:
    """A GPU: every number of its memory system. A card does not change; `set` gives another one."""

    def __init__(self, name_or_card, _settings=None):
        self._card = (name_or_card if isinstance(name_or_card, _warpmem.Card)
                      else _warpmem.load_card(str(name_or_card), _read))
        self._settings = dict(_settings or {})
        self._entries = None

    name = property(lambda self: self._card.name)
    full_name = property(lambda self: self._card.full_name)
    compute_capability = property(lambda self: self._card.compute_capability)
    settings = property(lambda self: dict(self._settings))

    def set(self, key, value=None, **more):
        """`card.set("l1.size", "128KiB")`, or several that make sense together: `card.set({"l1.size": ...})`."""
        new = dict(key) if isinstance(key, dict) else {key: value}
        settings = {k: v if isinstance(v, str) else " ".join(map(str, v)) if isinstance(v, (list, tuple)) else str(v)
                    for k, v in {**new, **more}.items()}
        return Card(self._card.changed(settings), {**self._settings, **settings})

    def _by_key(self):
        if self._entries is None:
            self._entries = {e["key"]: e for e in self._card.entries()}
        return self._entries

    def __getitem__(self, key):
        entry = self._by_key()[key]
        numbers = entry["numbers"]
        return numbers[0] if len(numbers) == 1 else numbers or entry["value"]

    def keys(self):
        return self._by_key().keys()

    def table(self):
        names = ("key", "value", "unit", "source", "meaning")
        return Table._of({n: [e[n] for e in self._by_key().values()] for n in names})

    def _words(self):
        out = ["--gpu", self._card.argument]
        for key, value in self._settings.items():
            out += ["--set", f"{key}={value}"]
        return out

    def __repr__(self):
        with_ = "".join(f", {k}={v}" for k, v in self._settings.items())
        return f"<warpmem.Card {self.name}: {self.full_name}{with_}>"

    def _repr_html_(self):
        return self.table()._repr_html_(most=1000)


def card(name):
    """A built-in card (`warpmem.cards()`), or one of your own: a path to a .toml file."""
    return name if isinstance(name, Card) else Card(name)


def cards():
    """Names of the built-in cards."""
    return _warpmem.card_names()


class Counters:
    """What one launch counted: `counters["l2_sectors"]`, by the profiler's names and by short ones."""

    def __init__(self, counters):
        self._counters = counters

    launch = property(lambda self: self._counters.launch)
    kernel = property(lambda self: self._counters.kernel)
    grid = property(lambda self: self._counters.grid)
    block = property(lambda self: self._counters.block)

    def __getitem__(self, name):
        value, missing = self._counters.get(name)
        if missing:
            known = missing != "not in this result"
            raise UsageError(f"{name} is not known: {missing}" if known else f"there is no counter '{name}'", self.kernel,
                             "" if known else "use a name of .keys(), or " + ", ".join(_warpmem.short_counters()))
        return int(value) if value == int(value) else value

    def get(self, name, default=None):
        try:
            return self[name]
        except UsageError:
            return default

    def keys(self):
        return self._counters.all().keys()

    def __repr__(self):
        return f"<warpmem.Counters of launch {self.launch}: {self.kernel}>"


class Difference:
    """What rules said of two replays: `.ok`, and in `.failures` which do not hold."""

    def __init__(self, failures):
        self.failures = failures
        self.ok = not failures

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return "<warpmem.Difference: ok>" if self.ok else "<warpmem.Difference: " + "; ".join(self.failures) + ">"


class Explanation:
    """Where a launch's traffic comes from, worst line first, and what would change it."""

    def __init__(self, explained, trace, card, time):
        self._explained, self._trace, self._card, self._time = explained, trace, card, time

    launch = property(lambda self: self._explained.launch)
    kernel = property(lambda self: self._explained.kernel)
    limit = property(lambda self: self._explained.limit)
    sites = property(lambda self: self._explained.sites)

    def text(self, width=100):
        return self._explained.text(width)

    def json(self):
        return _json.loads(self._explained.json(self._trace._reader, self._card._card, self._time))

    def __str__(self):
        return self.text()

    def __repr__(self):
        return f"<warpmem.Explanation of launch {self.launch}: {self.kernel}>"

    def _repr_html_(self):
        pictures = "".join(f"<h4>{_html.escape(s.place)}: {_html.escape(s.space)} {_html.escape(s.op)}</h4>{s.picture()}"
                           for s in self.sites[:3])
        return f"<pre>{_html.escape(self.text())}</pre>{pictures}"


class Replay:
    """A trace's counters on a card."""

    def __init__(self, replayed, trace, card):
        self._replayed, self.trace, self.card = replayed, trace, card

    def __len__(self):
        return len(self._replayed)

    def launch(self, index):
        return Counters(self._replayed.launch(index if index >= 0 else len(self) + index))

    def __iter__(self):
        return (self.launch(i) for i in range(len(self)))

    notes = property(lambda self: self._replayed.notes)

    def table(self):
        """A row for each launch and counter: launch, kernel, metric, unit, value, missing."""
        return Table(self._replayed.table())

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table().__arrow_c_stream__(requested_schema)

    def kernels(self):
        """A row for each kernel: launches, sectors, bank conflicts, cycles; what bounds its longest launch."""
        names = ("sectors", "l2_sectors", "dram_sectors", "bank_conflicts", "cycles")
        rows = {}
        for at, launch in enumerate(self):
            row = rows.setdefault(launch.kernel, {"launches": 0, **dict.fromkeys(names), "longest": (-1, 0)})
            row["launches"] += 1
            for name in names:
                value = launch.get(name)
                row[name] = value if row[name] is None else row[name] + (value or 0)
            row["longest"] = max(row["longest"], (launch.get("cycles", 0), at))
        out = {"kernel": list(rows), "launches": [r["launches"] for r in rows.values()]}
        for name in names:
            out[name] = [r[name] for r in rows.values()]
        out["bound_by"] = [self.explain(r["longest"][1], gains=False).limit for r in rows.values()]
        return Table._of(out)

    def max(self, name):
        return max(launch[name] for launch in self)

    def sum(self, name):
        return sum(launch[name] for launch in self)

    def save(self, path, force=False):
        """The replay as JSON, for `diff` and for `warpmem diff`."""
        engine = [] if self._replayed.time else ["--counts"]
        _command.run("replay", *self.trace._words(), *self.card._words(), *engine, "--format", "json", "-o", path,
                     *(["--force"] if force else []))

    def diff(self, before, fail_on):
        """Holds rules as `warpmem diff --fail-on` has them ("l2_sectors>+2%,cycles>+10%") against another replay, or
        one that was saved. Launches go together in their order."""
        old = [l._counters for l in before] if isinstance(before, Replay) else _saved(before)
        if len(old) != len(self):
            return Difference([f"{len(old)} launches before, {len(self)} now"])
        failures = []
        for now, then in zip(self, old):
            failures += _warpmem.failures(fail_on, then, now._counters)
        return Difference(failures)

    def explain(self, launch=0, gains=True):
        return self.trace.explain(self.card, launch=launch, time=self._replayed.time, gains=gains)

    def lines(self, launch=0):
        """What each instruction of a launch moved, worst first."""
        return self.explain(launch, gains=False).sites

    def report(self, path, force=False, sources=()):
        """All of it as one page for a browser (`warpmem report`)."""
        _command.run("report", *self.trace._words(), *self.card._words(), "-o", path, *(["--force"] if force else []),
                     *(w for s in sources for w in ("--source", s)))

    def __repr__(self):
        return f"<warpmem.Replay of {_os.path.basename(self.trace.path)} on {self.card.name}: {len(self)} launches>"

    def _repr_html_(self):
        with _tempfile.TemporaryDirectory() as folder:
            path = _os.path.join(folder, "report.html")
            self.report(path)
            page = _read(path)
        return (f'<iframe srcdoc="{_html.escape(page, quote=True)}" style="width:100%;height:720px;border:0"></iframe>')


def _saved(path):
    try:
        result = _json.loads(_read(path))
        return [_warpmem.counters_of(k["launch"], k["name"], k["metrics"]) for k in result["kernels"]]
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", str(path), "give what Replay.save wrote") from None
    except (ValueError, KeyError, TypeError):
        raise MalformedError("this is no result of a replay", str(path),
                             "give what Replay.save or `warpmem replay --format json` wrote") from None


class Trace:
    """What the warps of some launches did to memory."""

    def __init__(self, path, partial=False, _only=None):
        self._reader = _warpmem.open(_os.fspath(path), partial)
        self._only = _only  # ids of launches; None: all
        self._partial = partial

    path = property(lambda self: self._reader.path)
    hash = property(lambda self: self._reader.hash)
    level = property(lambda self: self._reader.level)
    records = property(lambda self: self._reader.records)
    complete = property(lambda self: self._reader.complete)
    notes = property(lambda self: self._reader.notes)
    missing = property(lambda self: self._reader.missing, doc="What its source could not see.")
    gpu = property(lambda self: self._reader.gpu)

    @property
    def card(self):
        """The card of the GPU that it was made on or for, or the one that comes nearest."""
        return Card(self._reader.card_name)

    def _card(self, given):
        return self.card if given is None else card(given)

    def _rows(self):
        return [row for row in self._reader.launches() if self._only is None or row["launch"] in self._only]

    def _words(self):
        """The trace as the command takes it."""
        some = [] if self._only is None else ["--launch", f"{min(self._only, default=0)}:{max(self._only, default=0) + 1}"]
        return [self.path, *some, *(["--partial"] if self._partial else [])]

    def __len__(self):
        return len(self._rows())

    @property
    def launches(self):
        """A row for each launch: its kernel, grid, block, registers, shared memory, records."""
        rows = self._rows()
        out = {name: [row[name] for row in rows] for name in ("launch", "kernel")}
        for name in ("grid", "block"):
            out[name] = ["x".join(map(str, row[name])) for row in rows]
        for name in ("registers", "shared", "records", "times"):
            out[name] = [row[name] for row in rows]
        return Table._of(out)

    def replay(self, card=None, time=True, keep_caches=False, launch=None, threads=1):
        """Its counters on a card; `time=False` takes the counts engine, which is faster and keeps no cycles."""
        on = self._card(card)
        only = self._only if launch is None else [launch]
        return Replay(_warpmem.replay(self._reader, on._card, time, keep_caches, only, threads), self, on)

    @property
    def kernels(self):
        """A row for each kernel: its launches, and what they counted together on the trace's card."""
        return self.replay().kernels()

    def lines(self, launch=0, card=None):
        """What each instruction of a launch moved on a card, worst first."""
        return self.explain(card, launch, gains=False).sites

    def explain(self, card=None, launch=0, time=True, gains=True):
        """Why a launch (by its place in `launches`) moves what it moves; `gains` replays what would help."""
        on = self._card(card)
        if self._only is not None:
            ids = [row["launch"] for row in self._reader.launches()]
            launch = ids.index(self._rows()[launch]["launch"])
        return Explanation(_warpmem.explain(self._reader, on._card, launch, time, gains), self, on, time)

    def explore(self, vary, card=None, metrics=(), time=True):
        """A row for each point: `trace.explore({"l1.size": "64KiB:256KiB"})` (`warpmem explore`)."""
        words = []
        for key, values in vary.items():
            words += ["--vary", f"{key}={values if isinstance(values, str) else ','.join(map(str, values))}"]
        for metric in metrics:
            words += ["--metric", metric]
        done = _command.run("explore", *self._words(), *self._card(card)._words(), *words, "--format", "csv",
                            *([] if time else ["--counts"]))
        return Table._of_csv(done.stdout)

    def validate(self, profile, card=None, time=False):
        """The model's counters beside a profiler's (`warpmem validate --ncu`), a row each."""
        given = [] if card is None else self._card(card)._words()
        done = _command.run("validate", self.path, *(["--partial"] if self._partial else []), "--ncu", profile, *given, "--format", "csv",
                            *(["--time"] if time else []), may_end=(0, 1))
        return Table._of_csv(done.stdout)

    def __repr__(self):
        return (f"<warpmem.Trace {_os.path.basename(self.path)}: {len(self)} launches, {self.records:,} records, "
                f"level {self.level}>")

    def _repr_html_(self):
        return f"<p>{_html.escape(repr(self)[1:-1])}</p>" + self.launches._repr_html_()


def open(path, partial=False):
    """Opens a trace that `warpmem record`, `emulate` or `import` wrote."""
    return Trace(path, partial)


def pattern(text, card="h200", block=32, grid=1, let=None):
    """What the accesses of an index expression cost: `wm.pattern("a[threadIdx.x * 2]")[0].sectors`."""
    sites = _warpmem.pattern(text, [globals()["card"](card)._card], dict(let or {}), _emulate.dims(block),
                             _emulate.dims(grid))
    return sites[0]


def occupancy(card="h200", block=256, registers=32, shared=0):
    """How many CTAs an SM holds at once, and what limits them (`warpmem occupancy`)."""
    done = _command.run("occupancy", *globals()["card"](card)._words(), "--block", block, "--registers", registers,
                        "--shared", shared, "--format", "json")
    return _json.loads(done.stdout)


def _fresh_trace():
    folder = _tempfile.mkdtemp(prefix="warpmem-")
    return folder, _os.path.join(folder, "trace.wmt")


def _goes_with(trace, folder):
    """The folder of a trace that nobody has named is removed with it."""
    if folder:
        _weakref.finalize(trace, _shutil.rmtree, folder, True)
    return trace


def emulate(source, kernel, grid, block, args=(), gpu="h200", shared=0, level=None, options=("-O3",), output=None):
    """Runs a kernel of CUDA source (its text, or a path to a .cu file) on the CPU: numpy arrays in, numpy arrays out, and its trace beside them.

    Arrays that the kernel takes by a pointer to const stay; of the others there are changed copies:

        y, run = wm.emulate(source, "axpy", grid=40, block=256, args=(2.0, x, y))

    Python's floats are given as float, its whole numbers as int; numpy's scalars are what they are.
    """
    on = card(gpu)
    folder, path = (None, _os.fspath(output)) if output else _fresh_trace()
    changed = _emulate.kernel(source, kernel, grid, block, args, on._card.argument, shared, level, options, path,
                              on.compute_capability)
    return (*changed, _goes_with(Trace(path), folder))


class _Capture:
    """What the launches inside of a `with` do, in a program that runs under `warpmem emulate`."""

    def __init__(self, gpu, kernels):
        self._gpu, self._kernels = gpu, kernels
        self._output = _os.environ.get("WARPMEM_EMULATE_OUTPUT")
        if not self._output:
            raise UsageError("this process is not emulated, so that nothing can be captured in it", "warpmem.capture",
                             "run it as python -m warpmem SCRIPT.py, or give the script to warpmem.emulate_script")
        self._run = None

    def _ids(self):
        for path in (self._output + ".partial", self._output):
            if _os.path.exists(path):
                return path, [row["launch"] for row in _warpmem.open(path, True).launches()]
        return None, []

    def __enter__(self):
        self._before = set(self._ids()[1])
        return self

    def __exit__(self, *failure):
        if failure[0] is not None:
            return
        import re
        path, ids = self._ids()
        folder, copy = _fresh_trace()
        if path is None:
            raise UsageError("nothing was launched", "warpmem.capture", "launch kernels inside of the with")
        _shutil.copy(path, copy)
        trace = Trace(copy, partial=True, _only=[i for i in ids if i not in self._before])
        if self._kernels:
            trace._only = [row["launch"] for row in trace._rows() if re.search(self._kernels, row["kernel"])]
        if not trace._only:
            raise UsageError("no launch was captured", "warpmem.capture",
                             "launch kernels inside of the with" + (", and see whether `kernels` matches them" if self._kernels else ""))
        _goes_with(trace, folder)
        self._run = trace.replay(self._gpu)

    def __getattr__(self, name):
        if self.__dict__.get("_run") is None:
            raise AttributeError(f"{name}: the capture has not ended")
        value = getattr(self._run, name)
        return value() if name == "kernels" else value


def capture(gpu=None, kernels=None):
    """`with wm.capture() as run: model(x)`, then `run.kernels`, `run.report("model.html")`: a replay of those launches.

    The process has to be emulated: python -m warpmem script.py.
    """
    return _Capture(gpu, kernels)


def read(path, output=None):
    """A trace that another tool wrote (`warpmem import`): Accel-Sim's .traceg or kernelslist.g, NVBit's mem_trace."""
    folder, trace_path = (None, _os.fspath(output)) if output else _fresh_trace()
    _command.run("import", path, "-o", trace_path)
    return _goes_with(Trace(trace_path), folder)


def emulate_script(path, *args, gpu="h200", kernels=None, output=None):
    """Runs a Python program under `warpmem emulate`, with no GPU; gives its trace."""
    import sys
    folder, trace_path = (None, _os.fspath(output)) if output else _fresh_trace()
    words = ["--kernel", kernels] if kernels else []
    _command.run("emulate", "-o", trace_path, *card(gpu)._words(), *words, "--", sys.executable, path, *args)
    return _goes_with(Trace(trace_path), folder)
