/// \file Rows of another device than the main one (row_share.h) as a growing tree asks for them, whatever is added up
/// of them: pairs (hist_share.h), or rows of a table of gradients (hist_vector/vector_share.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/common/device_worker.h"
#include "cuda/hist/rows/growing_rows.h"
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

/// Rows of nodes on the device of a share, as they are about to be added up.
struct SharedRows {
  Upload const& request;        ///< with what AddNodes has put there
  std::size_t n_nodes;          ///< of AddNodes
  std::uint32_t const* n_left;  ///< what SplitNodes wrote
  std::int64_t most_rows;       ///< that the nodes have together, about
};

/// A thread of its own calls the device: what is asked of a share is done later, in the order of the calls, and what
/// fails is thrown by the next Collect or Wait. What calls refer to must live until Wait or Settle.
class SumShare {
 public:
  using Splits = std::shared_ptr<std::vector<CodeSplit> const>;

  /// Without codes. main: the main device.
  SumShare(int device, int main, RowsOfShare rows) : share_(device, main, rows), worker_(device) {}
  /// Who derives from it calls Settle first: tasks use what goes then.
  virtual ~SumShare() = default;
  SumShare(SumShare const&) = delete;
  SumShare& operator=(SumShare const&) = delete;

  CudaContext const& Cuda() const { return share_.Cuda(); }
  /// After Wait, until something else is asked.
  GrowingRowsOnDevice& Rows() { return share_.Rows(); }
  /// Has the thread look for what is asked next, which takes a sleeping one some 100 us.
  void Wake() {
    worker_.Post([] {});
  }
  /// Other codes for the trees to come, as RowShare::TakeBins and ReadBins. Error(kMemory) is thrown by Wait.
  void TakeBins(DeviceBins const& from);
  void ReadBins(DeviceBins const& from);
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
  /// The same in two steps, where the stream is held back otherwise: waits until the device is asked for them, and
  /// gives them to a stream that has waited.
  void WaitUntilAsked() { worker_.Wait(added_); }
  FixedSum const* SumsFor(CudaContext const& main);
  /// Waits for what was asked last: codes, AddUp and how many rows went left, or the leaves.
  void Wait() { worker_.Wait(answered_); }
  /// After AddUp: no split waits any more.
  void TakeStretches();
  void TakeForeseen();
  /// The finished tree, as GrowingRowsOnDevice::TakeTree: memory of the main device, once `ready` is reached.
  void TakeTree(Span<WalkNode const> tree, Event const& ready, int main);
  /// Tells the rows their leaves. leaf_of_row: of all rows, on the main device, whose stream waits once Wait is done.
  void WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row);
  /// The same on this device.
  void WriteLeaves(ShareInput const& input);
  /// Waits for all that was asked; what failed is forgotten.
  void Settle() noexcept { worker_.Settle(); }

 protected:
  RowShare const& Share() const { return share_; }
  /// Has the thread do it after all that was asked before.
  void Post(DeviceWorker::Task task) { worker_.Post(std::move(task)); }
  /// On the thread: a new tree, as RowShare::BeginTree.
  void BeginRows(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled);
  void BeginRows(ShareInput const& input);
  /// Has the thread add up the nodes of a level, for Collect.
  void PostAddUp(DeviceWorker::Task task) { added_ = worker_.Post(std::move(task)); }
  /// On the thread: [n_nodes, SumsOfNode()] zeros, for Collect.
  FixedSum* ReserveSums(std::size_t n_nodes);
  /// On the thread: of these only so many nodes, from one on, are for Collect.
  void GiveSums(std::size_t first_node, std::size_t n_nodes);
  /// On the thread: others may read the sums.
  void FinishSums() const { share_.Finish(); }

 private:
  /// The rest is called on the thread, whose device is current. Share() has other codes.
  virtual void TakeCodes() {}
  /// How many sums a node has.
  virtual std::size_t SumsOfNode() const = 0;
  /// Adds the nodes to the request as kernels read them. sums: [n_nodes, SumsOfNode()], zero.
  virtual void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) = 0;
  /// Adds up their rows, once those went to the children of their nodes.
  virtual void AddRows(SharedRows const& rows) = 0;

  void AddUpRows(std::vector<WantedNode> const& nodes);

  RowShare share_;
  std::vector<NodeSource> sources_;  ///< [n_nodes], of the last AddUp
  Buffer<FixedSum> sums_;
  std::size_t first_sum_ = 0;          ///< in `sums_`: of what was added up last
  std::size_t n_sums_ = 0;             ///< [n_nodes, SumsOfNode()], the same
  Buffer<FixedSum> sums_on_main_;      ///< a copy, where the main device cannot read them
  Buffer<WalkNode> tree_;              ///< a copy
  Upload moves_;                       ///< what rows were moved by, where that came before AddUp
  bool has_moved_ = false;             ///< they were
  DeviceWorker::Ticket added_ = 0;     ///< the last AddUp is on the device's stream
  DeviceWorker::Ticket answered_ = 0;  ///< and done, or the last codes or leaves are
  DeviceWorker worker_;                ///< after what its tasks use
};

}  // namespace kauri::cuda
