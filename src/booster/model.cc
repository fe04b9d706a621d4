#include "kauri/model.h"

#include <algorithm>

namespace kauri {

TreeRange Model::TreesOf(IterationRange iterations) const {
  auto const end = iterations.end == 0 ? NumIterations() : iterations.end;
  if (iterations.begin < 0 || iterations.begin > end || end > NumIterations()) {
    Fail(ErrorKind::kParameter, "the range of iterations [", iterations.begin, ", ", iterations.end,
         ") does not fit; the model has ", NumIterations(), " iterations (an end of 0 means all)");
  }
  return {iteration_ptr[static_cast<std::size_t>(iterations.begin)], iteration_ptr[static_cast<std::size_t>(end)]};
}

bool Model::HasVectorLeaves() const {
  return std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.HasVectorLeaves(); });
}

}  // namespace kauri
