"""Converts estimators of XGBoost's package, over Kauri's library, to tensors of torch by hummingbird.

Hummingbird recognises estimators by the names of XGBoost's classes, so it accepts only estimators of that package. It
ignores the intercept of classifiers, whichever library trained them, so here base_score is 0.5, a margin of 0. Ends
with an error if hummingbird's numbers differ from ours. Runs on Python 3.9.
"""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from hummingbird.ml import convert

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4)).astype(np.float32)
YES = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
FEW = {"n_estimators": 5, "max_depth": 3}

assert "KAURI_VERSION" in xgb.build_info()
for labels in (YES, np.digitize(X[:, 0], [-0.5, 0.5])):
    model = xgb.XGBClassifier(**FEW, base_score=0.5).fit(X, labels)
    found = convert(model, "torch", extra_config={"n_features": 4})
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), atol=1e-6)
model = xgb.XGBRegressor(**FEW).fit(X, X[:, 0] ** 2)
found = convert(model, "torch", extra_config={"n_features": 4})
np.testing.assert_allclose(np.ravel(found.predict(X)), model.predict(X), atol=1e-5)
print("used")
