/// \file How a round that fails leaves no trace.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "booster/learner_impl.h"

namespace kauri {

/// Puts a learner back as it was when this was made, unless Commit() is called: what a round may change besides adding
/// trees is copied, trees are counted. Costs as much as a model without its trees.
class Learner::Impl::Undo {
 public:
  explicit Undo(Impl* impl);
  ~Undo();
  Undo(Undo const&) = delete;
  Undo& operator=(Undo const&) = delete;

  void Commit() { impl_ = nullptr; }
  /// To be called before the model's categories change.
  void KeepCategories();
  /// Takes the model's trees, which is left without.
  void TakeTrees();

 private:
  void RestoreTrees();

  Impl* impl_;  ///< null: committed
  Model head_;  ///< the model's small fields; all trees after TakeTrees
  bool has_trees_ = false;
  std::optional<ModelCategories> categories_;
  std::size_t n_trees_;
  std::size_t n_iterations_;
  bool intercept_ready_;
  DataStamp learnt_;
  std::shared_ptr<Model const> updated_;
};

}  // namespace kauri
