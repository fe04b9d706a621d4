"""Reference page of parameters, made from the declarations of the library's components."""

from __future__ import annotations

from itertools import groupby

import kauriboost as kb
import numpy as np
from help_reference import escaped

Parameter = dict[str, str]


def tables() -> list[tuple[str, list[Parameter]]]:
    """Return pairs of components and their parameters. Adjacent groups with the same parameters share one table."""
    found: list[tuple[str, list[Parameter]]] = []
    for group, declared in groupby(kb.parameters(), key=lambda parameter: parameter["group"]):
        own = [{name: text for name, text in parameter.items() if name != "group"} for parameter in declared]
        if found and found[-1][1] == own:
            found[-1] = (f"{found[-1][0]}, {group.split(' ', 1)[-1]}", own)
        else:
            found.append((group, own))
    return found


def shown_default(parameter: Parameter) -> str:
    """Return the default; a float32 is shown as it was written and not as it is stored."""
    default = parameter["default"]
    return str(np.float32(default)) if parameter["type"] == "float" and default else default


def entry(parameter: Parameter, is_known: bool) -> str:
    """Return the Markdown of one parameter. Only the first parameter of a name is a link target."""
    told = [parameter["type"], parameter["bounds"]]
    told += [f"default {shown_default(parameter)}"] if parameter["default"] else []
    options = [":no-index:"] if is_known else []
    about = [f"*{escaped(', '.join(text for text in told if text))}*", "", escaped(parameter["description"])]
    return "\n".join([f":::{{confval}} {parameter['name']}", *options, "", *about, ":::", ""])


def parameter_page() -> str:
    """Return the page in Markdown."""
    parts = [
        "# Parameters",
        "Every parameter of the library, as its components declare them: type, bounds, default and meaning. They are "
        "the keys of `params` in Python, keyword arguments of the estimators, `key=value` at the command line, and "
        "names for {c:func}`XGBoosterSetParam` in C. `kauriboost.parameters()` returns this page as a list. The "
        "page of [names](names.md) lists the objectives, metrics and tree methods.",
    ]
    known: set[str] = set()
    for title, parameters in tables():
        parts.append(f"## {title[0].upper()}{title[1:]}")
        for parameter in parameters:
            parts.append(entry(parameter, parameter["name"] in known))
            known.add(parameter["name"])
    return "\n\n".join(parts) + "\n"
