#include "cuda/shap/shap_parts.h"

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
    auto const& cuda = stream_.Context();
    RangeFacts facts{trees, ShapScale(forest_, trees), ToDevice(cuda, expected)};
    cuda.Synchronize();  // for `expected`; other streams read the copy
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

}  // namespace kauri::cuda
