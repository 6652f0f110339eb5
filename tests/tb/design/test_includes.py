# SPDX-License-Identifier: Apache-2.0
"""Which files of include folders and libraries a design reaches."""

from __future__ import annotations

from pathlib import Path

from goldbeat.tb.design.includes import reached


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _names(root: Path, paths: object) -> list[str]:
    assert isinstance(paths, list)
    return [str(path.relative_to(root)) for path in paths]


def test_what_is_included_counts_and_nothing_else(tmp_path: Path) -> None:
    top = '// `include "not.vh"\n`include "a.vh"\n`include  "sub/b.vh"\n`include "absent.vh"\nmodule top; part p(); endmodule\n'
    _write(
        tmp_path,
        {
            "top.sv": top,
            "one/readme.log": "part",
            "two/a.vh": '`include "deep.vh"\n',
            "two/sub/b.vh": "",
            "two/deep.vh": "",
            "two/not.vh": "",
            "three/a.vh": "",
            "lib/part.sv": "module part; endmodule\n",
            "lib/other.v": "module other; endmodule\n",
        },
    )
    folders = [tmp_path / name for name in ("one", "two", "three")]
    found = reached([tmp_path / "top.sv"], folders, [tmp_path / "lib"])
    assert _names(tmp_path, found.files) == ["lib/part.sv", "two/a.vh", "two/deep.vh", "two/sub/b.vh"]
    absent = _names(tmp_path, found.absent)
    # What would be read first, and what no folder has.
    assert {"one/a.vh", "one/sub/b.vh", "one/deep.vh", "one/absent.vh", "three/absent.vh", "two/part.v"} <= {*absent}
    assert not {"three/a.vh", "one/not.vh"} & {*absent}


def test_a_name_that_only_a_macro_says_reaches_all_files(tmp_path: Path) -> None:
    _write(tmp_path, {"top.sv": "`include `FILE\n", "inc/a.vh": "", "inc/sub/b.vh": "", "first/a.vh": ""})
    found = reached([tmp_path / "top.sv"], [tmp_path / "first", tmp_path / "inc"], [])
    assert _names(tmp_path, found.files) == ["first/a.vh", "inc/a.vh", "inc/sub/b.vh"]
    assert _names(tmp_path, found.absent) == ["first/sub/b.vh"]
