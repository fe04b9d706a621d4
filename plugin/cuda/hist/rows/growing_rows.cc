#include "cuda/hist/rows/growing_rows.h"

#include <algorithm>
#include <tuple>

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kWordBits = 32;

/// Appends the bits of the codes that go right; returns the index of their first word.
std::uint32_t AppendBits(std::vector<std::uint8_t> const& right_codes, std::vector<std::uint32_t>* words) {
  auto const begin = words->size();
  words->resize(begin + right_codes.size() / kWordBits + 1);
  for (std::size_t code = 0; code < right_codes.size(); ++code) {
    (*words)[begin + code / kWordBits] |= std::uint32_t{right_codes[code]} << (code % kWordBits);
  }
  return static_cast<std::uint32_t>(begin);
}

}  // namespace

void GrowingRowsOnDevice::TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::int64_t n_rows) {
  bins_ = &bins;
  n_rows_ = static_cast<std::uint32_t>(n_rows);
  columns_.Make(cuda, bins);
  auto const of_all = [&](auto const& place_of) {
    std::vector<FeaturePlace> places;
    for (std::uint32_t feature = 0; feature < bins.features.size(); ++feature) places.push_back(place_of(feature));
    return places;
  };
  host_places_ = of_all([&](std::uint32_t feature) { return PlaceOf(bins, feature); });
  host_move_places_ = of_all([&](std::uint32_t feature) { return columns_.PlaceOf(bins, feature); });
  places_ = ToDevice(cuda, host_places_);
  move_places_ = ToDevice(cuda, host_move_places_);
}

void GrowingRowsOnDevice::Reset(CudaContext const& cuda, Span<std::int32_t> leaf_of_row,
                                Span<std::uint8_t const> sampled) {
  lists_.Reset(cuda, leaf_of_row);
  stretches_.assign(1, {0, n_rows_, -1});
  waiting_.clear();
  foreseen_left_.clear();
  foreseen_stretches_.clear();
  walk_.assign(1, {});
  walk_bits_.clear();
  tree_ = {};
  n_trees_ = 1;
  if (!sampled.empty()) SampleRoot(cuda, sampled);
}

/// Splits the root by a feature whose codes are the marks of sampled rows: sampled rows go right.
void GrowingRowsOnDevice::SampleRoot(CudaContext const& cuda, Span<std::uint8_t const> sampled) {
  NodeSplit split{};
  split.rows = stretches_[0];
  split.place = {0, 1, 0, 2, kNoMostFrequent};
  split.n_bins = 2;
  split.first_right = 1;
  split.categories = kNoCategories;
  of_tree_.Clear();
  auto const place = of_tree_.Add(std::vector<NodeSplit>{split});
  auto const n_left_place = of_tree_.AddZeros<std::uint32_t>(2);
  of_tree_.Send(cuda);
  CodeView marks{};
  marks.form = CodeForm::kBytes;
  marks.bytes = sampled.data();
  auto* const n_left = of_tree_.At<std::uint32_t>(n_left_place);
  MovePlan const plan;
  auto const n_tiles = plan.NumTiles(split.rows.count);
  SplitNodes(cuda, {marks, {of_tree_.At<NodeSplit>(place), 1}, nullptr, n_tiles, plan, lists_.Pointers(), n_left});
  stretches_[0] = split.rows.Right(ToHost(cuda, n_left, 1)[0]);
}

void GrowingRowsOnDevice::AddToWalk(CodeSplit const& split) {
  walk_.resize(ToSize(split.right) + 1);
  auto& node = walk_[split.node];
  node.left = split.left;
  node.feature = split.feature;
  node.missing = 2 * bins_->features[split.feature].n_bins + (split.default_left ? 1 : 0);
  node.first_right = split.first_right;
  if (split.right_codes.empty()) return;
  node.feature |= WalkNode::kCategorical;
  node.first_right = AppendBits(split.right_codes, &walk_bits_);
}

void GrowingRowsOnDevice::Split(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    AddToWalk(split);
    if (split.is_last) continue;  // these rows are not needed any more
    auto const found = foreseen_left_.find(split.node);
    if (found == foreseen_left_.end()) {
      waiting_.push_back(split);
      continue;
    }
    auto const left = found->second;
    foreseen_left_.erase(found);
    stretches_.resize(walk_.size());
    TakeChild(left, split.left);
    TakeChild(left + 1, split.right);
  }
}

void GrowingRowsOnDevice::TakeChild(std::int32_t foreseen, std::int32_t node) {
  stretches_[node] = foreseen_stretches_.at(foreseen);
  foreseen_stretches_.erase(foreseen);
  auto const found = foreseen_left_.find(foreseen);
  if (found == foreseen_left_.end()) return;
  auto const left = found->second;
  foreseen_left_.erase(found);
  foreseen_left_[node] = left;
}

RowStretch const& GrowingRowsOnDevice::StretchOf(std::int32_t node) const {
  return node < kForeseen ? stretches_[node] : foreseen_stretches_.at(node);
}

void GrowingRowsOnDevice::SplitWhereTheyAre(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) AddToWalk(split);
}

NodeSource GrowingRowsOnDevice::SourceOf(std::int32_t node) const {
  if (waiting_.empty()) return {StretchOf(node), -1, 0};
  auto const is_before = [](std::int32_t id, CodeSplit const& split) { return id < split.left; };
  auto const split = std::upper_bound(waiting_.begin(), waiting_.end(), node, is_before) - 1;
  return {StretchOf(split->node), static_cast<std::int32_t>(split - waiting_.begin()), node == split->left ? 1U : 0U};
}

NodeSplit GrowingRowsOnDevice::MakeSplit(CodeSplit const& split) {
  NodeSplit made{};
  made.rows = StretchOf(split.node);
  made.first_tile = n_tiles_;
  made.place = columns_.PlaceOf(*bins_, split.feature);
  made.n_bins = bins_->features[split.feature].n_bins;
  made.first_right = split.first_right;
  made.categories = split.right_codes.empty() ? kNoCategories : AppendBits(split.right_codes, &category_bits_);
  made.default_left = split.default_left ? 1 : 0;
  return made;
}

void GrowingRowsOnDevice::AddTo(Upload* request) {
  splits_.clear();
  category_bits_.clear();
  n_tiles_ = 0;
  for (auto const& split : waiting_) {
    splits_.push_back(MakeSplit(split));
    n_tiles_ += Plan().NumTiles(splits_.back().rows.count);
  }
  splits_place_ = request->Add(splits_);
  category_bits_place_ = request->Add(category_bits_);
  n_left_place_ = request->AddZeros<std::uint32_t>(2 * waiting_.size());
  ReserveMore(2 * waiting_.size(), &n_left_);
}

void GrowingRowsOnDevice::Move(CudaContext const& cuda, Upload const& request) const {
  SplitNodes(cuda, {columns_.View(*bins_),
                    {request.At<NodeSplit>(splits_place_), waiting_.size()},
                    request.At<std::uint32_t>(category_bits_place_),
                    n_tiles_,
                    Plan(),
                    lists_.Pointers(),
                    NumLeft(request).data()});
}

void GrowingRowsOnDevice::MoveBy(CudaContext const& cuda, Span<NodeSplit const> splits, PlannedTiles const& tiles,
                                 std::uint32_t* n_left) const {
  SplitNodes(cuda, {columns_.View(*bins_), splits, nullptr, tiles.n_tiles, tiles.plan, lists_.Pointers(), n_left});
}

void GrowingRowsOnDevice::FetchAnswer(CudaContext const& cuda, Upload const& request) const {
  auto const n_left = NumLeft(request);
  CopyToHost(cuda, n_left.data(), n_left.size(), n_left_.data());
}

GrowingRowsOnDevice::Children GrowingRowsOnDevice::StretchesOf(std::size_t waiting) const {
  auto const rows = StretchOf(waiting_[waiting].node);
  auto const n_left = n_left_.data()[2 * waiting];
  return {rows.Left(n_left), rows.Right(n_left)};
}

void GrowingRowsOnDevice::TakeStretches() {
  stretches_.resize(walk_.size());
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    std::tie(stretches_[waiting_[i].left], stretches_[waiting_[i].right]) = StretchesOf(i);
  }
  waiting_.clear();
}

void GrowingRowsOnDevice::TakeForeseen() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    auto const& split = waiting_[i];
    std::tie(foreseen_stretches_[split.left], foreseen_stretches_[split.right]) = StretchesOf(i);
    foreseen_left_[split.node] = split.left;
  }
  waiting_.clear();
}

void GrowingRowsOnDevice::WriteLeaves(CudaContext const& cuda, std::int32_t* leaf_of_row) {
  auto nodes = tree_;
  std::uint32_t const* category_bits = nullptr;
  if (nodes.empty()) {
    of_tree_.Clear();
    auto const place = of_tree_.Add(walk_);
    auto const bits = of_tree_.Add(walk_bits_);
    of_tree_.Send(cuda);
    nodes = {of_tree_.At<WalkNode>(place), walk_.size()};
    category_bits = of_tree_.At<std::uint32_t>(bits);
  }
  auto const is_plain = bins_->groups.size() == 1 && bins_->columns.size() == bins_->features.size();
  WalkTask task{};
  task.codes = ViewOf(*bins_);
  task.places = places_.data();
  task.width = is_plain ? bins_->groups[0].width : 0;
  task.nodes = nodes.data();
  task.n_nodes = static_cast<std::uint32_t>(nodes.size()) / n_trees_;
  task.n_trees = n_trees_;
  task.category_bits = category_bits;
  task.n_rows = n_rows_;
  task.leaf_of_row = leaf_of_row;
  WalkCodes(cuda, task);
}

}  // namespace kauri::cuda
