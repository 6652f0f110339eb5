# SPDX-License-Identifier: Apache-2.0
"""Execute mlir-aie's tests without vector work as they are, and print a table: runs or needs what, and whether it is right.

    python tests/benchmarks/run_upstream.py FOLDER [--markdown FILE] [--only PART] [--rtl [npu1]] [--survey]

FOLDER is a clone of mlir-aie; the environment variable GOLDBEAT_MLIR_AIE stands for it. With ``--rtl`` every test that runs is put
on the engine in RTL afterwards, as ``goldbeat objfifo run`` does it. With ``--survey`` all designs of the clone are executed
after the tests: those that are no test here by their own check, or with arrays of zeros.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from upstream_cases import UpstreamCase, upstream_cases
from upstream_example_cases import example_cases
from upstream_late_cases import late_cases
from upstream_older_cases import older_cases
from upstream_survey import print_survey
from upstream_text_cases import text_cases

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_file import save_record
from goldbeat.pymodels.objfifo.mlir_exec.configured import execute_text
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_design import case_of_design
from goldbeat.tb.designs.objfifo.opened_design import recorded_results
from goldbeat.tb.run.runs import Request, run

OUTCOMES = [
    "right",
    "wrong",
    "hangs",
    "needs",
    "absent",
    "undecided",
    "unordered",
    "equal",
    "partial",
    "differs",
    "refused",
]
"""What becomes of a test; the last four on RTL."""
DOUBTED = ("undecided", "unordered")
"""Every element is as expected, but something that nothing orders may change it."""


def _judge(case: UpstreamCase, found: LiveResult) -> tuple[str, str]:
    if not found.completes:
        report = "; ".join(found.report)
        lost = [line for line in found.report if "for which there is no way" in line or "into no stream" in line]
        if lost:
            return "needs", f"routes that the compiler adds: {lost[0]}"
        right = bool(case.hangs) and case.hangs in report
        return "right" if right else "hangs", f"hangs{', as it must' if right else ''}: {report[:160]}"
    if case.hangs:
        return "wrong", f"completes, expected a hang: {case.hangs}"
    for name, wanted in case.wanted.items():
        got = found.hosts[name].reshape(-1).view(wanted.dtype)[: wanted.size]
        got = np.sort(got) if case.any_order else got
        if got.size != wanted.size or not np.array_equal(got, wanted.reshape(-1)):
            bad = np.flatnonzero(got != wanted.reshape(-1)[: got.size])
            return "wrong", f"{name}: {len(bad)} of {wanted.size} elements differ, the first is {bad[:1]}"
    if found.order.lines:
        undecided = all(line.startswith("undecided") for line in found.order.lines)
        return "undecided" if undecided else "unordered", "; ".join(found.order.lines)
    late = [f"{name} depends on the cores beginning before the host" for name in found.differing]
    return "right", "; ".join([*found.remarks, *late])


def _form_differs(case: UpstreamCase, text: str) -> bool:
    """A script that is called like a function has its own arrays; the same script was given arrays before."""
    called = any(word in text for word in (".jit", "@jit", "iron.tensor("))
    if case.marker not in text:
        return True
    return called if case.before_jit else case.inputs is None and not called


def _for_its_device(path: Path, folder: Path) -> Path:
    """The text with the device that the test's command puts in, where that is another one than npu1."""
    command = path.with_name("run.lit")
    named = re.search(r"s/NPUDEVICE/(npu2\w*)/", command.read_text()) if command.is_file() else None
    if named is None:
        return path
    made = folder / path.name
    made.write_text(path.read_text().replace("NPUDEVICE", named[1]))
    return made


def _executed(case: UpstreamCase, path: Path, folder: Path) -> list[LiveResult]:
    """Results of a test; none for a script that has no check of its own, and no arrays."""
    if path.suffix == ".mlir":
        text = TextArray(_for_its_device(path, folder), case.kernels, case.device, case.sequence)
        return [execute_text(text, case.inputs, **case.options)]
    script = ScriptArray(path, case.arguments, case.kernels, case.device, packets=case.packets)
    results = script.execute(case.inputs, **case.options)
    return results if case.inputs is not None or script.session.results else []


def run_case(case: UpstreamCase, root: Path, folder: Path) -> tuple[str, str]:
    """Execute a test: (right, wrong, hangs, undecided, unordered, needs or absent; what there is to say)."""
    path = root / case.path
    if not path.is_file():
        return "absent", "not in this clone"
    try:
        if path.suffix == ".py" and _form_differs(case, path.read_text()):
            return "absent", "another calling form in this clone"
        results = _executed(case, path, folder)
        if not results:
            return "needs", "arrays: it has no check of its own"
        verdict, said = _judge(case, results[-1])
        return verdict, said or ("by its own check" if case.inputs is None else "")
    except GoldbeatError as error:
        return "needs", str(error).replace(f"{path}:", "")
    except Exception as error:
        return "needs", f"{type(error).__name__}: {error}"


def run_rtl(case: UpstreamCase, root: Path, profile: int, folder: Path) -> tuple[str, str]:
    """Put a test on the engine: (equal, partial, differs or refused; what there is to say)."""
    path = root / case.path
    if case.hangs or case.options:
        return "refused", "runs that hang, that are repeated or that lose pushes"
    try:
        way, options = _as_user(case, path, folder)
        found = run(Request(DESIGN, DESIGN.case(way), (0,), {"PROFILE": profile}, options), folder / "run")[0]
    except GoldbeatError:
        # Arrays of other sizes than the sequence says, and what breaks a rule, are for the record of an execution.
        try:
            way, record = "recorded", folder / "record.npz"
            with recorded_runs() as records:
                results = _executed(case, path, folder)
            save_record(record, recorded_results(case.name, results, records))
            request = Request(DESIGN, DESIGN.case("executed"), (0,), {"PROFILE": profile}, {"design": str(record)})
            found = run(request, folder / "run")[0]
        except GoldbeatError as error:
            return "refused", str(error).replace(f"{path}:", "")
    if found.failures:
        return "differs", found.failures[0]
    if found.partial:
        return "partial", "; ".join(found.partial)
    return "equal", f"{'planned' if way == 'design' else way}, {len(found.episodes)} episodes, {found.compared} values"


def _as_user(case: UpstreamCase, path: Path, folder: Path) -> tuple[str, dict[str, Any]]:
    """The case that ``goldbeat objfifo run`` takes for a test, and its options."""
    kernels = []
    for number, (name, function) in enumerate(case.kernels.items()):
        # The command line takes functions by their name, which some here do not have.
        setattr(sys.modules[function.__module__], f"stand_in_{number}", function)
        kernels.append(f"{name}={function.__module__}:stand_in_{number}")
    inputs = []
    for name, array in (case.inputs or {}).items():
        np.save(folder / f"{name}.npy", array)
        inputs.append(f"{name}={folder / name}.npy")
    options = {"design": str(path), "arguments": shlex.join(case.arguments), "kernels": shlex.join(kernels)}
    chosen = {name: value for name in ("device", "sequence") if (value := getattr(case, name))}
    way = case_of_design(path, case.arguments, kernels, [*(case.inputs or ())], executed=bool(chosen))
    return way, options | {**chosen, "inputs": tuple(inputs)}


def _outcome(verdicts: set[str]) -> str:
    """What the rows of a design are together, for the survey; empty if it is to execute the design itself."""
    if verdicts == {"right"}:
        return "right"
    return "run" if verdicts and verdicts <= {"right", *DOUBTED} else ""


def main() -> int:
    """The table; 1 if anything is wrong."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", nargs="?", default=os.environ.get("GOLDBEAT_MLIR_AIE"), type=Path)
    words.add_argument("--markdown", type=Path, help="write the table there")
    words.add_argument("--only", default="", help="tests whose name has this part")
    words.add_argument("--rtl", nargs="?", const="ideal", choices=("ideal", "npu1"), help="with this profile")
    words.add_argument("--survey", action="store_true", help="all designs of the clone")
    given = words.parse_args()
    if given.folder is None:
        words.error("the folder of a clone of mlir-aie, or GOLDBEAT_MLIR_AIE")
    rows = []
    counts = dict.fromkeys(OUTCOMES, 0)
    verdicts: dict[str, list[str]] = {}
    for case in (*upstream_cases(), *text_cases(), *late_cases(), *example_cases(), *older_cases()):
        if given.only not in case.name:
            continue
        start = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            verdict, text = run_case(case, given.folder, Path(folder))
        counts[verdict] += 1
        verdicts.setdefault(case.path, []).append(verdict)
        if given.rtl is not None and verdict == "right":
            with tempfile.TemporaryDirectory() as folder:
                verdict, text = run_rtl(case, given.folder, int(given.rtl == "npu1"), Path(folder))
            counts[verdict] += 1
        rows.append((case.name, verdict, text.replace("\n", " ").replace("|", "/")))
        print(f"{case.name:62} {verdict:9} {time.process_time() - start:6.2f} s  {text[:150]}", flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items() if count))
    if given.survey:
        known = {path: outcome for path, found in verdicts.items() if (outcome := _outcome({*found} - {"absent"}))}
        rows = [*rows, *print_survey(given.folder, known, given.only)]
    if given.markdown is not None:
        table = ["| test | verdict | remark |", "|---|---|---|"]
        table += [f"| {name} | {verdict} | {text} |" for name, verdict, text in rows]
        given.markdown.write_text("\n".join(table) + "\n")
    return int(counts["wrong"] + counts["differs"] + counts["unordered"] > 0)


if __name__ == "__main__":
    sys.exit(main())
