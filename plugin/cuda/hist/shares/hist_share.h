/// \file What a device other than the main one adds up for trees whose leaves hold numbers (row_share.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/shares/row_share.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// A node whose rows are to be added up.
struct WantedNode {
  std::int32_t id;
  bool has_sibling;  ///< it has about half of the rows that it comes from, at most
};

/// Where the main device collects the sums of the others.
struct SumCollection {
  CudaContext const& main;
  Span<HistogramNode const> nodes;  ///< device, in the order in which they were wanted
  Buffer<FixedSum>* scratch;
};

class HistShare {
 public:
  HistShare(int device, CudaContext const& main, DeviceBins const& from, RowsOfShare rows)
      : rows_(device, main, from, rows) {}
  /// Of the main device itself: rows whose codes it reads from the host's memory. from: must outlive it.
  HistShare(int device, DeviceBins const& from, RowsOfShare rows) : rows_(device, from, rows) {}

  RowShare& Rows() { return rows_; }
  /// Takes the gradients from the main device once `ready` is reached. counts_rows: whether behind the sums of a
  /// histogram lie their counts.
  void BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task, bool counts_rows);
  /// The same of gradients that are there.
  void BeginTree(ShareInput const& input, bool counts_rows);
  /// Rows of splits that wait go to their children; those of these nodes are added up.
  void AddUp(std::vector<WantedNode> const& nodes);
  /// Adds the sums to the histograms of the nodes. The main device's stream waits for them.
  void Collect(SumCollection const& to);
  /// Waits for how many rows went left: for RowShare::Rows().TakeStretches.
  void Wait() const { rows_.Done().Wait(); }

 private:
  std::size_t SumsOfNode() const { return (ones_.size() == 0 ? 1 : 2) * std::size_t{rows_.Bins().n_sums}; }

  void CountRows(bool counts_rows);

  RowShare rows_;
  Buffer<FixedPair> copied_;  ///< [count]
  FixedPair const* pairs_ = nullptr;
  Buffer<FixedPair> ones_;  ///< [count], or empty: rows are not counted
  Buffer<FixedSum> sums_;   ///< [n_nodes, SumsOfNode()], of the last request
  Buffer<PlannedRows> plan_;
  std::vector<HistogramNode> nodes_;
};

}  // namespace kauri::cuda
