"""Random forests: estimators trained in one round of many trees."""

from __future__ import annotations

from typing import Any

from .._public import public
from .classifier import KauriClassifier
from .estimator import KauriModel
from .parameters import hands_on
from .regressor import KauriRegressor


class _Forest(KauriModel):
    """A random forest: one round of `n_estimators` trees for each output."""

    _OWN_DEFAULTS = False  # a forest's are in its signature

    @hands_on
    def __init__(
        self,
        *,
        learning_rate: float = 1.0,
        subsample: float = 0.8,
        colsample_bynode: float = 0.8,
        reg_lambda: float = 1e-5,
        **shared: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            subsample=subsample,
            colsample_bynode=colsample_bynode,
            reg_lambda=reg_lambda,
            **shared,
        )

    def get_num_boosting_rounds(self) -> int:
        """Return 1, because a forest is one round."""
        return 1

    def get_booster_params(self) -> dict[str, Any]:
        """Return the parameters of the booster."""
        if self.early_stopping_rounds is not None or self.callbacks or self.preset is not None:
            raise ValueError(
                "a random forest is one round, so early_stopping_rounds, callbacks and preset have no meaning."
            )
        if self.warm_start:
            raise ValueError("a random forest is one round, which warm_start cannot add trees to; leave it out.")
        return {**super().get_booster_params(), "num_parallel_tree": super().get_num_boosting_rounds()}


@public("kauriboost.sklearn")
class KauriRFRegressor(_Forest, KauriRegressor):
    """A random forest for regression; the parameters are `KauriRegressor`'s, with a forest's defaults.

    `n_estimators` is the number of trees, which are averaged; `subsample` and `colsample_bynode` vary them.
    """


@public("kauriboost.sklearn")
class KauriRFClassifier(_Forest, KauriClassifier):
    """A random forest for classification, with `n_estimators` trees per class; see `KauriRFRegressor`."""
