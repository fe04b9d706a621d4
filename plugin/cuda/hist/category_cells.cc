#include "cuda/hist/category_cells.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "cuda/hist/histogram/copy_cells.h"

namespace kauri::cuda {

CategoryCells::CategoryCells(CudaContext const& cuda, DeviceBins const& bins, TreeHistograms const& histograms,
                             CategoryBuffers* buffers)
    : cuda_(cuda), bins_(bins), histograms_(histograms), buffers_(*buffers), begin_{0} {
  for (auto const feature : bins.categorical) begin_.push_back(begin_.back() + bins.features[feature].n_bins);
}

void CategoryCells::Fetch(std::vector<DeviceNode*> const& nodes) {
  if (bins_.categorical.empty()) return;
  auto const n_cells = begin_.back();
  buffers_.cells.Reserve(nodes.size() * NumKept());
  std::vector<NodeSums> histograms;
  for (auto const* node : nodes) {
    histograms.push_back({node->histogram});
    if (histograms_.counts_rows) histograms.push_back({node->histogram + bins_.n_sums});
  }
  auto& upload = buffers_.request;
  upload.Clear();
  auto const from = upload.Add(histograms);
  auto const features = upload.Add(bins_.categorical);
  auto const begin = upload.Add(begin_);
  upload.Send(cuda_);
  CopyCells(cuda_, {{upload.At<NodeSums>(from), histograms.size()},
                    bins_.device_features.data(),
                    {upload.At<std::uint32_t>(features), bins_.categorical.size()},
                    upload.At<std::uint32_t>(begin),
                    n_cells,
                    buffers_.cells.data()});
}

void CategoryCells::Search(Context const& ctx, BinSplitFinder const& finder, std::vector<DeviceNode*> const& nodes) {
  if (bins_.categorical.empty()) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto const* const from = buffers_.cells.data() + i * NumKept();
    cells_[nodes[i]->histogram].assign(from, from + NumKept());
    nodes[i]->total.counts_at = begin_.back();
  }
  std::vector<ScanScratch> scratch(ctx.threads);
  ParallelFor(ctx, static_cast<std::int64_t>(nodes.size()), [&](std::int64_t i) {
    auto& node = *nodes[i];
    SplitCandidate best;
    for (auto const feature : bins_.categorical) {
      if (!std::binary_search(node.features->begin(), node.features->end(), feature)) continue;
      finder.Find(feature, Of(node.histogram, feature), node.total, &scratch[ThreadIndex()], &best);
    }
    if (node.total.noise.IsBetter(best, node.best)) node.best = best;
  });
}

FixedSum const* CategoryCells::Of(FixedSum const* histogram, std::uint32_t feature) const {
  auto const place = std::lower_bound(bins_.categorical.begin(), bins_.categorical.end(), feature);
  return cells_.at(histogram).data() + begin_[place - bins_.categorical.begin()];
}

}  // namespace kauri::cuda
