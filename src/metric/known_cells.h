/// \file A block of cells with missing labels, prepared for loops that do not check for them.
#pragma once

#include "common/loss/element_weights.h"
#include "common/loss/missing_labels.h"
#include "metric/loss_kernels.h"

namespace kauri {

/// A copy of a block in which cells with missing labels (`IsMissingLabel`) have weight 0, and a prediction and label
/// that every loss of element_losses.h accepts, so that they add 0.
class KnownCells {
 public:
  explicit KnownCells(LossBlock const& cells) : n_(cells.n) {
    for (std::int64_t i = 0; i < n_; ++i) {
      auto const is_missing_label = IsMissingLabel(cells.labels[i]);
      predictions_[i] = is_missing_label ? 0.5F : cells.predictions[i];
      labels_[i] = is_missing_label ? 1.0F : cells.labels[i];
      weights_[i] = is_missing_label ? 0.0F : cells.weights[i];
    }
  }
  /// Returns the block, which must not outlive this object.
  LossBlock Block() const { return {predictions_.data(), labels_.data(), weights_.data(), n_}; }

 private:
  ElementBuffer predictions_;
  ElementBuffer labels_;
  ElementBuffer weights_;
  std::int64_t n_;
};

}  // namespace kauri
