#include "engine/row_leaves.h"

#include "kauri/error.h"

namespace kauri {

std::vector<std::int32_t> FindRowLeaves(Context const& ctx, DataMatrix const& data, Predictor const& predictor,
                                        Tree const& tree) {
  constexpr std::int32_t kMostNodes = 1 << 24;
  if (tree.NumNodes() > kMostNodes) {
    Fail(ErrorKind::kModel, "a tree of ", tree.NumNodes(), " nodes cannot be updated; at most ", kMostNodes, " can.");
  }
  Model model;
  model.n_features = data.NumCols();
  model.trees = {tree};
  model.output_of_tree = {0};
  model.iteration_ptr = {0, 1};
  std::vector<float> leaves(data.NumRows());
  MarginStart start;
  start.of_output = model.base_score;
  auto const compiled = predictor.Compile(ctx, model, {0, 1});
  predictor.Predict(ctx, *compiled, {*data.View(), {0, 1}, start}, PredictKind::kLeaf, leaves);
  std::vector<std::int32_t> leaf_of_row;
  leaf_of_row.reserve(leaves.size());
  for (auto const leaf : leaves) leaf_of_row.push_back(static_cast<std::int32_t>(leaf));
  return leaf_of_row;
}

}  // namespace kauri
