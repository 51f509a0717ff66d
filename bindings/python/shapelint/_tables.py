"""Results as tables: HTML for notebooks, data frames for pandas."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Sequence, Tuple, TypeVar

if TYPE_CHECKING:
    import pandas

_T = TypeVar("_T")
_MOST_ROWS = 60  # of a table in a notebook; a data frame has all


def data_frame(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    import pandas  # only who asks for a table needs it

    return pandas.DataFrame(list(rows))


def shown(value: Any) -> str:
    """Return a value as a table cell."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {shown(each)}" for key, each in value.items())
    if isinstance(value, (tuple, list)):
        return ", ".join(shown(each) for each in value)
    return str(value)


def _cells(tag: str, values: Iterable[str]) -> str:
    return "".join(f"<{tag} style='text-align:left'>{html.escape(value)}</{tag}>" for value in values)


def table_html(rows: Sequence[Mapping[str, Any]], caption: str = "", is_list: bool = False) -> str:
    """Return a row for each item, with the columns of all; a single item is a column unless it `is_list`."""
    if not rows:
        return f"<p>{html.escape(caption or 'nothing')}</p>"
    names = list(dict.fromkeys(name for row in rows for name in row))
    if len(rows) == 1 and not is_list:
        body = "".join(f"<tr>{_cells('th', [name])}{_cells('td', [shown(rows[0].get(name))])}</tr>" for name in names)
    else:
        body = f"<thead><tr>{_cells('th', names)}</tr></thead><tbody>"
        for row in rows[:_MOST_ROWS]:
            body += f"<tr>{_cells('td', (shown(row.get(name)) for name in names))}</tr>"
        body += "</tbody>"
    title = f"<caption style='text-align:left'>{html.escape(caption)}</caption>" if caption else ""
    more = f"<p>{len(rows) - _MOST_ROWS:,} more rows: to_dataframe()</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table>{title}{body}</table>{more}"


class Tabular:
    """Base of results with rows: a table in a notebook, and a data frame."""

    _is_list = False  # of rows, even of a single one

    def _rows(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def _caption(self) -> str:
        return ""

    def to_dataframe(self) -> pandas.DataFrame:
        """Return all rows, largest cost or gain first."""
        return data_frame(self._rows())

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return table_html(self._rows(), self._caption(), self._is_list)


class Results(Tuple[_T, ...], Tabular):
    """A tuple of results, with a row for each."""

    _is_list = True

    def _rows(self) -> list[dict[str, Any]]:
        return [each._row() if hasattr(each, "_row") else {"value": each} for each in self]


class Columns(Dict[str, Any], Tabular):
    """A dictionary of columns, which pandas accepts."""

    _is_list = True

    def to_dataframe(self) -> pandas.DataFrame:
        """Return a row for each candidate and GPU, in the given order."""
        import pandas

        return pandas.DataFrame(dict(self))

    def _rows(self) -> list[dict[str, Any]]:
        rows = [dict(zip(self, values)) for values in zip(*self.values())]
        return sorted(rows, key=lambda row: -float(row.get("mfu", 0)))

    def _caption(self) -> str:
        return "by MFU, highest first"
