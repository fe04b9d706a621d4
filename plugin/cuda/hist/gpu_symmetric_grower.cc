#include "cuda/hist/gpu_symmetric_grower.h"

namespace kauri::cuda {

LevelSplit GpuSymmetricGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  nodes_.clear();
  allowed_.clear();
  noise_keys_.clear();
  for (auto const& node : open) {
    nodes_.push_back({Searched(node, &allowed_), node.histogram, node.total.rows.of_node});
    if (node.total.noise.IsOn()) noise_keys_.push_back(node.total.noise.key);
  }
  auto& upload = buffers_.shared_split.request;
  upload.Clear();
  auto const nodes = upload.Add(nodes_);
  auto const allowed = upload.Add(allowed_);
  auto const costs = upload.Add(costs_);
  auto const noise_keys = upload.Add(noise_keys_);
  upload.Send(cuda_);
  LevelSplitTask task{};
  task.find = TaskOfTree();
  task.find.allowed = upload.At<std::uint8_t>(allowed);
  task.find.costs = costs_.empty() ? nullptr : upload.At<float>(costs);
  task.find.noise.keys = upload.At<std::uint64_t>(noise_keys);
  task.nodes = {upload.At<ScoredNode>(nodes), nodes_.size()};
  task.gamma = static_cast<double>(param_.gamma);
  task.n_cuts = static_cast<std::uint32_t>(cuts_.values.size());
  FindLevelSplit(cuda_, task, &buffers_.shared_split);
  cuda_.Synchronize();  // for the split, and what goes left in each node
  return *buffers_.shared_split.found.data();
}

bool GpuSymmetricGrower::MakesSplit(LevelSplit const& split, std::size_t place, HistNode* node) const {
  return SetBest(gain_, split, buffers_.shared_split.lefts.data()[place], node);
}

}  // namespace kauri::cuda
