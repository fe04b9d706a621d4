/// \file Parameters of the ranking objectives; `lambdarank_param` in model files.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>

#include "objective/ranking/rank_rule.h"

namespace kauri {

struct LambdaRankParam : public dmlc::Parameter<LambdaRankParam> {
  static constexpr std::int64_t kNotSet = 4294967295;  ///< the value that XGBoost writes into model files

  int lambdarank_pair_method;
  std::int64_t lambdarank_num_pair_per_sample;
  bool lambdarank_normalization;
  bool lambdarank_score_normalization;
  bool lambdarank_unbiased;
  double lambdarank_bias_norm;
  bool ndcg_exp_gain;

  DMLC_DECLARE_PARAMETER(LambdaRankParam) {
    DMLC_DECLARE_FIELD(lambdarank_pair_method)
        .set_default(static_cast<int>(PairMethod::kTopK))
        .add_enum("mean", static_cast<int>(PairMethod::kMean))
        .add_enum("topk", static_cast<int>(PairMethod::kTopK))
        .describe("topk: every row of the best places against all below it; mean: random partners for every row.");
    DMLC_DECLARE_FIELD(lambdarank_num_pair_per_sample)
        .set_default(kNotSet)
        .set_range(1, kNotSet)
        .describe("topk: how many places are the best; mean: partners of a row. Left as it is: 32 and 1.");
    DMLC_DECLARE_FIELD(lambdarank_normalization)
        .set_default(true)
        .describe("topk: shrink groups whose gradients are large; mean: divide by the number of partners.");
    DMLC_DECLARE_FIELD(lambdarank_score_normalization)
        .set_default(true)
        .describe("Pairs whose scores are far apart count less.");
    DMLC_DECLARE_FIELD(lambdarank_unbiased)
        .set_default(false)
        .describe("Labels are clicks: learn how much the place of a row in its group has to do with them.");
    DMLC_DECLARE_FIELD(lambdarank_bias_norm)
        .set_default(1.0)
        .set_range(0.0, 1.7976931348623157e308)
        .describe("lambdarank_unbiased: the larger, the less places differ; p of the Lp norm is this and 1.");
    DMLC_DECLARE_FIELD(ndcg_exp_gain)
        .set_default(true)
        .describe("ndcg: a row of relevance y gains 2^y - 1; off: it gains y.");
  }

  void Validate() const {}

  /// Returns the number of best places, or of partners of a row.
  std::int64_t NumPairs() const {
    if (lambdarank_num_pair_per_sample != kNotSet) return lambdarank_num_pair_per_sample;
    return lambdarank_pair_method == static_cast<int>(PairMethod::kTopK) ? 32 : 1;
  }
};

}  // namespace kauri
