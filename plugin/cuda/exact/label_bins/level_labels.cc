#include "cuda/exact/label_bins/level_labels.h"

#include "cuda/exact/label_bins/node_bins.h"
#include "cuda/exact/label_bins/split_by_errors.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri::cuda {

void LevelLabels::Start(CudaContext const& cuda, LineErrors const& errors, Span<std::uint8_t const> sampled) {
  errors_ = errors;
  sampled_ = sampled;
  residuals_.Fix(cuda, errors, sampled);
  auto const shares = SharesOfEdges(residuals_.Scale().Quantile());
  shares_.Reserve(cuda, shares.size());
  CopyToDevice(cuda, shares.data(), shares.size(), shares_.data());
  bin_of_row_.Reserve(cuda, errors.residuals.size());
  cuda.Synchronize();  // for the copy, whose source is freed
}

void LevelLabels::Prepare(CudaContext const& cuda, Span<std::int32_t const> positions, std::int32_t n_nodes) {
  auto const n_bins = static_cast<std::size_t>(n_nodes) * kLabelBins;
  edges_.Reserve(cuda, n_bins);
  node_bins_.Reserve(cuda, n_bins);
  nodes_.Reserve(cuda, static_cast<std::size_t>(n_nodes));
  NodeBinsTask task;
  task.rows = order_.Sort(cuda, positions, sampled_, n_nodes);
  task.scale = residuals_.Scale();
  task.residuals = errors_.residuals.data();
  task.sums = residuals_.Sums();
  task.shares = shares_.data();
  task.edges = edges_.data();
  task.bin_of_row = bin_of_row_.data();
  task.node_bins = node_bins_.data();
  task.nodes = nodes_.data();
  FindNodeBins(cuda, task);
}

void LevelLabels::FindSplits(CudaContext const& cuda, SplitTask const& task, SplitScratch const& scratch,
                             SplitCandidate* best) {
  LabelLevel const labels{residuals_.Scale(), bin_of_row_.data(), residuals_.Sums(), node_bins_.data(), nodes_.data()};
  FindSplitsByErrors(cuda, task, labels, scratch, &tiles_, best);
}

std::size_t LevelLabels::BytesOf(std::int64_t n_rows, std::int64_t n_entries) {
  constexpr std::size_t kOfOrder = 5 * 2 * sizeof(std::uint32_t);  // plus the memory that the sort takes
  auto const of_row = sizeof(float) + sizeof(ResidualSum) + sizeof(std::uint8_t) + kOfOrder;
  return static_cast<std::size_t>(n_rows) * of_row + TileSummer::BytesOf(static_cast<std::size_t>(NumTiles(n_entries)));
}

}  // namespace kauri::cuda
