#include "cuda/hist_vector/category_sums.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "cuda/common/buffer.h"

namespace kauri::cuda {

CategorySums::CategorySums(CudaContext const& cuda, VectorOnDevice* data) : cuda_(cuda), data_(data), begin_{0} {
  for (auto const feature : data->bins.categorical) {
    begin_.push_back(begin_.back() + data->bins.features[feature].n_bins * ToSize(data->n_sums));
  }
}

void CategorySums::Fetch(std::vector<Node*> const& nodes) {
  if (data_->bins.categorical.empty()) return;
  data_->category_sums.Reserve(nodes.size() * begin_.back());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < data_->bins.categorical.size(); ++j) {
      auto const& codes = data_->bins.features[data_->bins.categorical[j]];
      CopyToHost(cuda_, nodes[i]->histogram + codes.first_cell * ToSize(data_->n_sums), begin_[j + 1] - begin_[j],
                 data_->category_sums.data() + i * begin_.back() + begin_[j]);
    }
  }
}

VectorCells CategorySums::CellsOf(std::size_t index, std::uint32_t feature) const {
  auto const place = std::lower_bound(data_->bins.categorical.begin(), data_->bins.categorical.end(), feature);
  auto const begin = begin_[place - data_->bins.categorical.begin()];
  return {data_->category_sums.data() + index * begin_.back() + begin, data_->n_sums, feature};
}

void CategorySums::SearchNode(VectorGainParam const& gain, CategoryRules const& rules, std::size_t index,
                              Node* node) const {
  auto const& cuts = *data_->bins.cuts;
  auto const& noise = node->total.noise;
  SplitCandidate best;
  for (auto const feature : data_->bins.categorical) {
    if (!std::binary_search(node->features->begin(), node->features->end(), feature)) continue;
    auto const cells = CellsOf(index, feature);
    noise.Compete(
        feature,
        [&](SplitCandidate* to) {
          FindVectorCategories({gain, cuts, rules, cells, node->total}, to);
        },
        &best);
  }
  if (!noise.IsBetter(best, node->best)) return;
  node->best = best;
  auto const cells = CellsOf(index, best.feature);
  DescribeCategories({gain, cuts, rules, cells, node->total}, best, &node->total);
}

void CategorySums::Search(Context const& ctx, VectorGainParam const& gain, CategoryRules const& rules,
                          std::vector<Node*> const& nodes) const {
  if (data_->bins.categorical.empty()) return;
  ParallelFor(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t i) {
    if (nodes[i]->IsOpen()) SearchNode(gain, rules, ToSize(i), nodes[i]);
  });
}

}  // namespace kauri::cuda
