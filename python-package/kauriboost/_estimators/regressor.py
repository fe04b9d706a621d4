"""The estimator for regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from .._data.numbers import as_numeric, collected
from .._public import public
from .._training.folds import Folds
from .estimator import has_several_columns
from .fit_data import eval_rows
from .intervals import Intervals


@public("kauriboost.sklearn")
class KauriRegressor(RegressorMixin, Intervals):
    """Gradient-boosted regression.

    Parameters are the booster's under scikit-learn's names, and all of ``kauriboost.parameters()``
    (``KauriRegressor(objective="reg:quantileerror", quantile_alpha=0.9)``). None keeps the default.
    Some defaults are not those of XGBoost and `kauriboost.train`: `n_estimators` 200, `learning_rate` 0.1, `reg_lambda`
    5 and `colsample_bynode` 0.5, chosen on real data sets. Linear models, ``booster="dart"`` and boosted forests
    (`num_parallel_tree`) keep XGBoost's. `get_booster_params` shows what is in effect.

    Additional parameters are `n_estimators` (rounds), `missing`, `early_stopping_rounds`, `validation_fraction`,
    `importance_type`, `callbacks` and `warm_start`. With `early_stopping_rounds` and no rows to evaluate in `fit`, the
    share `validation_fraction` of the rows is held out, equal for all classes; rows of a query stay together, and
    `random_state` selects them. None holds out none. With `warm_start`, `fit` adds rounds to the model of the last
    `fit`, up to `n_estimators` in all.

    With ``preset="best"``, `kauriboost.fit_best` chooses learning rate, rounds and other parameters that are not given,
    within `time_budget` seconds or `rounds_budget` rounds; `n_estimators` is then ignored. `best_fit_` has the choice
    and its cost. `fit` takes the folds: `groups`, `folds` and `nfold`.

    `objective` may be a function (y_true, margins) -> (gradients, hessians), and `eval_metric` or entries of it
    functions (y_true, y_pred) -> number, such as those in ``sklearn.metrics``. If rows have weights, the functions also
    need an argument `sample_weight`. Early stopping minimises such a metric; pass `kauriboost.callback.EarlyStopping`
    to change this.

    `fit_intervals` learns prediction intervals.
    """

    _OWN_DEFAULTS = True

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        base_margin: Any = None,
        feature_weights: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        eval_X: Any = None,
        eval_y: Any = None,
        eval_sample_weight: Any = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        base_margin_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
        groups: Any = None,
        folds: Folds | None = None,
        nfold: int | None = None,
    ) -> KauriRegressor:
        """Train on rows X and targets y.

        Parameters
        ----------
        X, y
            ``[n_rows, n_features]`` (array, sparse matrix or data frame) and ``[n_rows]``, or ``[n_rows, n_targets]``:
            see the parameter `multi_strategy`. NaN in a table of targets is an unknown target, which is ignored.
        sample_weight, base_margin
            ``[n_rows]``.
        feature_weights
            ``[n_features]``; alternatively a parameter of the estimator.
        eval_set
            (X, y) pairs to evaluate after each round.
        X_val, y_val, sample_weight_val
            The same for one set, or for tuples of several, with scikit-learn's names; a `Pipeline` with
            ``transform_input=["X_val"]`` transforms these rows as it transforms X.
        eval_X, eval_y, eval_sample_weight
            The same with LightGBM's names.
        sample_weight_eval_set, base_margin_eval_set
            The same fields for each pair, or for the set.
        verbose
            Show the progress; see `kauriboost.train`.
        xgb_model
            A model to continue.
        groups, folds, nfold
            The folds of ``preset="best"``: values ``[n_rows]`` whose equal ones stay in one fold, such as a patient's
            visits; folds, or a splitter of scikit-learn, such as ``TimeSeriesSplit(4)``; the number of folds. See
            `kauriboost.fit_best`.
        """
        y = collected(y)
        self._require_target(y)
        params = self.get_booster_params()
        if params.get("objective") == "survival:aft":
            raise ValueError(
                "objective is survival:aft, which learns from two bounds of each row, and fit() takes one label; call "
                "kauriboost.train with DMatrix(X, label_lower_bound=..., label_upper_bound=...)."
            )
        fields = {"weight": sample_weight, "base_margin": base_margin, "feature_weights": feature_weights}
        apart = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        apart |= {"eval_X": eval_X, "eval_y": eval_y, "eval_sample_weight": eval_sample_weight}
        by_set = {
            "sample_weight_eval_set": sample_weight_eval_set,
            "base_margin_eval_set": base_margin_eval_set,
        }
        evals = eval_rows(eval_set, apart, **by_set)
        search = {"groups": groups, "folds": folds, "nfold": nfold}
        return self._fit(self._given((X, y, fields), evals, verbose, xgb_model, **search), params)

    def refit(
        self, X: Any, y: Any, *, decay_rate: float = 0.9, sample_weight: Any = None, base_margin: Any = None
    ) -> KauriRegressor:
        """Refit the leaf values on other rows; the splits stay, see `kauriboost.refit`.

        The previous booster object is not changed. `best_iteration` stays; `best_score` and the evaluations are
        dropped. After `fit_intervals` the intervals are no longer calibrated.

        Parameters
        ----------
        X, y
            As for `fit`.
        decay_rate
            Share of the old values, in [0, 1].
        sample_weight, base_margin
            As for `fit`.
        """
        self._refit((X, y, {"weight": sample_weight, "base_margin": base_margin}), decay_rate)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @staticmethod
    def _suits(objective: str) -> bool:
        return not objective.startswith(("multi:", "rank:", "dist:"))

    def predict(
        self,
        X: Any,
        *,
        output_margin: bool = False,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return predictions in the shape of y; after early stopping with the rounds up to the best one.

        After `fit_intervals` it returns the median.

        Parameters
        ----------
        X
            ``[n_rows, n_features]``.
        output_margin
            Return sums of leaf values without transforming them.
        validate_features
            Compare the feature names with the training data's.
        base_margin
            ``[n_rows]`` or ``[n_rows, n_targets]``.
        iteration_range
            Rounds [begin, end) to use.
        """
        how = {"output_margin": output_margin, "validate_features": validate_features, "base_margin": base_margin}
        return self._medians(self._predict(X, iteration_range, **how), base_margin)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of the variance of y that is explained (r2); for a table, the mean over its targets.

        Rows with a NaN target are left out for that target; targets that are NaN in all rows are left out.
        """
        if not has_several_columns(y):
            return float(super().score(X, y, sample_weight))
        from sklearn.metrics import r2_score  # imported late, as scikit-learn does

        table, predictions = as_numeric(y, "y"), self.predict(X)
        weights = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight)
        scores = []
        for target, predicted in zip(table.T, predictions.T):
            known = ~np.isnan(target)
            if known.any():
                scores.append(r2_score(target[known], predicted[known], sample_weight=weights[known]))
        return float(np.mean(scores))

    def staged_predict(
        self, X: Any, *, base_margin: Any = None, iteration_range: tuple[int, int] | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the predictions after each round; the last equals that of `predict`, with the same parameters.

        Each round evaluates its own trees twice, and no trees of earlier rounds.
        """
        return self._staged(
            X,
            base_margin,
            iteration_range,
            lambda rows, margins, one: self._medians(self._predict(rows, one, base_margin=margins), base_margin),
        )
