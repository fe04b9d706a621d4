"""LightGBM and CatBoost with parameters that Optuna searches for.

A trial trains with early stopping and is judged by the stopping rows: a fifth of the training rows, or each third of
them in turn where there are fewer than FEW. The first trial has the library's defaults. The best trial's parameters
then train a model of all training rows, with the mean of its numbers of rounds. A learner's time includes the whole
search. Both searches are TPE with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .libraries import Learner, catboost_model, lightgbm_model
from .tasks import Task, split

FEW = 1_000
PATIENCE = 50
LIGHTGBM_ROUNDS = 2_000
CATBOOST_ROUNDS = 1_000


class Searched(NamedTuple):
    """A library: its search space, its defaults there, and a function that trains it."""

    space: Callable[[Any], dict[str, Any]]
    defaults: dict[str, Any]
    # Parameters, training rows, stopping rows (None: all of the rounds), rounds, threads; returns predict and rounds.
    train: Callable[[dict[str, Any], Task, Task | None, int, int], tuple[Callable[[Task], np.ndarray], int]]
    most_rounds: int


def lightgbm_space(trial: Any) -> dict[str, Any]:
    """Return parameters that a trial proposes for LightGBM."""
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "num_leaves": trial.suggest_int("num_leaves", 4, 256, log=True),
        "min_data_in_leaf": trial.suggest_int("min_data_in_leaf", 1, 100, log=True),
        "feature_fraction": trial.suggest_float("feature_fraction", 0.3, 1.0),
        "bagging_fraction": trial.suggest_float("bagging_fraction", 0.5, 1.0),
        "bagging_freq": 1,
        "lambda_l1": trial.suggest_float("lambda_l1", 1e-6, 10.0, log=True),
        "lambda_l2": trial.suggest_float("lambda_l2", 1e-6, 10.0, log=True),
        "cat_smooth": trial.suggest_float("cat_smooth", 1.0, 100.0, log=True),
    }


LIGHTGBM_DEFAULTS = {
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 20,
    "feature_fraction": 1.0,
    "bagging_fraction": 1.0,
    "lambda_l1": 1e-6,
    "lambda_l2": 1e-6,
    "cat_smooth": 10.0,
}


def catboost_space(trial: Any) -> dict[str, Any]:
    """Return parameters that a trial proposes for CatBoost."""
    return {
        "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
        "depth": trial.suggest_int("depth", 3, 8),
        "l2_leaf_reg": trial.suggest_float("l2_leaf_reg", 0.3, 30.0, log=True),
        "random_strength": trial.suggest_float("random_strength", 0.1, 10.0, log=True),
        "bootstrap_type": "Bayesian",
        "bagging_temperature": trial.suggest_float("bagging_temperature", 0.0, 1.0),
        "one_hot_max_size": trial.suggest_int("one_hot_max_size", 2, 25),
    }


CATBOOST_DEFAULTS = {
    "learning_rate": 0.05,  # CatBoost's own depends on the rows and rounds.
    "depth": 6,
    "l2_leaf_reg": 3.0,
    "random_strength": 1.0,
    "bagging_temperature": 1.0,
    "one_hot_max_size": 2,
}

LIGHTGBM = Searched(lightgbm_space, LIGHTGBM_DEFAULTS, lightgbm_model, LIGHTGBM_ROUNDS)
CATBOOST = Searched(catboost_space, CATBOOST_DEFAULTS, catboost_model, CATBOOST_ROUNDS)


def parts_of(n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return pairs of rows to learn from and rows to stop and judge by."""
    if n_rows >= FEW:
        yield split(n_rows, 1000)
        return
    thirds = np.random.default_rng(1000).permutation(n_rows) % 3
    for third in range(3):
        yield np.flatnonzero(thirds != third), np.flatnonzero(thirds == third)


def tuned(library: Searched, trials: int) -> Learner:
    """Return a learner that searches for parameters before it trains."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = train if stop is None else train.with_rows(stop)
        parts = list(parts_of(len(known.labels)))

        def judge(trial: Any) -> float:
            losses, rounds = [], []
            for learnt, judged in parts:
                held = known.some(judged)
                predict, n_rounds = library.train(
                    library.space(trial), known.some(learnt), held, library.most_rounds, threads
                )
                losses.append(held.loss(predict(held)))
                rounds.append(n_rounds)
            trial.set_user_attr("rounds", max(1, round(float(np.mean(rounds)))))
            return float(np.mean(losses))

        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
        study.enqueue_trial(library.defaults)
        study.optimize(judge, n_trials=trials)
        best = library.space(optuna.trial.FixedTrial(study.best_params))
        return library.train(best, known, None, study.best_trial.user_attrs["rounds"], threads)[0](test)

    return learn


TUNED: dict[str, Searched] = {"lightgbm": LIGHTGBM, "catboost": CATBOOST}
