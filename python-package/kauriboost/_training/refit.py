"""New values for the leaves of a model whose splits stay."""

from __future__ import annotations

import json

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.params import ParamsOrPairs
from .quantiles import ATTRIBUTE as CALIBRATION
from .train import train


def refit(model: Booster, data: DMatrix, *, decay_rate: float = 0.9, params: ParamsOrPairs | None = None) -> Booster:
    """Give the leaves of a model the values that other data ask for, as LightGBM's ``refit`` does.

    Tree by tree: the rows go down its splits, which stay, and each leaf becomes ``decay_rate`` times its old value plus
    ``1 - decay_rate`` times the value that the rows in it give, 0 where there are none. The gradients of a round are
    those after the new leaves of the rounds before.

    Parameters
    ----------
    model
        The model; it stays as it is. Of trees (not ``dart``), with a number in each leaf.
    data
        Rows and labels.
    decay_rate
        Share of the old values, in [0, 1].
    params
        Parameters that the model does not have. A model that was loaded from a file knows its objective, but neither
        its learning rate nor its regularisation: give ``eta``, ``lambda``, ... here.

    Returns
    -------
    Booster
        Another model, which can be trained further. It keeps `best_iteration`, as the new leaves of a round depend on
        no later one: the rounds up to the best are what refitting them alone gives. It has no `best_score`, which was
        one of the old leaves. Quantiles of `train_quantiles` are no longer calibrated.

    Raises
    ------
    ParameterError
        A share out of range, ``device=cuda``, or a model of no trees or of trees with weights.
    """
    if json.loads(model.save_config())["learner"]["gradient_booster"]["name"] == "gblinear":
        raise ParameterError(
            "booster is 'gblinear', which has no leaves; to continue training call train() with xgb_model."
        )
    update = {"process_type": "update", "updater": "refresh", "refresh_leaf": True, "refresh_decay": decay_rate}
    rounds = model.num_boosted_rounds()
    refitted = train({**dict(params or {}), **update}, data, rounds, xgb_model=model, verbose_eval=False)
    refitted.set_param({"process_type": "default", "updater": "", "refresh_decay": 0})
    refitted.set_attr(**{CALIBRATION: None, "best_iteration": model.attr("best_iteration")})
    return refitted
