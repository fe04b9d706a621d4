/// \file Grows one tree with a vector in each leaf from histograms in device memory (tree/growth/hist_growth.h has the
/// algorithm).
///
/// The host decides: once a level, it reads the best splits of the nodes, the sums and the numbers of rows that go left
/// at each, and composes the request for the next level. Several devices share the rows (VectorShard).
///
/// In symmetric trees (tree/hist_vector/vector_grower.h), which work on data on one device, the device adds up the sums
/// for the tests of a level (`LevelConditions`), and the host decides. The host waits twice per level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist_vector/category_sums.h"
#include "cuda/hist_vector/vector_on_device.h"
#include "cuda/tree/device_tree_builder.h"
#include "tree/growth/hist_growth.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"
#include "tree/hist_vector/vector_growth.h"

namespace kauri::cuda {

/// Input and place of a growing tree.
struct VectorTask {
  CudaContext cuda;
  DeviceTreeTask const& tree;
  Span<std::int32_t> leaf_of_row;  ///< (out) [n_rows], device; holds lists of rows while the tree grows
  std::int64_t fewest_rows;        ///< minimum number of rows per device, if there are several
  TableOnDevice table = {};        ///< the tree's table, with row counts if a limit needs them; set by GrowVectors
};

class GpuVectorGrower final : public SymmetricGrowth<HistGrowth<VectorGrowth>> {
 public:
  GpuVectorGrower(Context const& ctx, GrowthRules const& rules, VectorTask const& task, VectorOnDevice* data);
  /// Waits for the work queued on other devices, because it refers to the task.
  ~GpuVectorGrower() override;
  GpuVectorGrower(GpuVectorGrower const&) = delete;
  GpuVectorGrower& operator=(GpuVectorGrower const&) = delete;

 private:
  using SomePairs = Span<GrowingPair<VectorGrowth> const>;

  VectorTotal MakeRoot() override;
  std::vector<std::int32_t> RightCategories(Node const& node) const override {
    return search_.has_value() ? SymmetricGrowth::RightCategories(node) : node.total.right_categories;
  }
  void FindSplits(Pairs const& pairs) override;
  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const override {
    return search_->MakesSplit(split, place, node);
  }
  void GiveBack(std::int64_t* histogram) override { data_->histograms.GiveBack(histogram); }
  void ResetRows() override;
  void SplitRows(std::vector<CodeSplit> const& splits) override;
  void WriteLeaves() override;
  bool HasFewerRows(Node const& left, Node const& right) const override { return WeighsLess(left.total, right.total); }

  /// Request for a level: its nodes, and the places of its arrays, for Upload::At.
  struct Request {
    std::vector<Node*> nodes;  ///< of all pairs, open or not
    std::vector<ScannedNode> scanned;
    std::vector<ScannedPair> pairs;
    std::vector<SummedNode> summed;
    std::vector<WantedNode> wanted;     ///< the nodes of `summed`, for the other devices
    std::vector<HistogramNode> shared;  ///< where the other devices' sums are added
    std::vector<std::int64_t> sums;     ///< [n_nodes, n_sums]
    std::vector<WeightBounds> bounds;   ///< [n_nodes, n_outputs], or empty
    std::vector<std::uint8_t> allowed;  ///< [n_lists, n_tree_features]
    std::int64_t most_rows = 0;
    std::size_t nodes_place = 0;
    std::size_t pairs_place = 0;
    std::size_t summed_place = 0;
    std::size_t shared_place = 0;
    std::size_t sums_place = 0;
    std::size_t bounds_place = 0;
    std::size_t allowed_place = 0;
    std::size_t costs_place = 0;
  };

  void SendTree();
  std::size_t NumAtOnce(std::size_t n_pairs) const;
  void FindSome(SomePairs pairs);
  /// Moves the rows of split nodes to their children, which is all that a level of a symmetric tree needs of the pairs.
  void MoveRows();
  /// Returns the sums of the nodes for the tests of a level, in page-locked memory. Waits for them.
  std::int64_t const* SumNodes(LevelConditions const& conditions, Span<Node const> nodes);
  Request MakeRequest(SomePairs pairs);
  std::int32_t AddNode(Node* node, Request* request) const;
  void Send(Request* request);
  void AddRows(Request const& request);
  /// Adds the sums of other devices.
  void Collect(Request const& request);
  void Scan(Request const& request);
  void ReadAnswers(Request const& request);

  CudaContext cuda_;
  TableOnDevice table_;
  VectorOnDevice* data_;
  DeviceTreeTask const& task_;
  Span<std::int32_t> leaf_of_row_;
  std::size_t tree_features_ = 0;  ///< place in data_->of_tree, like the next three
  std::size_t signs_ = 0;
  std::size_t units_ = 0;
  std::size_t free_outputs_ = 0;
  CategorySums categories_;
  std::optional<DrawnLevelSearch> search_;  ///< only of symmetric trees
};

}  // namespace kauri::cuda
