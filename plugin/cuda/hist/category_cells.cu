#include <algorithm>
#include <cstdint>

#include "common/threads/parallel_for.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/category_cells.h"
#include "cuda/hist/rows/find_stretch.cuh"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

/// The histogram of a node, device.
struct NodeSums {
  FixedSum const* first;
};

struct CopyCellsTask {
  Span<NodeSums const> histograms;
  FeatureCodes const* codes;  ///< of all columns
  Span<std::uint32_t const> features;
  std::uint32_t const* begin;  ///< [n_features + 1]: start of each feature's bins among the n_cells of a node
  std::uint32_t n_cells;
  FixedSum* to;  ///< (out) [n_histograms, n_cells], page-locked
};

__global__ void CopyCellsKernel(CopyCellsTask task) {
  auto const index = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  auto const node = index / task.n_cells;
  if (node >= task.histograms.size()) return;
  auto const cell = static_cast<std::uint32_t>(index % task.n_cells);
  std::uint32_t const place = FindStretch(static_cast<std::uint32_t>(task.features.size()), cell,
                                          [&](std::uint32_t i) { return task.begin[i]; });
  FeatureCodes const& codes = task.codes[task.features.data()[place]];
  auto const code = static_cast<std::uint64_t>(cell - task.begin[place]);
  task.to[index] = task.histograms.data()[node].first[codes.first_sum + code * codes.sum_stride];
}

void CopyCells(CudaContext const& cuda, CopyCellsTask const& task) {
  auto const n = static_cast<std::int64_t>(task.histograms.size()) * task.n_cells;
  Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, CopyCellsKernel, task);
}

}  // namespace

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
