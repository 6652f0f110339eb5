# SPDX-License-Identifier: Apache-2.0
"""Compile the op tests of the vendor's compiler and run them on its functional models, for comparison with ``tpu execute``.

``python3.10 tests/benchmarks/make_tpu_ops.py TPU_MLIR OUT --chips bm1684x,bm1690 --modes f16,int8 --cases 'Conv*'``: TPU_MLIR is
the folder ``tpu_mlir`` of the public wheel ``tpu_mlir-1.30.2`` unpacked (BSD-2-Clause), with its own C library moved out of
``lib/third_party``. The Python that runs this script has the packages of the op tests: numpy 1.24.3, onnx 1.14.1, onnxruntime
1.16.3, onnxsim 0.4.17, onnxruntime-extensions 0.14.0, protobuf 3.20.3, torch 1.12.1 (the last one that needs no other package),
torchvision 0.13.1, transformers, opencv-python-headless, scikit-learn, scikit-image, pandas, plotly, graphviz, tqdm.

OUT gets a folder per suite, chip, case and model: ``model.bmodel``, ``input.dat`` and ``output.dat`` (the bytes of all inputs and
outputs in the types of the model, in its order), ``profile_N.txt``, ``final.mlir``. A case with a ``done.json`` is not run again.
Nothing of the wheel or of what it makes belongs into the repository.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

SUITES = {"onnx": "ONNX_IR_TESTER", "tpulang": "TPULANG_IR_TESTER", "torch": "TORCH_IR_TESTER"}
MODES = ("f16", "int8", "f32", "bf16")
_MODE = re.compile(r"_(f32|f16|bf16|int8|int4|w4int8|f8e4m3|f8e5m2)(_sym|_asym)?\.mlir$")
_LARGEST = 64 << 20
"""Bytes of a model that is kept."""
_FOLDERS = ("", "python", "customlayer/python", "python/tools", "python/test")


class Recorder:
    """What one case made: stands in place of the functions of the compiler's tests that compile, run and compare.

    Args:
        module: of the tests, or what they call.
        target: gets a folder per model.
        only_profiles: models are compiled, not run.
    """

    def __init__(self, module: ModuleType, target: Path, *, only_profiles: bool) -> None:
        self.target = target
        self.only_profiles = only_profiles
        self.failed: list[str] = []
        self.models: list[str] = []
        self._run = module.model_inference
        self._top = module.mlir_inference
        module.model_inference = self.run
        module.mlir_inference = self.top
        for name in ("mlir_lowering", "mlir_to_model"):
            if hasattr(module, name):
                setattr(module, name, self._guarded(getattr(module, name)))
        for name in ("npz_compare", "f32_blobs_compare"):
            if hasattr(module, name):
                setattr(module, name, _nothing)

    def _guarded(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return step(*args, **kwargs)
            except Exception as error:  # The next quantisation is tried all the same.
                self.failed.append(f"{step.__name__}: {str(error)[-200:]}")
                return None

        return run

    def top(self, inputs: Any, path: str, *args: Any, **kwargs: Any) -> Any:
        """The float model in MLIR gives the calibration; quantised ones are not needed."""
        return {} if _MODE.search(path) else self._top(inputs, path, *args, **kwargs)

    def run(self, inputs: Any, path: str, *args: Any, **kwargs: Any) -> Any:
        """Run a compiled model, and keep it with its inputs and outputs."""
        made, name = Path(path.rsplit(".", 1)[0]), Path(path).stem
        if not Path(path).exists():
            self.failed.append(f"{name}: no model")
            return {}
        try:
            if not self.only_profiles:
                self._run(dict(inputs), path)
        except Exception as error:
            self.failed.append(f"{name}: {str(error)[-200:]}")
            return {}
        if (size := Path(path).stat().st_size) > _LARGEST:
            self.failed.append(f"{name}: {size} bytes, more than {_LARGEST} are not kept")
            return {}
        kept = self.target / name
        kept.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, kept / "model.bmodel")
        for kind in () if self.only_profiles else ("input", "output"):
            shutil.move(str(made / f"{kind}_ref_data.dat"), kept / f"{kind}.dat")
        for profile in Path().glob("compiler_profile_*.txt"):
            shutil.move(str(profile), kept / profile.name.replace("compiler_", ""))
        if (final := Path(f"{name}_final.mlir")).exists():
            shutil.copy(final, kept / "final.mlir")
        self.models.append(name)
        return {}


def _nothing(*_: Any, **__: Any) -> None:
    """Comparisons with the MLIR interpreter are not wanted here."""


def run_case(suite: str, chip: str, case: str, given: argparse.Namespace, target: Path) -> Recorder:
    """One case in the current folder, in all quantisations."""
    module, modes = importlib.import_module(f"test_{suite}"), given.modes.split(",")
    tester = getattr(module, SUITES[suite])(chip=chip)
    tester.quant_modes = [mode for mode in modes if mode in tester.support_quant_modes] or tester.quant_modes[:1]
    tester.compare = _nothing
    called = sys.modules["transform.TpuLang"] if suite == "tpulang" else module
    recorder = Recorder(called, target, only_profiles=given.profiles)
    try:
        tester.test_single(case)
    except Exception as error:
        recorder.failed.append(f"{case}: {str(error)[-200:]}")
        traceback.print_exc()
    return recorder


def in_child(target: Path, seconds: int, work: Callable[[], Recorder]) -> str:
    """Run a case in a process of its own, with its log in ``log.txt``; gives a word on it."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    began = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="tpu-ops-")
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.chdir(scratch)
        with (target / "log.txt").open("w") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        recorder = work()
        sys.stdout.flush()
        found = {"models": recorder.models, "failed": recorder.failed}
        (target / "done.json").write_text(json.dumps(found, indent=1))
        os._exit(0)
    ended = _wait(child, seconds)
    shutil.rmtree(scratch, ignore_errors=True)
    spent = time.monotonic() - began
    if not (target / "done.json").exists():
        kept = [one.parent.name for one in target.glob("*/output.dat")]
        found = {"models": kept, "failed": ["ended by a signal" if ended else f"more than {seconds} s"]}
        (target / "done.json").write_text(json.dumps(found, indent=1))
    found = json.loads((target / "done.json").read_text())
    return f"{len(found['models'])} models, {len(found['failed'])} failed, {spent:.0f} s"


def _wait(child: int, seconds: int) -> bool:
    """Whether a process ended in time; if not, it is killed with its own children."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def again_with_paths(wheel: Path) -> None:
    """Start this script once more with the paths of the compiler, which its libraries need from the beginning."""
    if os.environ.get("TPUC_ROOT") == str(wheel):
        return
    added = {
        "TPUC_ROOT": str(wheel),
        "PROJECT_ROOT": str(wheel),
        "REGRESSION_PATH": tempfile.gettempdir(),
        "LD_LIBRARY_PATH": ":".join(str(wheel / one) for one in ("lib", "lib/capi", "lib/third_party")),
        "PYTHONPATH": ":".join(str(one) for one in (wheel.parent, *(wheel / folder for folder in _FOLDERS))),
        "PATH": f"{wheel / 'bin'}:{os.environ['PATH']}",
    }
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | added)


def main() -> None:
    """Run the chosen cases, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--chips", default="bm1684x,bm1688,bm1690")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--cases", default="*", help="Glob of case names, or several with commas between them.")
    parser.add_argument("--part", default="1/1", help="Part I of N: every N-th case, starting at the I-th.")
    parser.add_argument(
        "--profiles", action="store_true", help="Compile only: models and profiles, no inputs and outputs."
    )
    parser.add_argument("--timeout", type=int, default=120, help="Seconds per case.")
    given = parser.parse_args()
    again_with_paths(given.wheel.resolve())
    part, parts = map(int, given.part.split("/"))
    for suite in given.suites.split(","):
        module = importlib.import_module(f"test_{suite}")
        tester = getattr(module, SUITES[suite])()
        cases = list(getattr(tester, "test_cases", None) or tester.test_function)
        cases = [one for one in cases if any(fnmatch.fnmatch(one, pattern) for pattern in given.cases.split(","))]
        for place, case in enumerate(cases[part - 1 :: parts], 1):
            for chip in given.chips.split(","):
                target = (given.out / suite / chip / case).resolve()
                if (target / "done.json").exists():
                    continue
                work = partial(run_case, suite, chip, case, given, target)
                said = in_child(target, given.timeout, work)
                print(f"{suite} {place}/{len(cases[part - 1 :: parts])} {chip} {case}: {said}", flush=True)


if __name__ == "__main__":
    main()
