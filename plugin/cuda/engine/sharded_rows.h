/// \file The margins and gradients of a data set's rows, on one or several devices.
///
/// The rows lie in consecutive shards (tree/cut_rows.h), one for each device, at least one. The first shard belongs to
/// the main device, whose arrays have room for all rows. A round's gradients and trees come from n >= 1 shards: from
/// one, the main device's with all rows, or from all of them.
///
/// Invariant. The rows of the first shard are up to date on the main device at any time. The margins and the gradients
/// of any other row have two copies, one on the main device and one on the device of its shard, and at least one of the
/// two is up to date: CopyState says which. Only this class reads and changes that state. A function that returns a
/// copy updates it first; a function that returns memory to change makes the other copy out of date. A round of several
/// shards has its margins and gradients on the shards' devices until a tree needs all rows on the main device.
///
/// With one shard there are no other devices: nothing is copied, launched, recorded or waited for here that a single
/// array of margins and gradients would not need. Every loop over the other shards is empty, and no event exists.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/engine/remote_shard.h"
#include "cuda/engine/round_kernels.h"
#include "cuda/tree/cut_rows.h"
#include "kauri/context.h"
#include "kauri/tree.h"

namespace kauri::cuda {

/// Input of a round's gradients.
struct GradientTask {
  CudaContext const& main;
  Context const& ctx;
  DeviceObjective const& objective;
  DeviceInfo const& info;  ///< of all rows, on the main device
  std::uint64_t revision;  ///< of the info
  std::int64_t iteration;
  std::int64_t fewest_rows = kFewestRowsOfShard;  ///< minimum number of rows of a shard, if there are several
};

class ShardedRows {
 public:
  /// Forgets everything, and frees all memory.
  void Clear();
  /// Allocates margins after Clear. The rows lie in one shard.
  void Allocate(CudaContext const& main, std::int64_t n_rows, std::int64_t n_outputs);
  /// Allocates gradients and the arrays of trees, unless they exist. \throws Error(kMemory) before anything is
  /// allocated.
  void PrepareTraining(CudaContext const& main);

  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t NumOutputs() const { return n_outputs_; }
  /// Returns the number of shards that the round's gradients lie in.
  std::size_t NumShards() const { return 1 + Others().size(); }
  /// Returns the number of rows of the round's first shard.
  std::int64_t NumRowsHere() const { return Others().empty() ? n_rows_ : n_first_; }

  /// Returns the margins of all rows, [n_rows, n_outputs], main device.
  Span<float const> Margins(CudaContext const& main) const;
  /// Returns the same memory to be changed.
  Span<float> MarginsToChange(CudaContext const& main);
  /// Returns the same memory to be overwritten for all rows.
  Span<float> MarginsToSet();

  /// Returns the gradients of all rows, main device.
  PairTable Gradients(CudaContext const& main) const;
  /// Returns the gradients of the round's first shard: of all rows if there is one shard.
  PairTable GradientsHere() const { return GradientsOf(NumRowsHere()); }
  /// Begins a round of one shard. Returns memory for its gradients, [n_rows, n_columns]; n_columns is n_outputs or
  /// less.
  Span<GradientPair> GradientsToSet(std::int64_t n_columns);
  Span<GradientPair> GradientsToSet() { return GradientsToSet(n_outputs_); }
  std::int64_t NumGradients() const { return n_gradients_; }
  /// Begins a round, and computes the gradients from the margins: in several shards if the context has several devices,
  /// the objective and the last tree allow it, and there are rows enough.
  void ComputeGradients(GradientTask const& task);

  /// Begins a tree. takes_shards: whether it can grow from gradients in several shards; if not, the round goes on in
  /// one shard, and so do the next rounds, so that no row is copied to the main device and back.
  void BeginTree(CudaContext const& main, bool takes_shards);
  /// Returns the arrays of the first shard's tree.
  TreeArrays& TreeHere() { return tree_; }
  /// Returns whether the tree's summary has the largest magnitudes of the round's gradients, over all shards.
  bool HasLargest() const { return has_largest_; }
  void SetHasLargest(bool has_largest) { has_largest_ = has_largest; }
  /// Raises the largest magnitudes, which the main device has found in its shard, to the maximum over all shards, on
  /// all devices.
  void AgreeOnLargest(CudaContext const& main);
  /// Quantises one output on all devices. gradients, marks: of the first shard (TreeArrays::Quantise). sample: by key
  /// and rate if there are several shards.
  void Quantise(CudaContext const& main, PairTable const& gradients, std::int64_t output, RowSample const& sample,
                Span<std::uint8_t> marks);
  /// Returns the inputs of the other shards' trees, as Quantise has made them; valid until the next tree. Waits until
  /// their work is queued.
  Span<ShardInput const> Inputs();
  /// Returns the totals of an output, on the main device; nullptr if there are several shards, whose sums only the host
  /// adds.
  PairTotals const* TotalsHere(std::int64_t output) const {
    return Others().empty() ? tree_.summary.Totals() + output : nullptr;
  }
  /// Returns the sum of what Quantise found in the other shards. Waits for it.
  FixedSum SumOfOthers() const;
  /// \throws Error(kData) for the first row of the other shards whose pair is not finite. Waits for it.
  void RequireFiniteOthers(std::int64_t output) const;
  /// Returns the leaves of the first shard's rows.
  Span<std::int32_t> LeavesHere() const { return {tree_.leaf_of_row.data(), ToSize(NumRowsHere())}; }
  /// Returns the sums of the last tree's pairs by leaf, before rounding, over all shards. Waits.
  std::vector<FixedSum> SumLeaves(CudaContext const& main, std::int64_t n_nodes);
  /// Returns the unit of these sums. Waits for it.
  GradientUnit ExactUnit() const { return tree_.summary.Fetched(tree_.DrawnOutput()).largest.Unit(); }
  /// Adds the tree's leaves to the margins of all rows. output: output of a tree with scalar leaves. Errors of other
  /// devices are thrown here.
  void AddLeaves(CudaContext const& main, Tree const& tree, std::int64_t output);

 private:
  /// The copies that are up to date for the rows of all shards but the first.
  struct CopyState {
    bool on_main = true;
    bool on_others = false;
  };

  /// Returns the shards of the round except the first.
  Span<std::unique_ptr<RemoteShard> const> Others() const {
    return {others_.data(), gradient_copies_.on_others ? others_.size() : 0};
  }
  PairTable GradientsOf(std::int64_t n_rows) const {
    return {{gradients_.data(), ToSize(n_rows * n_gradients_)}, n_gradients_};
  }
  bool MakeOthers(GradientTask const& task);
  void UpdateOthers(GradientTask const& task);
  void FetchGradients(CudaContext const& main) const;

  std::int64_t n_rows_ = 0;
  std::int64_t n_outputs_ = 1;
  std::int64_t n_gradients_ = 1;    ///< n_outputs, or fewer if leaves have gradients of their own
  Buffer<float> margins_;           ///< [n_rows, n_outputs]
  Buffer<GradientPair> gradients_;  ///< [n_rows, n_outputs], of which the first [n_rows, n_gradients] are used
  TreeArrays tree_;
  bool has_largest_ = false;
  bool takes_shards_ = true;  ///< whether the last tree could grow from several shards; true before the first
  mutable CopyState margin_copies_;
  mutable CopyState gradient_copies_;

  std::int64_t n_first_ = 0;                          ///< rows of the first of several shards
  std::optional<Event> ready_;                        ///< the main device's margins and info are complete
  std::optional<Event> agreed_;                       ///< the largest magnitudes of all rows are on the main device
  std::vector<ShardInput> inputs_;                    ///< for the last tree
  std::optional<std::uint64_t> revision_;             ///< revision of the info that the other devices have
  std::vector<std::unique_ptr<RemoteShard>> others_;  ///< declared after all that their queued work uses
};

}  // namespace kauri::cuda
