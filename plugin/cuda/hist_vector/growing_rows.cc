#include "cuda/hist_vector/growing_rows.h"

#include "cuda/common/buffer.h"

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

void GrowingRowsOnDevice::Reset(CudaContext const& cuda, std::int64_t n_rows) {
  lists_.Reserve(cuda, n_rows);
  stretches_.assign(1, {0, static_cast<std::uint32_t>(n_rows), -1});
  waiting_.clear();
}

NodeSource GrowingRowsOnDevice::SourceOf(std::int32_t node) const {
  if (waiting_.empty()) return {stretches_[node], -1, 0};
  auto const child = node - waiting_.front().left;
  return {stretches_[waiting_[child / 2].node], child / 2, child % 2 == 0 ? 1U : 0U};
}

NodeSplit GrowingRowsOnDevice::MakeSplit(DeviceBins const& bins, CodeSplit const& split,
                                         std::vector<std::uint32_t>* category_bits) const {
  NodeSplit made{};
  made.rows = stretches_[split.node];
  made.first_tile = n_tiles_;
  made.first_row = n_rows_;
  made.place = PlaceOf(bins, split.feature);
  made.n_bins = bins.features[split.feature].n_bins;
  made.first_right = split.first_right;
  made.left = split.left;
  made.right = split.right;
  made.categories = split.right_codes.empty() ? kNoCategories : AppendBits(split.right_codes, category_bits);
  made.default_left = split.default_left ? 1 : 0;
  made.is_last = split.is_last ? 1 : 0;
  return made;
}

void GrowingRowsOnDevice::AddTo(DeviceBins const& bins, Upload* request) {
  std::vector<NodeSplit> splits;
  std::vector<std::uint32_t> category_bits;
  n_tiles_ = 0;
  n_rows_ = 0;
  for (auto const& split : waiting_) {
    splits.push_back(MakeSplit(bins, split, &category_bits));
    n_tiles_ += RowTiles(splits.back().rows.count);
    n_rows_ += splits.back().rows.count;
  }
  splits_place_ = request->Add(splits);
  category_bits_place_ = request->Add(category_bits);
  n_left_place_ = request->Add(std::vector<std::uint32_t>(2 * waiting_.size()));
}

void GrowingRowsOnDevice::Move(CudaContext const& cuda, DeviceBins const& bins, Upload const& request,
                               Span<std::int32_t> leaf_of_row) {
  if (waiting_.empty()) return;
  auto* const n_left = request.At<std::uint32_t>(n_left_place_);
  SplitNodes(cuda, {ViewOf(bins),
                    {request.At<NodeSplit>(splits_place_), waiting_.size()},
                    request.At<std::uint32_t>(category_bits_place_),
                    n_tiles_,
                    n_rows_,
                    lists_.Pointers(),
                    n_left,
                    leaf_of_row.data()});
  n_left_.Reserve(2 * waiting_.size());
  CopyToHost(cuda, n_left, 2 * waiting_.size(), n_left_.data());
}

void GrowingRowsOnDevice::TakeStretches(std::int32_t n_nodes) {
  stretches_.resize(ToSize(n_nodes));
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    auto const& split = waiting_[i];
    auto const rows = stretches_[split.node];
    stretches_[split.node] = {};
    if (split.is_last) continue;
    auto const n_left = n_left_.data()[2 * i];
    auto const buffer = rows.buffer == 0 ? 1 : 0;
    stretches_[split.left] = {rows.begin, n_left, buffer};
    stretches_[split.right] = {rows.begin + n_left, rows.count - n_left, buffer};
  }
  waiting_.clear();
}

void GrowingRowsOnDevice::WriteLeaves(CudaContext const& cuda, Upload* request, Span<std::int32_t> leaf_of_row) const {
  std::vector<LeafRows> leaves;
  std::uint32_t n_tiles = 0;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(stretches_.size()); ++node) {
    if (stretches_[node].count == 0) continue;
    leaves.push_back({stretches_[node], n_tiles, node});
    n_tiles += RowTiles(stretches_[node].count);
  }
  request->Clear();
  auto const place = request->Add(leaves);
  request->Send(cuda);
  kauri::cuda::WriteLeaves(cuda, {request->At<LeafRows>(place), leaves.size()}, n_tiles, lists_.Pointers(),
                           leaf_of_row.data());
}

}  // namespace kauri::cuda
