#include "booster/learner_undo.h"

#include <utility>

namespace kauri {
namespace {

/// All that a round sets but trees, categories and what it only adds to.
void CopyHead(Model const& from, Model* to) {
  to->n_features = from.n_features;
  to->n_classes = from.n_classes;
  to->n_targets = from.n_targets;
  to->base_score = from.base_score;
  to->base_score_estimated = from.base_score_estimated;
  to->objective_state = from.objective_state;
  to->n_parallel_trees = from.n_parallel_trees;
  to->tree_weights = from.tree_weights;
  to->linear = from.linear;
}

void MoveHead(Model* from, Model* to) noexcept {
  to->n_features = from->n_features;
  to->n_classes = from->n_classes;
  to->n_targets = from->n_targets;
  to->base_score.swap(from->base_score);
  to->base_score_estimated = from->base_score_estimated;
  to->objective_state.swap(from->objective_state);
  to->n_parallel_trees = from->n_parallel_trees;
  to->tree_weights.swap(from->tree_weights);
  to->linear.weights.swap(from->linear.weights);
  to->linear.n_rounds = from->linear.n_rounds;
}

template <typename T>
void CutBack(std::size_t size, std::vector<T>* values) {
  values->erase(values->begin() + static_cast<std::ptrdiff_t>(size), values->end());
}

}  // namespace

Learner::Impl::Undo::Undo(Impl* impl)
    : impl_(impl),
      n_trees_(impl->model.trees.size()),
      n_iterations_(impl->model.iteration_ptr.size()),
      intercept_ready_(impl->intercept_ready),
      learnt_(impl->learnt),
      updated_(impl->updated) {
  CopyHead(impl->model, &head_);
  ++impl->model_revision;  // what is compiled from here on may be of trees that go again
}

Learner::Impl::Undo::~Undo() {
  if (impl_ == nullptr) return;
  MoveHead(&head_, &impl_->model);
  RestoreTrees();
  if (categories_.has_value()) std::swap(impl_->model.categories, *categories_);
  impl_->intercept_ready = intercept_ready_;
  impl_->learnt = learnt_;
  impl_->updated = std::move(updated_);
  ++impl_->model_revision;
  impl_->split_kinds = {};
  impl_->ForgetTraining();  // margins may hold trees of the round
}

void Learner::Impl::Undo::KeepCategories() {
  if (!categories_.has_value()) categories_ = impl_->model.categories;
}

void Learner::Impl::Undo::TakeTrees() {
  auto& current = impl_->model;
  head_.trees.swap(current.trees);
  head_.output_of_tree.swap(current.output_of_tree);
  head_.iteration_ptr.swap(current.iteration_ptr);
  has_trees_ = true;
}

void Learner::Impl::Undo::RestoreTrees() {
  auto& current = impl_->model;
  if (has_trees_) {
    head_.trees.swap(current.trees);
    head_.output_of_tree.swap(current.output_of_tree);
    head_.iteration_ptr.swap(current.iteration_ptr);
    return;
  }
  CutBack(n_trees_, &current.trees);
  CutBack(n_trees_, &current.output_of_tree);
  CutBack(n_iterations_, &current.iteration_ptr);
}

}  // namespace kauri
