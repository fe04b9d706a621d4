/// \file A round in which each of several devices computes the margins, gradients and leaves of its own rows
/// (apart_rows.h).
///
/// The main device has room for all rows. This class tracks which of its arrays are up to date for the other devices'
/// rows:
/// - margins are up to date on the other devices, on the main one, or on both;
/// - gradients of a round are on all devices, each with its own rows, or complete on the main one.
/// They are copied to the main device only when they are needed there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/engine/apart_rows.h"
#include "kauri/engine.h"

namespace kauri::cuda {

struct TrainingArrays;

/// Input of a tree of a round.
struct ApartTree {
  std::int64_t output;
  RowSample sample;  ///< draws rows by number
  TreePlace place;
};

class ApartRound {
 public:
  /// Returns nullptr if `ctx` has one device, or too few rows for several.
  static std::unique_ptr<ApartRound> Make(Context const& ctx, WholeRows const& whole);

  /// Returns the number of rows of the main device.
  std::int64_t NumOwnRows() const { return n_own_rows_; }
  /// Updates the margins of all rows on the main device, [n_rows, n_outputs].
  void CollectMargins(CudaContext const& main, float* margins);
  /// Marks the margins as changed on the main device alone.
  void LoseMargins() { margins_here_ = false; }

  /// Returns whether the last tree could grow from sharded gradients; true before the first tree. If it needed all of
  /// them on the main device, the next round's gradients are computed there, so that no row is copied to the main
  /// device and back.
  bool IsWanted() const { return is_wanted_; }
  void Want(bool is_wanted) { is_wanted_ = is_wanted; }

  /// Computes the gradients of all rows, each on the device of its row.
  void ComputeGradients(Context const& ctx, WholeRows const& whole, DeviceObjective const& objective,
                        std::int64_t iteration, TrainingArrays* arrays);
  bool HasGradients() const { return has_gradients_; }
  /// Copies the gradients to the main device, [n_rows, n_outputs].
  void CopyGradients(CudaContext const& main, GradientPair* gradients);
  /// Marks the gradients as not sharded: the main device has, or will get, all of them.
  void LoseGradients() { has_gradients_ = false; }

  /// Makes the input of a tree. \throws Error(kData) for a pair that is not finite, naming its row. The spans of the
  /// result are valid until the next tree.
  DeviceTreeTask MakeInput(CudaContext const& main, ApartTree const& tree, TrainingArrays* arrays);
  /// Adds the leaves' values to the margins of the other devices' rows.
  void AddLeaves(std::vector<float> const& values, std::int64_t output);

 private:
  explicit ApartRound(WholeRows const& whole) : agreed_(whole.main.device), n_outputs_(whole.n_outputs) {}

  void Spread(WholeRows const& whole);
  void AgreeOnLargest(CudaContext const& main, TrainingArrays* arrays);
  PairTable OwnGradients(TrainingArrays const& arrays) const;
  /// Returns the totals of the pairs that were quantised last; waits for all devices.
  PairTotals TotalsOf(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const;
  [[noreturn]] void FailRow(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const;

  /// Reached when the largest magnitudes of all rows are on the main device. Declared before the objects that wait for
  /// it.
  Event agreed_;
  std::int64_t n_outputs_;
  std::int64_t n_own_rows_ = 0;
  std::vector<std::unique_ptr<ApartRows>> others_;
  std::vector<ShareInput> inputs_;  ///< for the last tree
  std::uint64_t revision_ = 0;      ///< revision of the info that the other devices have
  bool is_told_ = false;
  bool is_wanted_ = true;
  bool margins_here_ = false;   ///< margins are up to date on the other devices
  bool margins_whole_ = true;   ///< margins are up to date on the main device
  bool has_gradients_ = false;  ///< the round's gradients are on the devices of their rows
};

}  // namespace kauri::cuda
