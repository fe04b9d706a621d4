#include "cuda/hist/category_cells.h"

#include <algorithm>

#include "common/parallel_for.h"
#include "cuda/common/buffer.h"

namespace kauri::cuda {

CategoryCells::CategoryCells(CudaContext const& cuda, HistOnDevice* data) : cuda_(cuda), data_(data), begin_{0} {
  for (auto const feature : data->categorical) begin_.push_back(begin_.back() + data->bins->features[feature].n_bins);
}

void CategoryCells::Fetch(std::vector<HistNode*> const& nodes) {
  if (data_->categorical.empty()) return;
  data_->category_cells.Reserve(nodes.size() * begin_.back());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < data_->categorical.size(); ++j) {
      auto const& codes = data_->bins->features[data_->categorical[j]];
      CopyToHost(cuda_, nodes[i]->histogram + codes.first_cell, codes.n_bins,
                 data_->category_cells.data() + i * begin_.back() + begin_[j]);
    }
  }
}

void CategoryCells::Search(Context const& ctx, BinSplitFinder const& finder, std::vector<HistNode*> const& nodes) {
  if (data_->categorical.empty()) return;
  auto const n_cells = begin_.back();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto const* const from = data_->category_cells.data() + i * n_cells;
    cells_[nodes[i]->histogram].assign(from, from + n_cells);
  }
  std::vector<ScanScratch> scratch(ctx.threads);
  ParallelFor(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t i) {
    auto& node = *nodes[i];
    SplitCandidate best;
    for (auto const feature : data_->categorical) {
      if (!std::binary_search(node.features->begin(), node.features->end(), feature)) continue;
      finder.Find(feature, Of(node.histogram, feature), node.total, &scratch[ThreadIndex()], &best);
    }
    if (IsBetter(best, node.best)) node.best = best;
  });
}

FixedSum const* CategoryCells::Of(FixedSum const* histogram, std::uint32_t feature) const {
  auto const place = std::lower_bound(data_->categorical.begin(), data_->categorical.end(), feature);
  return cells_.at(histogram).data() + begin_[place - data_->categorical.begin()];
}

}  // namespace kauri::cuda
