#include "cuda/hist_vector/growing_rows.h"

#include <algorithm>

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kWordBits = 32;

/// Appends the bits of the codes that go right; returns where they begin.
std::uint32_t AppendBits(std::vector<std::uint8_t> const& right_codes, std::vector<std::uint32_t>* words) {
  auto const begin = words->size();
  words->resize(begin + right_codes.size() / kWordBits + 1);
  for (std::size_t code = 0; code < right_codes.size(); ++code) {
    (*words)[begin + code / kWordBits] |= std::uint32_t{right_codes[code]} << (code % kWordBits);
  }
  return static_cast<std::uint32_t>(begin);
}

}  // namespace

GrowingRowsOnDevice::GrowingRowsOnDevice(CudaContext const& cuda, DeviceBins const& bins) : bins_(bins) {
  std::vector<FeaturePlace> places;
  for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) places.push_back(PlaceOf(bins, feature));
  places_ = ToDevice(cuda, places);
  cuda.Synchronize();  // for the copy, whose source goes
}

void GrowingRowsOnDevice::Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row,
                                Span<std::uint8_t const> sampled, Upload* request) {
  lists_.Reset(cuda, leaf_of_row);
  stretches_.assign(1, {0, static_cast<std::uint32_t>(bins_.n_rows), -1});
  waiting_.clear();
  walk_.assign(1, {});
  walk_bits_.clear();
  if (!sampled.empty()) SampleRoot(cuda, sampled, request);
}

/// The marks of sampled rows are codes of a feature that splits the root: those that are sampled go right.
void GrowingRowsOnDevice::SampleRoot(CudaContext const& cuda, Span<std::uint8_t const> sampled, Upload* request) {
  NodeSplit split{};
  split.rows = stretches_[0];
  split.place = {0, 1, 0, 2, kNoUsual};
  split.n_bins = 2;
  split.first_right = 1;
  split.categories = kNoCategories;
  request->Clear();
  auto const place = request->Add(std::vector<NodeSplit>{split});
  auto const n_left_place = request->Add(std::vector<std::uint32_t>(2));
  request->Send(cuda);
  CodeView marks{};
  marks.form = CodeForm::kBytes;
  marks.bytes = sampled.data();
  auto* const n_left = request->At<std::uint32_t>(n_left_place);
  auto const n_tiles = RowTiles(split.rows.count);
  SplitNodes(cuda, {marks, {request->At<NodeSplit>(place), 1}, nullptr, n_tiles, lists_.Pointers(), n_left});
  auto const n_unused = ToHost(cuda, n_left, 1)[0];
  stretches_[0] = {n_unused, split.rows.count - n_unused, 0};
}

void GrowingRowsOnDevice::AddToWalk(CodeSplit const& split) {
  walk_.resize(ToSize(split.right) + 1);
  auto& node = walk_[split.node];
  node.left = split.left;
  node.feature = split.feature;
  node.missing = 2 * bins_.features[split.feature].n_bins + (split.default_left ? 1 : 0);
  node.first_right = split.first_right;
  if (split.right_codes.empty()) return;
  node.feature |= WalkNode::kCategorical;
  node.first_right = AppendBits(split.right_codes, &walk_bits_);
}

void GrowingRowsOnDevice::Split(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    AddToWalk(split);
    if (!split.is_last) waiting_.push_back(split);
  }
}

NodeSource GrowingRowsOnDevice::SourceOf(std::int32_t node) const {
  if (waiting_.empty()) return {stretches_[node], -1, 0};
  auto const is_before = [](std::int32_t id, CodeSplit const& split) { return id < split.left; };
  auto const split = std::upper_bound(waiting_.begin(), waiting_.end(), node, is_before) - 1;
  return {stretches_[split->node], static_cast<std::int32_t>(split - waiting_.begin()), node == split->left ? 1U : 0U};
}

NodeSplit GrowingRowsOnDevice::MakeSplit(CodeSplit const& split, std::vector<std::uint32_t>* category_bits) const {
  NodeSplit made{};
  made.rows = stretches_[split.node];
  made.first_tile = n_tiles_;
  made.place = PlaceOf(bins_, split.feature);
  made.n_bins = bins_.features[split.feature].n_bins;
  made.first_right = split.first_right;
  made.categories = split.right_codes.empty() ? kNoCategories : AppendBits(split.right_codes, category_bits);
  made.default_left = split.default_left ? 1 : 0;
  return made;
}

void GrowingRowsOnDevice::AddTo(Upload* request) {
  std::vector<NodeSplit> splits;
  std::vector<std::uint32_t> category_bits;
  n_tiles_ = 0;
  for (auto const& split : waiting_) {
    splits.push_back(MakeSplit(split, &category_bits));
    n_tiles_ += RowTiles(splits.back().rows.count);
  }
  splits_place_ = request->Add(splits);
  category_bits_place_ = request->Add(category_bits);
  n_left_place_ = request->Add(std::vector<std::uint32_t>(2 * waiting_.size()));
}

void GrowingRowsOnDevice::Move(CudaContext const& cuda, Upload const& request) {
  if (waiting_.empty()) return;
  auto* const n_left = request.At<std::uint32_t>(n_left_place_);
  SplitNodes(cuda, {ViewOf(bins_),
                    {request.At<NodeSplit>(splits_place_), waiting_.size()},
                    request.At<std::uint32_t>(category_bits_place_),
                    n_tiles_,
                    lists_.Pointers(),
                    n_left});
  n_left_.Reserve(2 * waiting_.size());
  CopyToHost(cuda, n_left, 2 * waiting_.size(), n_left_.data());
}

void GrowingRowsOnDevice::TakeStretches() {
  stretches_.resize(walk_.size());
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    auto const& split = waiting_[i];
    auto const rows = stretches_[split.node];
    auto const n_left = n_left_.data()[2 * i];
    auto const buffer = rows.buffer == 0 ? 1 : 0;
    stretches_[split.left] = {rows.begin, n_left, buffer};
    stretches_[split.right] = {rows.begin + n_left, rows.count - n_left, buffer};
  }
  waiting_.clear();
}

void GrowingRowsOnDevice::WriteLeaves(CudaContext const& cuda, Upload* request, Span<std::int32_t> leaf_of_row) const {
  request->Clear();
  auto const nodes = request->Add(walk_);
  auto const bits = request->Add(walk_bits_);
  request->Send(cuda);
  auto const is_plain = bins_.groups.size() == 1 && bins_.columns.size() == bins_.features.size();
  WalkTask task{};
  task.codes = ViewOf(bins_);
  task.places = places_.data();
  task.width = is_plain ? bins_.groups[0].width : 0;
  task.nodes = request->At<WalkNode>(nodes);
  task.n_nodes = static_cast<std::uint32_t>(walk_.size());
  task.category_bits = request->At<std::uint32_t>(bits);
  task.n_rows = bins_.n_rows;
  task.leaf_of_row = leaf_of_row.data();
  WalkCodes(cuda, task);
}

}  // namespace kauri::cuda
