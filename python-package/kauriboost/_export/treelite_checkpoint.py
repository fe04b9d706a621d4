"""A model as a checkpoint of Treelite, built by its library from the tables that the target treelite_source writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .._binding.errors import ParameterError
from .check import require_equal_margins
from .tools import treelite_library


def build_treelite(source: bytes) -> bytes:
    """Return a checkpoint. Raises `ParameterError` if the library is missing or refuses the tables.

    Raises `ModelError` if the library computes other margins for the rows of the test than the model does.
    """
    treelite = treelite_library()
    tables = json.loads(source)
    try:
        model = _Builder(treelite, tables).build()
    except treelite.TreeliteError as error:
        raise ParameterError(f"treelite {treelite.__version__} cannot build the model: {error}") from error
    require_equal_margins(model)
    return bytes(model.serialize_bytes())


class _Builder:
    """Calls Treelite's builder for each node. Keys of nodes count the splits and leaves of a tree."""

    def __init__(self, treelite: Any, tables: dict[str, Any]) -> None:
        self._tables = tables
        self._start = _floats(tables["start"])
        self._leaves = _floats(tables["leaves"])
        self._is_vector = tables["leaf_width"] > 1
        builder = treelite.model_builder
        n_outputs = len(self._start)
        is_multiclass = tables["postprocessor"] == "softmax"
        n_targets, n_classes = (1, n_outputs) if is_multiclass else (n_outputs, 1)
        outputs = self._outputs()
        self._builder = builder.ModelBuilder(
            threshold_type="float32",
            leaf_output_type="float32",
            metadata=builder.Metadata(
                num_feature=len(tables["attributes"]["kauri.columns"]),
                task_type=_task_of(tables["objective"], is_multiclass),
                average_tree_output=False,
                num_target=n_targets,
                num_class=[n_classes] * n_targets,
                leaf_vector_shape=(n_targets, n_classes) if self._is_vector else (1, 1),
            ),
            tree_annotation=builder.TreeAnnotation(
                num_tree=len(outputs),
                target_id=[0 if is_multiclass else output for output in outputs],
                class_id=[output if is_multiclass else 0 for output in outputs],
            ),
            postprocessor=builder.PostProcessorFunc(tables["postprocessor"], sigmoid_alpha=tables["sigmoid_alpha"]),
            base_scores=[0.0] * n_outputs,
            attributes={"kauri.summary": tables["summary"], **tables["attributes"]},
        )

    def build(self) -> Any:
        """Return the model: the start of each output as a tree without splits, then the trees."""
        for value in [self._start] if self._is_vector else self._start:
            self._builder.start_tree()
            self._add_leaf(0, value)
            self._builder.end_tree()
        first_leaves = self._tables["tree_leaf"]
        for tree, (begin, end) in enumerate(zip(first_leaves, first_leaves[1:])):
            self._builder.start_tree()
            self._add_tree(begin - tree, begin, end - begin)
            self._builder.end_tree()
        return self._builder.commit()

    def _outputs(self) -> list[int]:
        """Return the output of each tree of the checkpoint; -1: its leaves are vectors."""
        trees = self._tables["output_of_tree"]
        return [-1] * (1 + len(trees)) if self._is_vector else [*range(len(self._start)), *trees]

    def _add_tree(self, split: int, leaf: int, n_leaves: int) -> None:
        """Add a tree by its first split, its first leaf and the number of its leaves."""
        tables = self._tables
        width = tables["leaf_width"]
        stack = [(0, n_leaves)]  # keys of nodes, and the leaves below each
        next_key = 1
        while stack:
            key, below = stack.pop()
            if below == 1:
                values = self._leaves[leaf * width : (leaf + 1) * width]
                self._add_leaf(key, values if self._is_vector else values[0])
                leaf += 1
                continue
            left_leaves = tables["left_leaves"][split]
            self._builder.start_node(key)
            self._add_condition(tables["conditions"][tables["split_condition"][split]], next_key)
            self._builder.end_node()
            stack += [(next_key + 1, below - left_leaves), (next_key, left_leaves)]
            next_key += 2
            split += 1

    def _add_condition(self, condition: dict[str, Any], left_key: int) -> None:
        sides = {
            "default_left": not condition["missing_right"],
            "left_child_key": left_key,
            "right_child_key": left_key + 1,
        }
        if condition.get("categories"):
            self._builder.categorical_test(
                condition["feature"],
                category_list=condition["categories"],
                category_list_right_child=condition["listed_right"],
                **sides,
            )
            return
        operator, threshold = "<", condition.get("threshold", "-Infinity")  # below minus infinity is no number
        if condition.get("listed_right"):  # an empty list: all numbers go to the left
            operator = ">="
        self._builder.numerical_test(condition["feature"], float(threshold), opname=operator, **sides)

    def _add_leaf(self, key: int, value: float | list[float]) -> None:
        self._builder.start_node(key)
        self._builder.leaf(value)
        self._builder.end_node()


def _floats(numbers: Sequence[float | str]) -> list[float]:
    return [float(number) for number in numbers]


def _task_of(objective: str, is_multiclass: bool) -> str:
    if is_multiclass:
        return "kMultiClf"
    kind = objective.partition(":")[0]
    return {"binary": "kBinaryClf", "rank": "kLearningToRank"}.get(kind, "kRegressor")
