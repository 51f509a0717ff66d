"""docs/how-to/use-from-python.md says what happens."""

import doctest
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_examples(monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testfile(str(ROOT / "docs/how-to/use-from-python.md"), module_relative=False)
    assert failed == 0
    assert attempted > 10
