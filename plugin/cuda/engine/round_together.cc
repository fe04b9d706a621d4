#include "cuda/engine/round_together.h"

#include <cstdint>

#include "engine/round_errors.h"

namespace kauri::cuda {

bool AreOnePerOutput(std::vector<RoundTree> const& trees, EngineData const& own) {
  if (static_cast<std::int64_t>(trees.size()) != own.rows.NumOutputs() || own.rows.NumShards() > 1) return false;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    auto const& tree = trees[i];
    auto const uses_all = tree.subsample >= 1.0F && tree.BaggingTemperature() == 0.0F;
    if (tree.output != static_cast<std::int64_t>(i) || !uses_all || ReducesErrors(tree)) return false;
  }
  return true;
}

void AddTreesOfRound(CudaContext const& cuda, std::vector<Tree> const& trees, EngineData* own) {
  std::vector<float> values;
  std::vector<std::uint32_t> first_value;
  for (auto const& tree : trees) {
    first_value.push_back(static_cast<std::uint32_t>(values.size()));
    values.insert(values.end(), tree.split_value.begin(), tree.split_value.end());
  }
  auto& upload = own->rows.TreeHere().leaf_values;
  upload.Clear();
  auto const values_place = upload.Add(values);
  auto const first_place = upload.Add(first_value);
  upload.Send(cuda);
  RoundLeaves const leaves{upload.At<float>(values_place), upload.At<std::uint32_t>(first_place),
                           own->arrays.round_leaves.data()};
  AddRoundLeaves(cuda, leaves, own->rows.NumOutputs(), own->rows.MarginsToChange(cuda));
}

}  // namespace kauri::cuda
