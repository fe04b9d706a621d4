"""The estimator for ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._data.columns import split_column
from .._data.matrix import DMatrix
from .._data.numbers import collected
from .._data.rows import Rows
from .._public import public
from .._training.folds import Folds
from .estimator import KauriModel
from .fit_data import eval_rows
from .parameters import hands_on


@public("kauriboost.sklearn")
class KauriRanker(KauriModel):
    """Gradient-boosted ranking of the rows of queries; `objective` is rank:ndcg, rank:pairwise or rank:map.

    Parameters are the same as for `KauriRegressor`, with XGBoost's defaults, but `objective` cannot be a function. A
    function for `eval_metric` gets the rows of one query at a time. If X is a frame with a column ``qid``, that column
    is the query of each row and not a feature.
    """

    _BY_QUERY = True

    @hands_on
    def __init__(
        self,
        *,
        objective: str = "rank:ndcg",
        lambdarank_pair_method: str | None = None,
        lambdarank_num_pair_per_sample: int | None = None,
        lambdarank_normalization: bool | None = None,
        lambdarank_score_normalization: bool | None = None,
        lambdarank_unbiased: bool | None = None,
        lambdarank_bias_norm: float | None = None,
        ndcg_exp_gain: bool | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(objective=objective, **shared)
        self.lambdarank_pair_method = lambdarank_pair_method
        self.lambdarank_num_pair_per_sample = lambdarank_num_pair_per_sample
        self.lambdarank_normalization = lambdarank_normalization
        self.lambdarank_score_normalization = lambdarank_score_normalization
        self.lambdarank_unbiased = lambdarank_unbiased
        self.lambdarank_bias_norm = lambdarank_bias_norm
        self.ndcg_exp_gain = ndcg_exp_gain

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        group: Any = None,
        qid: Any = None,
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
        eval_group: Sequence[Any] | None = None,
        eval_qid: Sequence[Any] | None = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        base_margin_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
        groups: Any = None,
        folds: Folds | None = None,
        nfold: int | None = None,
    ) -> KauriRanker:
        """Train on rows X, with rows of a query adjacent, and their relevance y.

        Parameters
        ----------
        X, y
            ``[n_rows, n_features]`` and ``[n_rows]``.
        group, qid
            Rows per query, in order, ``[n_queries]``; or the query of each row, ascending, ``[n_rows]``. Pass neither
            if X has a column ``qid``.
        sample_weight
            ``[n_queries]``.
        base_margin, feature_weights, verbose, xgb_model, groups, folds, nfold
            As for `KauriRegressor.fit`.
        eval_set, eval_group, eval_qid, sample_weight_eval_set, base_margin_eval_set
            (X, y) pairs to evaluate after each round, and the queries, weights and so on of each pair.
        X_val, y_val, sample_weight_val, eval_X, eval_y, eval_sample_weight
            As for `KauriRegressor.fit`, with `eval_group` or `eval_qid` for the set, or a column ``qid`` of its rows.
        """
        y = collected(y)
        if callable(self.objective):
            raise ValueError("KauriRanker takes no function for objective; see kauriboost.train.")
        fields = {"group": group, "qid": qid, "weight": sample_weight, "base_margin": base_margin}
        apart = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        apart |= {"eval_X": eval_X, "eval_y": eval_y, "eval_sample_weight": eval_sample_weight}
        evals = eval_rows(
            eval_set,
            apart,
            eval_group=eval_group,
            eval_qid=eval_qid,
            sample_weight_eval_set=sample_weight_eval_set,
            base_margin_eval_set=base_margin_eval_set,
        )
        train = (X, y, {**fields, "feature_weights": feature_weights})
        given = self._given(train, evals, verbose, xgb_model, groups=groups, folds=folds, nfold=nfold)
        return self._fit(given, self.get_booster_params())

    def refit(
        self,
        X: Any,
        y: Any,
        *,
        decay_rate: float = 0.9,
        group: Any = None,
        qid: Any = None,
        sample_weight: Any = None,
        base_margin: Any = None,
    ) -> KauriRanker:
        """Refit the leaf values on other queries; see `KauriRegressor.refit`, and `fit` for the rows."""
        fields = {"group": group, "qid": qid, "weight": sample_weight, "base_margin": base_margin}
        self._refit((X, y, fields), decay_rate)
        return self

    def _matrix(self, X: Any, kind: type[DMatrix] = DMatrix, **info: Any) -> DMatrix:
        """Make a matrix; labelled rows need queries."""
        X, column = split_column(X, "qid")
        if "label" in info:
            given = [queries for queries in (info.get("group"), info.get("qid"), column) if queries is not None]
            if not given:
                raise ValueError(
                    "KauriRanker needs the queries of the rows, and has neither qid nor group: pass group (rows per "
                    "query), or qid (per row), or a column qid of X; for eval_set eval_group or eval_qid."
                )
            if len(given) != 1:
                raise ValueError(
                    f"KauriRanker needs the queries of the rows once, and they are there {len(given)} times: pass "
                    "group (rows per query), or qid (per row), or a column qid of X."
                )
            info["qid"] = column if info.get("qid") is None else info["qid"]
        return super()._matrix(X, kind, **info)

    def _few_rows(self, X: Any, how: dict[str, Any]) -> Rows | None:
        return super()._few_rows(split_column(X, "qid")[0], how)

    def predict(
        self,
        X: Any,
        *,
        output_margin: bool = False,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return the scores of rows, ``[n_rows]``, which rank the rows of each query, largest first.

        For the parameters see `KauriRegressor.predict`.
        """
        how = {"output_margin": output_margin, "validate_features": validate_features, "base_margin": base_margin}
        return self._predict(X, iteration_range, **how)

    def staged_predict(
        self, X: Any, *, base_margin: Any = None, iteration_range: tuple[int, int] | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the scores after each round; see `KauriRegressor.staged_predict`."""
        return self._staged(
            X,
            base_margin,
            iteration_range,
            lambda rows, margins, one: self.predict(rows, base_margin=margins, iteration_range=one),
        )

    def score(self, X: Any, y: Any, *, group: Any = None, qid: Any = None, sample_weight: Any = None) -> float:
        """Return the last metric (by default the objective's own) on rows X of queries and their relevance y.

        `group`, `qid` and `sample_weight` are as in `fit`, the rounds as in `predict`.
        """
        booster = self.get_booster()
        data = self._labelled((X, y, {"group": group, "qid": qid, "weight": sample_weight}))
        self._adopt_names(data, booster.feature_names)
        begin, end = self._rounds(None)
        booster = booster if end == 0 else booster[begin:end]
        return booster._evaluate([(data, "score")], 0, self._own_metric(), output_margin=False)[-1][2]
