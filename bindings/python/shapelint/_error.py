"""What is raised where there is no answer."""

from __future__ import annotations

from typing import Any

from ._generated import Problem


class ShapelintError(ValueError):
    """A question that has no answer: `problems` has all that is wrong, the rest of the attributes the first of them."""

    def __init__(self, problems: tuple[Problem, ...]):
        super().__init__("\n".join(problem.text for problem in problems))
        self.problems = problems
        first = problems[0]
        self.code = first.code
        self.message = first.message
        self.hint = first.hint
        self.path = first.path
        self.line = first.range.line if first.range else None
        self.column = first.range.column if first.range else None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.problems,))
