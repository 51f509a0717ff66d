"""`python -m shapelint …` is the program that came with the package."""

from __future__ import annotations

import os
import sys
import sysconfig


def program() -> str:
    """Return its path: in the scripts folder of this installation, of the interpreter, or of the user."""
    name = "shapelint" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable), sysconfig.get_path("scripts", scheme=user)]
    # pip install --target
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"{name} is in none of {', '.join(folders)}")


def main() -> None:
    path = program()
    if sys.platform == "win32":
        import subprocess

        raise SystemExit(subprocess.run([path, *sys.argv[1:]]).returncode)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
