#!/usr/bin/env python3
"""Runs the script and the test commands of a conda recipe without conda-build, with the libraries of this system. Whether
conda-forge has what it names, only conda knows. Usage: rehearsal-conda.py META.YAML FOLDER"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys

import yaml

recipe, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
text = recipe.read_text()
version = re.search(r'{% set version = "(.*)" %}', text)[1]
text = re.sub(r"{%.*%}", "", text).replace("{{ version }}", version)
meta = yaml.safe_load(re.sub(r"{{ (\w+)\('(\w+)'\) }}", r"\1_\2", text))
assert meta["package"] == {"name": "shapelint", "version": version}
archive = meta["source"]["url"].removeprefix("file://")
assert hashlib.sha256(pathlib.Path(archive).read_bytes()).hexdigest() == meta["source"]["sha256"], "the sum is of another archive"
subprocess.run(["tar", "-xzf", archive, "-C", folder, "--strip-components=1"], check=True)
prefix = folder / "prefix"
environment = {**os.environ, "PREFIX": str(prefix), "CMAKE_ARGS": "", "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
for command in meta["build"]["script"] + meta["test"]["commands"]:
    print("+", command, flush=True)
    subprocess.run(["bash", "-euc", command], check=True, cwd=folder, env=environment)
assert (folder / meta["about"]["license_file"]).is_file()
