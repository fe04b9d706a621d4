/// \file A round of which each of several devices computes what concerns its own rows (apart_rows.h).
///
/// The main device has room for all rows; here it is known which of its arrays hold what is true of the others' rows:
/// - margins are true on the other devices, on the main one, or on both;
/// - gradients of a round are on all devices, each with those of its rows, or whole on the main one.
/// Who needs them whole asks for them, and they are copied then.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/engine/apart_rows.h"
#include "kauri/engine.h"

namespace kauri::cuda {

struct TrainingArrays;

/// What a tree of a round grows from.
struct ApartTree {
  std::int64_t output;
  RowSample sample;  ///< by number
  TreePlace place;
};

class ApartRound {
 public:
  /// nullptr where `ctx` has one device, or too few rows for several.
  static std::unique_ptr<ApartRound> Make(Context const& ctx, WholeRows const& whole);

  /// Rows of the main device.
  std::int64_t NumOwnRows() const { return n_own_rows_; }
  /// Makes margins true on the main device: [n_rows, n_outputs].
  void CollectMargins(CudaContext const& main, float* margins);
  /// They were changed on the main device alone.
  void LoseMargins() { margins_here_ = false; }

  /// Whether the last tree could grow from gradients that are apart, as is believed of the first. Where it needed them
  /// whole those of the next round are computed so, and no row crosses to the main device and back.
  bool IsWanted() const { return is_wanted_; }
  void Want(bool is_wanted) { is_wanted_ = is_wanted; }

  /// Gradients of all rows, each on the device of its row.
  void ComputeGradients(Context const& ctx, WholeRows const& whole, DeviceObjective const& objective,
                        std::int64_t iteration, TrainingArrays* arrays);
  bool HasGradients() const { return has_gradients_; }
  /// Copies them to the main device: [n_rows, n_outputs].
  void CopyGradients(CudaContext const& main, GradientPair* gradients);
  /// The main device has, or gets, them whole.
  void LoseGradients() { has_gradients_ = false; }

  /// \throws Error(kData) for a pair that is not finite, naming its row. The result's spans stay until the next tree's.
  DeviceTreeTask MakeInput(CudaContext const& main, ApartTree const& tree, TrainingArrays* arrays);
  /// Adds the leaves' values to the margins of the other devices' rows.
  void AddLeaves(std::vector<float> const& values, std::int64_t output);

 private:
  explicit ApartRound(WholeRows const& whole) : agreed_(whole.main.device), n_outputs_(whole.n_outputs) {}

  void Spread(WholeRows const& whole);
  void AgreeOnLargest(CudaContext const& main, TrainingArrays* arrays);
  PairTable OwnGradients(TrainingArrays const& arrays) const;
  /// Of the pairs that were quantised last; waits for all devices.
  PairTotals TotalsOf(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const;
  [[noreturn]] void FailRow(CudaContext const& main, TrainingArrays const& arrays, std::int64_t output) const;

  Event agreed_;  ///< the largest magnitudes of all rows are on the main device; before who waits for it
  std::int64_t n_outputs_;
  std::int64_t n_own_rows_ = 0;
  std::vector<std::unique_ptr<ApartRows>> others_;
  std::vector<ShareInput> inputs_;  ///< of the last tree
  std::uint64_t revision_ = 0;      ///< of what they were told of their rows
  bool is_told_ = false;
  bool is_wanted_ = true;
  bool margins_here_ = false;   ///< whether they are true on the other devices
  bool margins_whole_ = true;   ///< whether they are on the main one
  bool has_gradients_ = false;  ///< whether the round's are on the devices of their rows
};

}  // namespace kauri::cuda
