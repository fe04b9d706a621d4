/// \file The formula of an objective, as a value: all information that a device needs for its own version.
#pragma once

#include <variant>
#include <vector>

#include "common/loss/aft_loss.h"
#include "objective/alpha_losses.h"
#include "objective/cox_loss.h"
#include "objective/element_losses.h"
#include "objective/objective_table.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_rule.h"
#include "objective/scaled_losses.h"
#include "objective/softmax_loss.h"

namespace kauri {

/// Devices have kernels for each alternative except the first, which only the host computes. std::vector: one loss for
/// each output. LambdaRule: without the key, which PairKey gives for a round. UnbiasedRule: changes the state that it
/// names.
struct ObjectiveFormula {
#define KAURI_ALTERNATIVE(Loss) , Loss
  std::variant<std::monostate KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_ALTERNATIVE), SoftmaxLoss, AbsoluteLoss,
               std::vector<QuantileLoss>, std::vector<ExpectileLoss>, AftLoss, CoxLoss, LambdaRule, UnbiasedRule>
      value;
#undef KAURI_ALTERNATIVE
};

}  // namespace kauri
