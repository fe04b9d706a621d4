"""Sphinx's configuration of the site; demo/site/build runs it."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python-package"))

import kauriboost  # noqa: E402

project = "Kauri"
author = "the Kauri authors"
copyright = f"{author}; Apache License 2.0"  # noqa: A001
version = release = kauriboost.__version__
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Markdown works as in the repository: links to headings, down to level 4, use the words of the heading.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

# Names in backquotes become links if the name is documented, and code otherwise.
default_role = "py:obj"
add_function_parentheses = False
smartquotes_action = "D"  # dashes alone: quotes are code, mostly
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = False
c_id_attributes = ["KAURI_API"]

html_theme = "furo"
html_title = f"Kauri {version}"
html_static_path = [str(ROOT / "demo" / "site" / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": False}
pygments_style = "friendly"


def is_of_others(app: object, what: str, name: str, thing: object, skip: bool, options: object) -> bool | None:
    """Leave out the methods that scikit-learn generates for estimators; their texts are its own."""
    return True if str(getattr(thing, "__module__", "")).startswith("sklearn.") else None


def setup(app) -> None:
    """Register the handlers; Sphinx calls this hook."""
    app.connect("autodoc-skip-member", is_of_others)
