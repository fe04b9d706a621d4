"""The parameters of an estimator: scikit-learn's conventions, and conversion to a booster's parameters."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from .._binding.errors import ParameterError
from .._binding.process import parameters
from .._data.numbers import whole_number
from .._model.booster import Booster
from .._model.metrics import CustomMetric
from .._model.params import metric_list
from .._training.callback import TrainingCallback
from . import defaults
from .functions import as_metric

if TYPE_CHECKING:
    from typing_extensions import Self

# Arguments of an estimator that are not booster parameters.
_NOT_OF_THE_BOOSTER = (
    "n_estimators",
    "feature_weights",
    "missing",
    "enable_categorical",
    "feature_types",
    "early_stopping_rounds",
    "validation_fraction",
    "class_weight",
    "importance_type",
    "callbacks",
    "preset",
    "time_budget",
    "rounds_budget",
    "warm_start",
)


_Constructor = TypeVar("_Constructor", bound=Callable[..., None])


def hands_on(constructor: _Constructor) -> _Constructor:
    """Give a constructor with ``**shared`` arguments of `Parameters` an explicit signature.

    Tools that display an estimator read the defaults from it, and omit unchanged parameters.
    """
    own = [one for one in inspect.signature(constructor).parameters.values() if one.kind != one.VAR_KEYWORD]
    names = {argument.name for argument in own}
    shared = [one for one in inspect.signature(Parameters.__init__).parameters.values() if one.name not in names]
    constructor.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]  # functions have it
    return constructor


_FOLDS = ("groups", "folds", "nfold")  # arguments of `fit` for ``preset="best"``


@functools.lru_cache(maxsize=128)
def _names_of_arguments(constructors: tuple[Callable[..., None], ...]) -> tuple[str, ...]:
    """Return `Parameters._get_param_names`. Reading the signatures takes a millisecond, so the result is kept."""
    names: set[str] = set()
    for constructor in constructors:
        arguments = list(inspect.signature(constructor).parameters.values())[1:]
        names.update(argument.name for argument in arguments if argument.kind != argument.VAR_KEYWORD)
        if all(argument.kind != argument.VAR_KEYWORD for argument in arguments):
            break
    return tuple(sorted(names))


class Parameters(BaseEstimator):
    """The part of an estimator that exists before `fit`.

    A parameter that is None keeps the default: the estimator's own (defaults.py), or else the library's.
    `kwargs` are booster parameters that are not named here; `fit` checks them, as scikit-learn requires.
    """

    _OWN_DEFAULTS = False  # whether the defaults of defaults.py apply
    _BY_QUERY = False  # whether custom metrics are computed by query
    kwargs: Mapping[str, Any] = MappingProxyType({})  # set if some are given; converters to ONNX look for it

    # The list is long because scikit-learn reads the names from the signature and requires each value to be kept as is.
    def __init__(
        self,
        *,
        n_estimators: int | None = None,
        objective: str | Callable[..., Any] | None = None,
        booster: str | None = None,
        tree_method: str | None = None,
        device: str | None = None,
        learning_rate: float | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bin: int | None = None,
        grow_policy: str | None = None,
        gamma: float | None = None,
        min_child_weight: float | None = None,
        max_delta_step: float | None = None,
        reg_alpha: float | None = None,
        reg_lambda: float | None = None,
        subsample: float | None = None,
        sampling_method: str | None = None,
        colsample_bytree: float | None = None,
        colsample_bylevel: float | None = None,
        colsample_bynode: float | None = None,
        max_cat_to_onehot: int | None = None,
        max_cat_threshold: int | None = None,
        cat_smooth: float | None = None,
        cat_l2: float | None = None,
        min_data_per_group: int | None = None,
        unseen_category: str | None = None,
        enable_categorical: bool = True,
        feature_types: Sequence[str] | None = None,
        num_parallel_tree: int | None = None,
        multi_strategy: str | None = None,
        sample_type: str | None = None,
        normalize_type: str | None = None,
        rate_drop: float | None = None,
        one_drop: bool | None = None,
        skip_drop: float | None = None,
        updater: str | None = None,
        feature_selector: str | None = None,
        top_k: int | None = None,
        feature_weights: Sequence[float] | None = None,
        monotone_constraints: Mapping[str, int] | Sequence[int] | str | None = None,
        interaction_constraints: Sequence[Sequence[str | int]] | str | None = None,
        scale_pos_weight: float | None = None,
        base_score: float | None = None,
        eval_metric: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        missing: float | None = np.nan,
        early_stopping_rounds: int | None = None,
        validation_fraction: float | None = 0.1,
        importance_type: str | None = None,
        callbacks: list[TrainingCallback] | None = None,
        preset: str | None = None,
        time_budget: float | None = None,
        rounds_budget: int | None = None,
        warm_start: bool = False,
        **kwargs: Any,
    ) -> None:
        self.n_estimators = n_estimators
        self.objective = objective
        self.booster = booster
        self.tree_method = tree_method
        self.device = device
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bin = max_bin
        self.grow_policy = grow_policy
        self.gamma = gamma
        self.min_child_weight = min_child_weight
        self.max_delta_step = max_delta_step
        self.reg_alpha = reg_alpha
        self.reg_lambda = reg_lambda
        self.subsample = subsample
        self.sampling_method = sampling_method
        self.colsample_bytree = colsample_bytree
        self.colsample_bylevel = colsample_bylevel
        self.colsample_bynode = colsample_bynode
        self.max_cat_to_onehot = max_cat_to_onehot
        self.max_cat_threshold = max_cat_threshold
        self.cat_smooth = cat_smooth
        self.cat_l2 = cat_l2
        self.min_data_per_group = min_data_per_group
        self.unseen_category = unseen_category
        self.enable_categorical = enable_categorical
        self.feature_types = feature_types
        self.num_parallel_tree = num_parallel_tree
        self.multi_strategy = multi_strategy
        self.sample_type = sample_type
        self.normalize_type = normalize_type
        self.rate_drop = rate_drop
        self.one_drop = one_drop
        self.skip_drop = skip_drop
        self.updater = updater
        self.feature_selector = feature_selector
        self.top_k = top_k
        self.feature_weights = feature_weights
        self.monotone_constraints = monotone_constraints
        self.interaction_constraints = interaction_constraints
        self.scale_pos_weight = scale_pos_weight
        self.base_score = base_score
        self.eval_metric = eval_metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.missing = missing
        self.early_stopping_rounds = early_stopping_rounds
        self.validation_fraction = validation_fraction
        self.importance_type = importance_type
        self.callbacks = callbacks
        self.preset = preset
        self.time_budget = time_budget
        self.rounds_budget = rounds_budget
        self.warm_start = warm_start
        if kwargs:
            self.kwargs = kwargs

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the arguments of the constructor, and of the base constructors that get its ``**shared``."""
        own = [vars(base) for base in cls.__mro__ if issubclass(base, Parameters)]
        return list(_names_of_arguments(tuple(names["__init__"] for names in own if "__init__" in names)))

    def get_metadata_routing(self) -> Any:
        """Return what scikit-learn passes to `fit`: without ``preset="best"`` no folds, unless they are requested."""
        routing = super().get_metadata_routing()
        for name in _FOLDS if self.preset is None else ():
            if name in routing.fit.requests and routing.fit.requests[name] is None:
                routing.fit.add_request(param=name, alias=False)
        return routing

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, including `kwargs`."""
        return {**super().get_params(deep), **self.kwargs}

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `kauriboost.parameters` lists those allowed in addition to the named ones."""
        named = self._get_param_names()
        others = {name: value for name, value in params.items() if name not in named and "__" not in name}
        if others:
            self.kwargs = {**self.kwargs, **others}
        super().set_params(**{name: value for name, value in params.items() if name not in others})
        return self

    def _require_known(self, names: Collection[str]) -> None:
        """Raise ParameterError for an unknown parameter name."""
        if not names:
            return
        known = {parameter["name"] for parameter in parameters()}
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, [*self._get_param_names(), *known], 1)
                if near:
                    raise ParameterError(f"{type(self).__name__} has no parameter {name!r}; did you mean {near[0]!r}?")
                self._let_the_library_refuse(name)

    def _let_the_library_refuse(self, name: str) -> None:
        """Raise the booster's error for an unknown name: the name may belong elsewhere."""
        try:
            Booster({name: self.kwargs[name]}).save_config()
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def get_booster_params(self) -> dict[str, Any]:
        """Return the parameters of the booster: those that are set and the estimator's own defaults, without functions.

        Raises ParameterError for an unknown parameter.
        """
        self._require_known(self.kwargs)
        params = {name: value for name, value in self.get_params(deep=False).items() if value is not None}
        for name in _NOT_OF_THE_BOOSTER:
            params.pop(name, None)
        if callable(self.objective):
            del params["objective"]
        if metrics := [metric for metric in self._metrics() if not callable(metric)]:
            params["eval_metric"] = metrics
        else:
            params.pop("eval_metric", None)
        if isinstance(self.random_state, np.random.Generator):
            params["random_state"] = int(self.random_state.integers(np.iinfo(np.int32).max))
        elif not isinstance(self.random_state, (int, np.integer, type(None))):
            params["random_state"] = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return {**defaults.beside(params), **params} if self._has_own_defaults() else params

    def _has_own_defaults(self) -> bool:
        """Return whether defaults.py applies. The search of `preset="best"` chooses by itself."""
        if not self._OWN_DEFAULTS or self.preset is not None:
            return False
        given = {name: value for name, value in self.get_params(deep=False).items() if value is not None}
        return defaults.apply_to(given)

    def get_xgb_params(self) -> dict[str, Any]:
        """Return `get_booster_params()`, and after `fit` also the objective that was chosen, as converters need."""
        objective = getattr(self, "_objective_name", None)
        return {**self.get_booster_params(), **({"objective": objective} if objective else {})}

    def get_num_boosting_rounds(self) -> int:
        """Return the number of rounds to train."""
        if self.n_estimators is not None:
            return whole_number(self.n_estimators, "n_estimators")
        return defaults.ROUNDS if self._has_own_defaults() else defaults.ROUNDS_OF_XGBOOST

    def _metrics(self) -> list[Any]:
        return metric_list(self.eval_metric)

    def _own_metric(self) -> CustomMetric | None:
        functions = [metric for metric in self._metrics() if callable(metric)]
        return as_metric(functions, self._BY_QUERY) if functions else None
