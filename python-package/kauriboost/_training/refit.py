"""New leaf values for a model with unchanged splits."""

from __future__ import annotations

import json

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.params import ParamsOrPairs
from .quantiles import ATTRIBUTE as CALIBRATION
from .train import train


def refit(model: Booster, data: DMatrix, *, decay_rate: float = 0.9, params: ParamsOrPairs | None = None) -> Booster:
    """Refit the leaf values of a model on other data, as LightGBM's ``refit`` does.

    This is done tree by tree. The rows go down the unchanged splits, and each leaf becomes ``decay_rate`` times its old
    value plus ``1 - decay_rate`` times the value computed from its rows, or 0 if it has no rows. The gradients of a
    round use the new leaves of the earlier rounds.

    Parameters
    ----------
    model
        The model, which is not changed. It must have trees (not ``dart``) with one number in each leaf.
    data
        Rows and labels.
    decay_rate
        Share of the old values, in [0, 1].
    params
        Parameters that the model lacks. A model loaded from a file has its objective, but not its learning rate or
        regularisation: pass ``eta``, ``lambda``, ... here.

    Returns
    -------
    Booster
        A new model, which can be trained further. It keeps `best_iteration`, because new leaves depend only on earlier
        rounds: the rounds up to the best are the same as refitting them alone. It has no `best_score`, because that
        belonged to the old leaves. Quantiles of `train_quantiles` are no longer calibrated.

    Raises
    ------
    ParameterError
        A share out of range, ``device=cuda``, or a model without trees or with weighted trees.
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
