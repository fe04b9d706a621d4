/// \file What an engine keeps of a training set besides its arrays, wherever those are: the state of what learns from
/// it, the quantiles that the objective names for leaves, and the watch over its gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/resolution_watch.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/meta_info.h"
#include "kauri/objective.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// \throws Error(kData) unless there is one pair for every row and output.
void CheckGradientCount(std::int64_t n_pairs, std::int64_t n_rows, std::int64_t n_outputs);

/// A tree that was built for a round, and where its rows are, in host memory.
struct BuiltTree {
  RoundTree const& round;
  std::int64_t output = 0;                ///< whose leaf values are to be set
  Span<std::uint8_t const> sampled_rows;  ///< [n_rows], 1 = used; empty = all are used
  Span<std::int32_t const> leaf_of_row;   ///< [n_rows]
};

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

  /// The next gradients are those of `objective`. Returns whether it names a quantile for the leaves of any output:
  /// then the margins of before the round are to be kept.
  bool ExpectGradientsOf(Objective const& objective, std::int64_t n_outputs);
  /// The next gradients are a caller's.
  void ExpectGradientsOfCaller();
  /// margins: [n_rows, n_outputs], without any tree of the round.
  void KeepMargins(std::vector<float> margins) { round_margins_ = std::move(margins); }
  ResolutionWatch& Watch() { return watch_; }

  /// Whether the leaves of a tree for `output` are to be set.
  bool SetsLeaves(std::int64_t output) const;
  /// Sets them, where SetsLeaves.
  void SetLeaves(Context const& ctx, MetaInfo const& info, BuiltTree const& built, Tree* tree) const;

 private:
  std::unique_ptr<BuildState> state_;
  std::string state_key_;
  std::vector<std::optional<float>> leaf_quantiles_;  ///< [n_outputs], or empty for gradients of a caller
  std::vector<float> round_margins_;                  ///< [n_rows, n_outputs]; only with a leaf quantile
  ResolutionWatch watch_;
};

}  // namespace kauri
