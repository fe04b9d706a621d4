"""The estimator of whole distributions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._binding.distribution_calls import families
from .._data.numbers import as_numeric
from .._model.distribution import PREFIX, Distribution
from .._public import public
from .fit_data import FitData
from .parameters import hands_on
from .regressor import KauriRegressor

_OF_TREES = {"learning_rate": 0.1, "max_depth": 3, "min_data_in_leaf": 20}
_MANY_ROWS, _SHARE_OF_MANY = 1000, 0.5  # subsample from so many rows on
_SECOND_NAMES = {"learning_rate": "eta", "min_data_in_leaf": "min_child_samples"}


@public("kauriboost.sklearn")
class KauriDistribution(KauriRegressor):
    """Gradient-boosted regression of the whole distribution of the label.

    Each row gets a distribution of its own: its parameters are learnt together, by natural gradients, in trees whose
    leaves hold all of them. `predict` returns the mean and `predict_distribution` the distribution, from which follow
    quantiles, intervals, probabilities and samples.

    Parameters
    ----------
    distribution
        The family of the label: "normal", "lognormal", "laplace", "student_t", "gamma", "poisson", "negative_binomial",
        "zero_inflated_poisson", "zero_inflated_negative_binomial" or "zero_inflated_gamma".
    shared
        The parameters of `KauriRegressor`. The defaults are `n_estimators` 200, `learning_rate` 0.1, `max_depth` 3,
        `min_data_in_leaf` 20, and from 1,000 rows on `subsample` 0.5; early stopping watches the negative
        log-likelihood, ``nll``. With `monotone_constraints` the mean of the distribution rises or falls with the
        feature.
    """

    _OWN_DEFAULTS = False

    @hands_on
    def __init__(self, *, distribution: str = "normal", **shared: Any) -> None:
        super().__init__(**shared)
        self.distribution = distribution

    def get_num_boosting_rounds(self) -> int:
        """Return the number of rounds to train."""
        return 200 if self.n_estimators is None else super().get_num_boosting_rounds()

    def get_booster_params(self) -> dict[str, Any]:
        """Return the parameters of the booster: those that are set, the objective and the estimator's own defaults."""
        if self.distribution not in families():
            raise ValueError(f"distribution is {self.distribution!r}; expected one of {', '.join(families())}.")
        if self.objective not in (None, PREFIX + self.distribution):
            raise ValueError(
                f"objective is {self.objective!r}; {type(self).__name__} has the objective of its distribution, "
                f"{PREFIX}{self.distribution}: leave it out."
            )
        if self.preset is not None:
            raise ValueError("preset chooses the parameters of other objectives; leave it out.")
        params = super().get_booster_params()
        params.pop("distribution", None)
        beside = (
            {
                name: value
                for name, value in _OF_TREES.items()
                if name not in params and _SECOND_NAMES.get(name) not in params
            }
            if params.get("booster", "gbtree") == "gbtree"
            else {}
        )
        return {**beside, **params, "objective": PREFIX + self.distribution}

    @staticmethod
    def _suits(objective: str) -> bool:
        return objective.startswith(PREFIX)

    def _fit(self, given: FitData, params: dict[str, Any]) -> KauriDistribution:
        is_plain = params.get("booster", "gbtree") == "gbtree" and "subsample" not in params
        many = {"subsample": _SHARE_OF_MANY} if is_plain and len(given.train[1]) >= _MANY_ROWS else {}
        super()._fit(given, {**many, **params})
        return self

    def predict_distribution(
        self,
        X: Any,
        *,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> Distribution:
        """Return the distribution of each row's label."""
        how = {"validate_features": validate_features, "base_margin": base_margin}
        return self._as_distribution(self._predict(X, iteration_range, **how))

    def predict(
        self,
        X: Any,
        *,
        output_margin: bool = False,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return the mean of each row's distribution, ``[n_rows]``.

        Parameters
        ----------
        X
            ``[n_rows, n_features]``.
        output_margin
            Return the raw scores of the parameters instead, ``[n_rows, n_parameters]``.
        validate_features
            Compare the feature names with the training data's.
        base_margin
            ``[n_rows, n_parameters]``.
        iteration_range
            Rounds [begin, end) to use.
        """
        how = {"output_margin": output_margin, "validate_features": validate_features, "base_margin": base_margin}
        values = self._predict(X, iteration_range, **how)
        return values if output_margin else self._as_distribution(values).mean

    def _as_distribution(self, values: np.ndarray) -> Distribution:
        return Distribution(self._objective_name[len(PREFIX) :], values)

    def predict_interval(self, X: Any, *, coverage: float = 0.9, validate_features: bool = True) -> np.ndarray:
        """Return the ends of central intervals with the given coverage, ``[n_rows, 2]``."""
        return self.predict_distribution(X, validate_features=validate_features).interval(coverage)

    def fit_intervals(self, X: Any, y: Any, **settings: Any) -> KauriDistribution:
        """Raise ValueError: intervals follow from the distribution, see `predict_interval`."""
        raise ValueError("intervals follow from the distribution: call fit(), then predict_interval().")

    def staged_predict(
        self, X: Any, *, base_margin: Any = None, iteration_range: tuple[int, int] | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the means after each round."""
        return self._staged(
            X,
            base_margin,
            iteration_range,
            lambda rows, margins, one: self._as_distribution(self._predict(rows, one, base_margin=margins)).mean,
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean log-likelihood of the labels: the higher the better."""
        scores = self.predict_distribution(X).nll(as_numeric(y, "y"))
        return -float(np.average(scores, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
