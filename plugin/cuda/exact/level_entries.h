/// \file The entries and rows of one tree on their way down the levels: their phase, split finding in that phase, and
/// their moves. The decisions about the tree: gpu_exact_builder.cu.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/data/device_columns.h"
#include "cuda/exact/categories/category_columns.h"
#include "cuda/exact/chunk.h"
#include "cuda/exact/device_decisions.h"
#include "cuda/tree/device_tree_builder.h"

namespace kauri::cuda {

/// The data for split finding on one level; on the host.
struct LevelNodes {
  GainParam gain;
  std::vector<NodeTotals> nodes;
  std::vector<std::uint8_t> allowed;  ///< [n_nodes, n_all_features]; empty: every node may use every column
  std::vector<std::int8_t> signs;     ///< [n_all_features]; empty: no monotone constraints
  std::vector<float> costs;           ///< [n_all_features]; empty: none
  std::vector<SplitLimits> limits;    ///< [n_nodes], without the nodes' rows; empty: none
};

class LevelEntries {
 public:
  /// Begins with all rows in one active node. interleaved_levels: see GpuExactParam; 0 if splits are limited, as they
  /// are if the task has errors, which then choose the splits. categories: started for the tree.
  LevelEntries(CudaContext const& cuda, DeviceColumns const& columns, DeviceTreeTask const& task,
               std::int32_t interleaved_levels, ExactWorkspace* workspace, CategoryColumns* categories)
      : cuda_(cuda),
        columns_(columns),
        task_(task),
        interleaved_levels_(interleaved_levels),
        workspace_(*workspace),
        categories_(*categories),
        chunks_(workspace->chunks) {}

  /// Fills every column of `features` (ascending, without categories) with the pairs of its rows. Costs a gathered pair
  /// per entry.
  void Fill(std::vector<std::uint32_t> const& features);
  /// Returns the best split of every node, in the order of the nodes. Waits for them.
  std::vector<SplitCandidate> FindBest(LevelNodes const& level);
  /// Does the same for decisions on the device: improves the level's candidates in place. Asynchronous. Entries must be
  /// sorted by node, without categories or limits.
  void FindBest(GainParam const& gain, DeviceDecisions const& decisions);
  /// Moves rows according to `moves` (by node), and entries to the children: parent_of_child[child] = 2 * parent +
  /// (right child).
  void Advance(std::vector<NodeMove> const& moves, std::vector<std::int32_t> const& parent_of_child);
  /// Does the same according to `decisions`, and ends their level. All rows must be sampled.
  void Advance(DeviceDecisions* decisions);

 private:
  bool ChoosesByErrors() const { return !task_.errors.residuals.empty(); }
  bool IsSampled() const { return !task_.sampled_rows.empty(); }
  std::size_t NumRows() const { return task_.pairs.size(); }
  SplitTask TaskOf(GainParam const& gain, std::int32_t n_nodes) const;
  /// Improves best, [n_nodes], device, by the columns without categories. of_level: the members that do not depend on
  /// the chunk.
  void Search(SplitTask const& of_level, SplitCandidate* best);
  SplitTask UploadLevel(LevelNodes const& level, SplitCandidate** best);
  void CountNodeRows(std::int32_t n_nodes);
  void DropUnsampled();
  void NarrowRows(Buffer<std::int32_t> const& positions);
  void MoveEntries(std::int32_t n_nodes, NodeMove const* moves, std::int32_t const* parents, std::int32_t n_children);
  /// winners: by chunk, a device array with the place of every node's winning feature, or -1.
  void MoveRows(std::vector<NodeMove> const& moves, NodeMove const* device_moves,
                std::vector<std::int32_t const*> const& winners);
  void MoveRowsByFeature(Chunk const& chunk, std::vector<NodeMove> const& moves, NodeMove const* device_moves);
  /// Moves the entries to the children. Arrays are in device memory; parents: [n_children].
  void Partition(std::int32_t n_nodes, NodeMove const* moves, std::int32_t const* parents, std::int32_t n_children);
  void Sort(std::int32_t n_nodes);

  CudaContext cuda_;
  DeviceColumns const& columns_;
  DeviceTreeTask const& task_;
  std::int32_t interleaved_levels_;
  ExactWorkspace& workspace_;
  CategoryColumns& categories_;
  std::vector<Chunk>& chunks_;
  std::int64_t spare_region_ = 0;
  std::int32_t depth_ = 0;
  bool sorted_ = true;  ///< entries are sorted by node, without the rows that are not sampled
};

}  // namespace kauri::cuda
