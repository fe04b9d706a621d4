/// process_type=update: the model begins anew and gets its rounds back one by one.
#include "booster/learner_undo.h"
#include "kauri/error.h"

namespace kauri {

void Learner::Impl::PrepareUpdate(Undo* undo) {
  if (updated == nullptr) {
    if (model.trees.empty()) {
      Fail(ErrorKind::kParameter, "process_type=update changes the trees of a model, and the booster has none; ",
           "load a model first, or use process_type=default.");
    }
    if (!model.tree_weights.empty()) {
      Fail(ErrorKind::kParameter, "process_type=update takes trees of booster=gbtree only; those of the model have ",
           "weights (dropout).");
    }
    updated = std::make_shared<Model const>(model);
    undo->TakeTrees();
    ForgetTraining();
  }
  auto const n_rounds = updated->NumIterations();
  if (model.NumIterations() < n_rounds) return;
  Fail(ErrorKind::kParameter, "process_type=update has changed all ", n_rounds, " rounds of the model; ",
       "boost no more rounds than it has, or load it again to change it once more.");
}

}  // namespace kauri
