#include "kauri/model.h"

#include <algorithm>

#include "kauri/error.h"

namespace kauri {

TreeRange Model::TreesOf(IterationRange iterations) const {
  auto const end = iterations.end == 0 ? NumIterations() : iterations.end;
  if (iterations.begin < 0 || iterations.begin > end || end > NumIterations()) {
    Fail(ErrorKind::kParameter, "the range of iterations [", iterations.begin, ", ", iterations.end,
         ") does not fit; the model has ", NumIterations(), " iterations (an end of 0 means all)");
  }
  if (IsLinear()) {
    if (iterations.begin == 0 && end == NumIterations()) return {};
    Fail(ErrorKind::kParameter, "iterations [", iterations.begin, ", ", end, ") of a linear booster were requested, ",
         "but it keeps only the weights after all ", NumIterations(), "; leave the range out.");
  }
  return {iteration_ptr[iterations.begin], iteration_ptr[end]};
}

bool Model::HasVectorLeaves() const {
  return std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.HasVectorLeaves(); });
}

bool Model::HasLinearLeaves() const {
  return std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.HasLinearLeaves(); });
}

void Model::RequireConstantLeaves(char const* what) const {
  if (!HasLinearLeaves()) return;
  Fail(ErrorKind::kParameter, "the model has linear leaves (linear_tree=1), for which there are no ", what,
       "; train with linear_tree=0, or ask for values, margins or leaves with device=cpu.");
}

}  // namespace kauri
