#include "cuda/shap/shap_parts.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "predictor/forest/cover.h"

namespace kauri::cuda {
namespace {

bool IsSame(TreeRange a, TreeRange b) { return a.begin == b.begin && a.end == b.end; }

/// Returns ExpectedMargins, computed on all threads: the same sums in the same order.
std::vector<double> Expected(Context const& ctx, Forest const& forest, TreeRange trees) {
  std::vector<double> of_tree(trees.end - trees.begin);
  ParallelFor(ctx, trees.end - trees.begin,
              [&](std::int64_t t) { of_tree[t] = NodeMeans(forest, trees.begin + t)[0]; });
  std::vector<double> expected(forest.n_outputs, 0.0);
  for (std::size_t t = 0; t < of_tree.size(); ++t) {
    expected[forest.output_of_tree[trees.begin + t]] += of_tree[t];
  }
  return expected;
}

}  // namespace

std::shared_ptr<RangeFacts const> ShapParts::Facts(Context const& ctx, TreeRange trees) const {
  forest_.RequireCover();
  std::lock_guard<std::mutex> const lock(mutex_);
  if (facts_ == nullptr || !IsSame(facts_->trees, trees)) {
    auto const expected = Expected(ctx, forest_, trees);
    auto const ranges = ContributionRanges(forest_, trees);
    std::vector<double> units;
    for (auto const range : ranges) units.push_back(kUnitsOfRange / range);
    auto const& cuda = stream_.Context();
    RangeFacts facts{trees, ToDevice(cuda, ranges), ToDevice(cuda, units), ToDevice(cuda, expected)};
    cuda.Synchronize();  // for the host's arrays; other streams read the copies
    facts_ = std::make_shared<RangeFacts const>(std::move(facts));
  }
  return facts_;
}

std::shared_ptr<PackedRange const> ShapParts::Paths(Context const& ctx, TreeRange trees, BinPacking packing) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (paths_ == nullptr || !IsSame(paths_->trees, trees) || paths_->packing != packing) {
    paths_ = nullptr;
    paths_ = std::make_shared<PackedRange const>(PackedRange{trees, packing, MakePaths(ctx, trees, packing)});
  }
  return paths_;
}

DevicePaths ShapParts::MakePaths(Context const& ctx, TreeRange trees, BinPacking packing) const {
  auto const& cuda = stream_.Context();
  if (packing == BinPacking::kBestFitDecreasing) {
    if (auto packed = PackPathsOnDevice(cuda, on_device_, trees)) return DevicePaths(std::move(*packed));
  }
  return {cuda, PackPaths(ctx, forest_, trees, packing)};
}

std::shared_ptr<SparsePlan const> ShapParts::Sparse(Context const& ctx, TreeRange trees, std::int64_t top_k) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (sparse_ == nullptr || !IsSame(sparse_->Trees(), trees) || sparse_->TopK() != top_k) {
    sparse_ = nullptr;
    auto const pairs = LockedPairs(ctx);
    auto const found =
        IsSame(trees, AllTrees())
            ? FindSparseEntries(forest_, pairs->OnHost(), pairs->OnHost(), top_k == 0)
            : FindSparseEntries(forest_, pairs->OnHost(), FindPathPairs(ctx, forest_, trees), top_k == 0);
    sparse_ = std::make_shared<SparsePlan const>(stream_.Context(), found, trees, top_k);
  }
  return sparse_;
}

std::shared_ptr<DeviceProgram const> ShapParts::Program(Context const& ctx, Semivalue semivalue,
                                                        bool with_pairs) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& program = programs_[{semivalue, with_pairs}];
  if (program == nullptr) {
    auto const pairs = with_pairs ? LockedPairs(ctx) : nullptr;
    auto const compiled = CompileShapProgram(ctx, forest_, semivalue, with_pairs ? &pairs->OnHost() : nullptr);
    program = std::make_shared<DeviceProgram const>(stream_.Context(), compiled);
  }
  return program;
}

std::shared_ptr<DeviceMeans const> ShapParts::Means(Context const& ctx) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (means_ == nullptr) means_ = std::make_shared<DeviceMeans const>(ctx, stream_.Context(), forest_);
  return means_;
}

std::shared_ptr<DevicePairs const> ShapParts::Pairs(Context const& ctx) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return LockedPairs(ctx);
}

std::shared_ptr<DevicePairs const> ShapParts::LockedPairs(Context const& ctx) const {
  if (pairs_ == nullptr) {
    pairs_ = std::make_shared<DevicePairs const>(stream_.Context(), FindPathPairs(ctx, forest_, AllTrees()));
  }
  return pairs_;
}

std::shared_ptr<Buffer<std::int32_t> const> ShapParts::PairTable(Context const& ctx) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (pair_table_ == nullptr) {
    auto const table = MakePairTable(LockedPairs(ctx)->OnHost());
    pair_table_ = std::make_shared<Buffer<std::int32_t> const>(ToDevice(stream_.Context(), table));
    stream_.Context().Synchronize();  // for `table`
  }
  return pair_table_;
}

std::shared_ptr<DeviceEntries const> ShapParts::Entries(Context const& ctx, bool are_pairs) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& entries = are_pairs ? matrix_entries_ : contribution_entries_;
  if (entries == nullptr) {
    auto const& cuda = stream_.Context();
    entries = are_pairs
                  ? std::make_shared<DeviceEntries const>(cuda, MatrixEntries(forest_, LockedPairs(ctx)->OnHost()))
                  : std::make_shared<DeviceEntries const>(cuda, ContributionEntries(forest_));
  }
  return entries;
}

SparsePlan::SparsePlan(CudaContext const& cuda, SparseEntries const& found, TreeRange trees, std::int64_t top_k)
    : trees_(trees),
      top_k_(top_k),
      entry_begin_(found.begin),
      begin_(1, 0),
      first_(found.first),
      second_(found.second),
      entries_(cuda, found.entries) {
  std::vector<PickSegment> segments;
  for (std::size_t output = 0; output + 1 < entry_begin_.size(); ++output) {
    auto const n_entries = entry_begin_[output + 1] - entry_begin_[output];
    auto const n_picks = top_k == 0 ? n_entries : std::min(top_k, n_entries);
    segments.push_back({entry_begin_[output], n_entries, begin_.back(), n_picks});
    begin_.push_back(begin_.back() + n_picks);
  }
  segments_ = ToDevice(cuda, segments);
  cuda.Synchronize();  // for `segments`
}

std::int64_t SparsePlan::RowFloats() const { return top_k_ == 0 ? begin_.back() : 2 * begin_.back(); }

void SparsePlan::Pick(CudaContext const& cuda, float const* values, std::int64_t n_rows, float* picks) const {
  PickTask task{};
  task.values = values;
  task.row_floats = entry_begin_.back();
  task.n_rows = n_rows;
  task.segments = segments_.data();
  task.n_segments = static_cast<std::int64_t>(segments_.size());
  task.picks = reinterpret_cast<PickRank*>(picks);
  task.row_picks = begin_.back();
  SelectLargest(cuda, task);
}

void SparsePlan::Fill(Context const& ctx, std::int64_t n_rows, std::vector<float> const& floats,
                      SparseInteractions* out) const {
  auto const n_outputs = static_cast<std::int64_t>(segments_.size());
  auto const n_entries = ToSize(n_rows * begin_.back());
  out->begin.resize(ToSize(n_rows * n_outputs) + 1);
  out->first.resize(n_entries);
  out->second.resize(n_entries);
  out->values.resize(n_entries);
  out->begin.back() = n_rows * begin_.back();
  ParallelFor(ctx, n_rows, [&](std::int64_t row) {
    auto const base = row * begin_.back();
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      out->begin[row * n_outputs + output] = base + begin_[output];
      if (top_k_ != 0) FillPicks(row, output, floats.data() + 2 * (base + begin_[output]), out);
    }
    if (top_k_ != 0) return;
    std::copy(first_.begin(), first_.end(), out->first.begin() + base);
    std::copy(second_.begin(), second_.end(), out->second.begin() + base);
  });
}

void SparsePlan::FillPicks(std::int64_t row, std::int64_t output, float const* picks, SparseInteractions* out) const {
  auto to = ToSize(row * begin_.back() + begin_[output]);
  for (auto const rank : SortedPicks(picks, begin_[output + 1] - begin_[output])) {
    auto const entry = ToSize(entry_begin_[output]) + PlaceOfRank(rank);
    out->first[to] = first_[entry];
    out->second[to] = second_[entry];
    out->values[to++] = ValueOfRank(rank);
  }
}

}  // namespace kauri::cuda
