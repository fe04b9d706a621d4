/// \file What a device other than the main one adds up for trees whose leaves hold numbers (row_share.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/device_worker.h"
#include "cuda/hist/histogram/add_rows.h"
#include "cuda/hist/histogram/row_records.h"
#include "cuda/hist/shares/row_share.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/rows/code_split.h"

namespace kauri::cuda {

/// A node whose rows are to be added up.
struct WantedNode {
  std::int32_t id;
  bool has_sibling;  ///< it has about half of the rows that it comes from, at most
};

/// What a tree asks for besides sums of pairs.
struct SharedTree {
  bool counts_rows;  ///< behind the sums of a histogram lie their counts
  int max_depth;
};

/// A thread of its own calls the device: what is asked of a share is done later, in the order of the calls, and what
/// fails is thrown by the next Collect or Wait. What calls refer to must live until Wait or Settle.
class HistShare {
 public:
  using Splits = std::shared_ptr<std::vector<CodeSplit> const>;

  /// Without codes. main: the main device.
  HistShare(int device, int main, RowsOfShare rows) : rows_(device, main, rows), worker_(device) {}

  CudaContext const& Cuda() const { return rows_.Cuda(); }
  /// After Wait, until something else is asked.
  GrowingRowsOnDevice& Rows() { return rows_.Rows(); }
  /// Other codes for the trees to come, as RowShare::TakeBins and ReadBins. Error(kMemory) is thrown by Wait.
  void TakeBins(DeviceBins const& from);
  void ReadBins(DeviceBins const& from);
  /// Takes the gradients from the main device once `ready` is reached.
  void BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task, SharedTree const& tree);
  /// The same of gradients that are there.
  void BeginTree(ShareInput const& input, SharedTree const& tree);
  /// Lets splits wait for AddUp, as GrowingRowsOnDevice::Split and Foresee.
  void Split(Splits const& splits);
  void Foresee(CodeSplit const& split);
  /// Rows of splits that wait go to their children now.
  void Move();
  /// They do so at the latest here; those of these nodes are added up.
  void AddUp(std::vector<WantedNode> const& nodes);
  /// The sums of these nodes, [n_nodes, SumsOfNode()], as the main device, whose stream waits for them, can read them;
  /// until the next AddUp.
  FixedSum const* Collect(CudaContext const& main);
  /// Waits for what was asked last: codes, AddUp and how many rows went left, or the leaves.
  void Wait() { worker_.Wait(answered_); }
  /// After AddUp: no split waits any more.
  void TakeStretches();
  void TakeForeseen();
  /// Tells the rows their leaves. leaf_of_row: of all rows, on the main device, whose stream waits once Wait is done.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);
  /// The same on this device.
  void WriteLeaves(ShareInput const& input);
  /// Waits for all that was asked; what failed is forgotten.
  void Settle() noexcept { worker_.Settle(); }

 private:
  std::size_t SumsOfNode() const { return (ones_.size() == 0 ? 1 : 2) * std::size_t{rows_.Bins().n_sums}; }

  void TakePairs(FixedPair const* pairs, SharedTree const& tree);
  void ReserveSums(std::size_t n_nodes);
  void AddUpRows(std::vector<WantedNode> const& nodes);

  RowShare rows_;
  Buffer<FixedPair> copied_;  ///< [count]
  FixedPair const* pairs_ = nullptr;
  RowRecords records_;
  Buffer<FixedPair> ones_;  ///< [count], or empty: rows are not counted
  Buffer<FixedSum> sums_;   ///< [n_nodes, SumsOfNode()], of the last request
  Buffer<PlannedRows> plan_;
  std::vector<HistogramNode> nodes_;
  Buffer<FixedSum> sums_on_main_;      ///< a copy, where the main device cannot read them
  Upload moves_;                       ///< what rows were moved by, where that came before AddUp
  bool has_moved_ = false;             ///< they were
  DeviceWorker::Ticket added_ = 0;     ///< the last AddUp is on the device's stream
  DeviceWorker::Ticket answered_ = 0;  ///< and done, or the last codes or leaves are
  DeviceWorker worker_;                ///< after what its tasks use
};

}  // namespace kauri::cuda
