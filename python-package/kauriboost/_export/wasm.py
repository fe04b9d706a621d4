"""A model as WebAssembly: the exported C source, compiled, and a module of JavaScript around it."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .tools import EXACT, run_tool, wasm_compiler


def compile_wasm(c_text: bytes) -> bytes:
    """Return a WebAssembly module without imports. Raises `ParameterError` if there is no compiler."""
    compiler = wasm_compiler()
    with tempfile.TemporaryDirectory() as folder:
        source, module = Path(folder) / "model.c", Path(folder) / "model.wasm"
        source.write_bytes(c_text)
        run_tool([*compiler, *EXACT, "-o", module, source])
        return module.read_bytes()


def javascript_for(
    wasm_name: str,
    c_text: bytes,
    columns: Sequence[str],
    categories: Mapping[str, Sequence[str | int]],
    classes: str | None,
) -> bytes:
    """Return the JavaScript module that loads `wasm_name` from its own folder.

    classes: the attribute kauri_classes, which the library has checked when it wrote the C source.
    """
    sizes = {name: int(_define(c_text, name)) for name in ("OUTPUTS", "VALUES")}
    names = [[str(name) for name in categories.get(column, ())] for column in columns]
    text = _MODULE
    for mark, value in {
        "@FILE@": f"./{wasm_name}",
        "@COLUMNS@": list(columns),
        "@CATEGORIES@": names,
        "@CLASSES@": [str(name) for name in json.loads(classes)["values"]] if classes else [],
        "@OUTPUTS@": sizes["OUTPUTS"],
        "@VALUES@": sizes["VALUES"],
    }.items():
        text = text.replace(mark, json.dumps(value))
    return text.encode("ascii")


def _define(c_text: bytes, name: str) -> str:
    match = re.search(rb"^#define KAURI_%s (\d+)$" % name.encode(), c_text, re.MULTILINE)
    assert match is not None
    return match[1].decode()


_MODULE = """\
// A model of Kauri. loadModel() reads the WebAssembly file beside this module, or takes the URL or bytes of another.
//
//   const model = await loadModel();
//   model.predict({age: 41, city: "Paris"})   // by the names of columns; what is absent is missing
//   model.predict([41, "Paris"])              // in the order of model.columns; null and NaN are missing
//   model.margins(row), model.test()          // test(): the number of test rows that differ from Kauri, 0
//   model.contributions(row)                  // of each output: one number a column, then the bias; they add up to
//                                             // the margin. null unless exported with contributions=True
export const columns = @COLUMNS@;
export const categories = @CATEGORIES@; // names, by column
export const classes = @CLASSES@; // names, or none
export const outputs = @OUTPUTS@; // numbers that margins returns
const categoryNumbers = categories.map((names) => new Map(names.map((name, number) => [name, number])));

export async function loadModel(source = new URL(@FILE@, import.meta.url)) {
  const { instance } = await WebAssembly.instantiate(await bytesOf(source), {});
  const { memory, row, result, margins, predict, test, explanation, contributions } = instance.exports;
  const run = (compute, given) => {
    const cells = new Float32Array(memory.buffer, row(), columns.length);
    cells.set(valuesOf(given).map(numberOf));
    const refused = compute();
    if (refused !== 0) throw new RangeError(`the model refuses the category in column ${columns[refused - 1]}`);
  };
  const numbers = (compute, size) => (given) => {
    run(compute, given);
    return Array.from(new Float32Array(memory.buffer, result(), size));
  };
  const explain = (given) => {
    run(contributions, given);
    const width = columns.length + 1;
    const all = Array.from(new Float64Array(memory.buffer, explanation(), outputs * width));
    return Array.from({ length: outputs }, (_, output) => all.slice(output * width, (output + 1) * width));
  };
  return {
    columns,
    categories,
    classes,
    outputs,
    margins: numbers(margins, outputs),
    predict: numbers(predict, @VALUES@),
    contributions: contributions === undefined ? null : explain,
    test,
  };
}

async function bytesOf(source) {
  if (!(source instanceof URL) && typeof source !== "string") return source;
  const url = new URL(source, import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  return (await fetch(url)).arrayBuffer();
}

// The values of a row in the order of columns. Other names, and other numbers of values, are errors.
function valuesOf(given) {
  if (Array.isArray(given)) {
    if (given.length === columns.length) return given;
    throw new RangeError(`the row has ${given.length} values, and the model has ${columns.length} columns`);
  }
  const unknown = Object.keys(given).find((name) => !columns.includes(name));
  if (unknown !== undefined) throw new RangeError(`the model has no column ${unknown}; it has ${columns.join(", ")}`);
  return columns.map((name) => (Object.hasOwn(given, name) ? given[name] : null));
}

// A category becomes its number, -1 if the model does not know its name.
function numberOf(cell, place) {
  if (cell === undefined || cell === null || Number.isNaN(cell)) return NaN;
  const numbers = categoryNumbers[place];
  if (numbers.size > 0) return numbers.get(String(cell)) ?? -1;
  const number = cell === "" ? NaN : Number(cell);
  if (!Number.isNaN(number) || cell === "") return number;
  throw new RangeError(`column ${columns[place]} has ${cell}, which is no number`);
}
"""
