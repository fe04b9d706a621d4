"""Reference page of parameters, made from the declarations of the library's components."""

from __future__ import annotations

import kauriboost as kb
from help_reference import escaped, table_of_other_names

Parameter = dict[str, str]


def heading_of(components: list[str]) -> str:
    """Return "tree_method exact, hist; metric ndcg" for the components of these names."""
    heading, last_role = "", ""
    for component in components:
        role, _, name = component.partition(" ")
        heading += (", " if role == last_role else "; ") + (name if role == last_role else component)
        last_role = role
    return heading.removeprefix("; ")


def tables() -> list[tuple[str, list[Parameter]]]:
    """Return pairs of components and the parameters that just these components declare; each parameter occurs once."""
    components: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for declared in kb.parameters():
        own = tuple((name, text) for name, text in declared.items() if name != "group")
        components.setdefault(own, []).append(declared["group"])
    found: dict[str, list[Parameter]] = {}
    for own, names in components.items():
        found.setdefault(heading_of(names), []).append(dict(own))
    return list(found.items())


def shown_default(parameter: Parameter) -> str:
    """Return the default; a boolean one is false or true."""
    default = parameter["default"]
    return {"0": "false", "1": "true"}.get(default, default) if parameter["type"] == "boolean" else default


def entry(parameter: Parameter, is_known: bool) -> str:
    """Return the Markdown of one parameter. Only the first parameter of a name is a link target."""
    told = [parameter["type"], parameter["bounds"]]
    told += [f"default {shown_default(parameter)}"] if parameter["default"] else []
    options = [":no-index:"] if is_known else []
    aliases = parameter["aliases"].split(", ") if parameter["aliases"] else []
    also = f" Also {', '.join(f'`{alias}`' for alias in aliases)}." if aliases else ""
    about = [f"*{escaped(', '.join(text for text in told if text))}*", "", escaped(parameter["description"]) + also]
    lines = [f":::{{confval}} {parameter['name']}", *options, "", *about, ":::", ""]
    for alias in [] if is_known else aliases:
        lines += [f":::{{confval}} {alias}", "", f"Another name of `{parameter['name']}`.", ":::", ""]
    return "\n".join(lines)


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
    parts += [
        "## Names in other libraries",
        "An unknown parameter is an error. For the names below, of LightGBM, CatBoost, scikit-learn and former "
        "versions of XGBoost, the message says what to write instead.",
        table_of_other_names("parameters"),
    ]
    return "\n\n".join(parts) + "\n"
