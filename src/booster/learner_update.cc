/// process_type=update: the model begins anew and gets its rounds back one by one.
#include "booster/learner_impl.h"
#include "kauri/error.h"

namespace kauri {

void Learner::Impl::PrepareUpdate() {
  if (updated == nullptr) {
    if (model.trees.empty()) {
      Fail(ErrorKind::kParameter, "process_type=update changes the trees of a model, and the booster has none; ",
           "load a model first, or use process_type=default.");
    }
    if (!model.tree_weights.empty()) {
      Fail(ErrorKind::kParameter, "process_type=update takes trees of booster=gbtree only; those of the model have ",
           "weights (booster=dart).");
    }
    updated = std::make_unique<Model const>(model);
    model.trees.clear();
    model.output_of_tree.clear();
    model.iteration_ptr = {0};
    ForgetTraining();
    ForgetResolved();  // the compiled model is told from others by its rounds alone
  }
  auto const n_rounds = updated->NumIterations();
  if (model.NumIterations() < n_rounds) return;
  Fail(ErrorKind::kParameter, "process_type=update has changed all ", n_rounds, " rounds of the model; ",
       "boost no more rounds than it has, or load it again to change it once more.");
}

void Learner::Impl::GiveUpUpdate() {
  if (updated == nullptr || model.NumIterations() > 0) return;
  model = *updated;
  ++model_revision;
  updated.reset();
  ForgetResolved();
}

}  // namespace kauri
