/// \file State that an engine keeps for a training set besides its arrays, wherever these are stored: the state of tree
/// builders and linear updaters, and the check of its gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/resolution_watch.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// Checks the number of pairs. \throws Error(kData) unless there is one pair for every row and output.
void CheckGradientCount(std::int64_t n_pairs, std::int64_t n_rows, std::int64_t n_outputs);

class TrainingData {
 public:
  /// Returns the state for `key`: the last one if it has this key, otherwise the result of `make`. The old state is
  /// released first, because the new one may need its memory.
  template <typename Make>
  BuildState* StateFor(std::string const& key, Make const& make) {
    if (state_ == nullptr || state_key_ != key) {
      state_.reset();
      state_ = make();
      state_key_ = key;
    }
    return state_.get();
  }

  ResolutionWatch& Watch() { return watch_; }

 private:
  std::unique_ptr<BuildState> state_;
  std::string state_key_;
  ResolutionWatch watch_;
};

}  // namespace kauri
