/// \file What an engine keeps of a training set besides its arrays, wherever those are: the state of what learns from
/// it, and the watch over its gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/resolution_watch.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// \throws Error(kData) unless there is one pair for every row and output.
void CheckGradientCount(std::int64_t n_pairs, std::int64_t n_rows, std::int64_t n_outputs);

class TrainingData {
 public:
  /// The state that goes by `key`: the last one made if it does, else what `make` returns. The old one goes first: its
  /// memory may be what the new one needs.
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
