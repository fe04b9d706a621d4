"""Prediction intervals with the stated coverage of new rows; see `kauriboost.train_quantiles`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .._data.columns import text_names
from .._model.booster import Booster
from .._training.quantiles import ATTRIBUTE, train_quantiles
from .estimator import KauriModel

if TYPE_CHECKING:
    from typing_extensions import Self

_COVERAGE = "kauri_coverage"
_MEDIAN = 1  # index among the quantiles: lower end, median, upper end


class Intervals(KauriModel):
    """Adds prediction intervals to a regressor."""

    def fit_intervals(
        self,
        X: Any,
        y: Any,
        *,
        coverage: float = 0.9,
        nfold: int = 5,
        calibration_set: tuple[Any, Any] | None = None,
        sample_weight: Any = None,
    ) -> Self:
        """Train the median and an interval with the given coverage; each side misses half of the remaining labels.

        The quantiles are calibrated on rows predicted by a model of the other rows, in `nfold` folds. `predict` then
        returns the median and `predict_interval` the interval; the model's file has all three quantiles.

        Parameters
        ----------
        X, y
            As for `fit`, with one target.
        coverage
            The share, above 0 and below 1.
        nfold
            Number of folds, each of which costs one more training; `random_state` selects the permutation of the rows.
        calibration_set
            Rows and targets to calibrate on instead; they must not be in X. Only these give the theoretical guarantee.
        sample_weight
            ``[n_rows]``; not allowed with `calibration_set`, whose rows would have no weights.

        Raises
        ------
        ValueError
            A share out of range, too few rows for it, several targets, or incompatible parameters of the estimator:
            another objective, ``booster="gblinear"``, early stopping, callbacks.
        """
        params = self._interval_params(coverage)
        if calibration_set is not None and sample_weight is not None:
            raise ValueError("sample_weight and calibration_set are both given; pass only the rows to train on.")
        data = self._labelled((X, y, {"weight": sample_weight}))
        self._set_feature_weights(data)
        calibration = None if calibration_set is None else self._labelled((*calibration_set, {}))
        if calibration is not None:
            self._adopt_names(calibration, data.feature_names)
        seed = int(params.get("random_state", 0))
        rounds = self.get_num_boosting_rounds()
        booster = train_quantiles(params, data, rounds, nfold=nfold, calibration=calibration, seed=seed)
        booster.set_attr(**{_COVERAGE: coverage})
        for callback in self._own_callbacks():
            callback.before_training(booster)
        self._evals_result = {}
        self._keep(booster, data.feature_names if text_names(X) else None)
        return self

    def _interval_params(self, coverage: float) -> dict[str, Any]:
        if not 0 < coverage < 1:
            raise ValueError(f"coverage is {coverage!r}; expected a share above 0 and below 1.")
        for name in ("early_stopping_rounds", "callbacks", "preset"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} does not go with fit_intervals, which trains all rounds; leave it out.")
        if callable(self.objective):
            raise ValueError("objective is a function; intervals are trained with 'reg:quantileerror': leave it out.")
        params = self.get_booster_params()
        if "quantile_alpha" in params:
            raise ValueError("quantile_alpha follows from coverage here; leave it out, or see train_quantiles.")
        outside = round((1 - coverage) / 2, 12)
        return {**params, "quantile_alpha": [outside, 0.5, 1 - outside]}

    def predict_interval(self, X: Any, *, validate_features: bool = True) -> np.ndarray:
        """Return the lower and the upper end of each row's interval, ``[n_rows, 2]``; see `fit_intervals`.

        Raises
        ------
        ValueError
            The model has no intervals, or was trained further after their calibration.
        """
        _require_intervals(self.get_booster())
        quantiles = self._predict(X, None, validate_features=validate_features)
        ends: np.ndarray = quantiles[:, [0, -1]]
        return ends

    def _medians(self, values: np.ndarray, base_margin: Any) -> np.ndarray:
        """Return the predictions of `predict`: after `fit_intervals`, the median among the quantiles."""
        if values.ndim != 2 or self.get_booster().attr(_COVERAGE) is None:
            return values
        if base_margin is not None:
            raise ValueError("base_margin would replace the intercepts that calibrate the intervals; leave it out.")
        return values[:, _MEDIAN]


def _require_intervals(booster: Booster) -> None:
    if booster.attr(_COVERAGE) is None:
        raise ValueError("the model has no intervals; call fit_intervals() instead of fit().")
    rounds = json.loads(booster.attr(ATTRIBUTE) or "{}").get("rounds")
    if rounds is None:
        raise ValueError("the model was refitted after its intervals were calibrated; call fit_intervals() again.")
    if rounds != booster.num_boosted_rounds():
        raise ValueError(
            f"the intervals are calibrated for {rounds} rounds, the model has {booster.num_boosted_rounds()}; call "
            "fit_intervals() again."
        )
