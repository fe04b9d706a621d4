/// \file The interface of a predictor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/error.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

class Objective;
class RowCounter;
struct SetInteractionOptions;
struct SetInteractions;
struct WeighedRows;

/// Kinds of predictions. The numbers are the C ABI's prediction types; numbers from 100 on are Kauri's own.
enum class PredictKind : int {
  kValue = 0,
  kMargin = 1,
  kContribution = 2,
  kApproxContribution = 3,
  kInteraction = 4,
  kApproxInteraction = 5,
  kLeaf = 6,
  /// Banzhaf values (Banzhaf 1965): a feature's mean effect over all coalitions of the others, all equally likely. They
  /// need not add up to the margin. Same shape as kContribution.
  kBanzhaf = 100,
  /// Shapley-Taylor indices of order 2 (Sundararajan, Dhamdhere, Agarwal 2020): the diagonal is the effect of a feature
  /// alone, every other cell half of the pair's index; all add up to the margin. Same shape as kInteraction.
  kTaylorInteraction = 101,
  /// Banzhaf interactions (Roubens 1996): every cell off the diagonal is half of the pair's mean effect over all
  /// coalitions of the others; rows add up to Banzhaf values. Same shape as kInteraction.
  kBanzhafInteraction = 102
};

/// Returns whether predictions of this kind have a number per pair of features.
constexpr bool IsOfPairs(PredictKind kind) {
  return kind == PredictKind::kInteraction || kind == PredictKind::kApproxInteraction ||
         kind == PredictKind::kTaylorInteraction || kind == PredictKind::kBanzhafInteraction;
}

/// Returns the number of floats per row: kMargin and kValue n_outputs (the objective may shrink kValue later),
/// contributions of any kind n_outputs * (n_features + 1), pairs n_outputs * (n_features + 1)^2, kLeaf the number of
/// trees in the range. No other code computes this shape.
std::int64_t OutputWidth(Model const& model, PredictKind kind, TreeRange trees);

/// The start of the sum of trees. Exactly one of the two members is used.
struct MarginStart {
  Span<float const> of_output;  ///< [n_outputs], the base score as margin
  Span<float const> of_row;     ///< [n_rows, n_outputs], the user's base margin; empty: of_output is used

  float Of(std::int64_t row, std::int64_t output, std::int64_t n_outputs) const {
    return of_row.empty() ? of_output[output] : of_row[row * n_outputs + output];
  }
};

/// A model compiled for one predictor: immutable, so any number of threads may share it.
class CompiledModel {
 public:
  virtual ~CompiledModel() = default;
};

/// Interactions without the pairs that no tree can make interact: the upper triangle of the dense matrices. Row r and
/// output k own the entries [begin[r * n_outputs + k], begin[r * n_outputs + k + 1]).
struct SparseInteractions {
  std::vector<std::int64_t> begin{0};  ///< [n_rows * n_outputs + 1]
  std::vector<std::uint32_t> first;    ///< [n_entries], a feature
  std::vector<std::uint32_t> second;   ///< [n_entries], a feature, not below the first
  std::vector<float> values;           ///< [n_entries], the dense matrix's cell (first, second)
};

/// The input of predictions of any kind. Not owning.
struct PredictTask {
  DataView const& rows;
  TreeRange trees;  ///< a part of the compiled trees
  MarginStart start;
};

/// A prediction on rows in device memory.
struct DevicePredictTask {
  DeviceStorage const& rows;
  PredictKind kind;  ///< kValue: `objective` transforms the margins
  TreeRange trees;
  MarginStart start;
  Objective const& objective;
};

/// Immutable, shared by threads.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Compiles the trees of `trees`. The Model need not outlive the result: all needed data are copied.
  virtual std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model,
                                                       TreeRange trees) const = 0;

  /// Computes margins, leaves, contributions or interactions; kValue is refused, because the objective computes it from
  /// kMargin. out: [n_rows, OutputWidth(model, kind, trees)]. Margins are float32 sums in the order start, tree, tree,
  /// ...: the same bits for any thread count or batch.
  virtual void Predict(Context const& ctx, CompiledModel const& model, PredictTask const& task, PredictKind kind,
                       Span<float> out) const = 0;

  /// Computes kInteraction without materialising the matrices. top_k = 0: all cells of the upper triangle that a tree
  /// of the range can fill, the diagonal of its features and the bias (n_features, n_features) included, by (first,
  /// second). top_k > 0: for each row and output the top_k off-diagonal cells with the largest absolute values, largest
  /// first, ties by (first, second). The same bits as in the dense matrix.
  virtual void PredictSparse(Context const&, CompiledModel const&, PredictTask const&, std::int64_t /*top_k*/,
                             SparseInteractions* /*out*/) const {
    Fail(ErrorKind::kParameter, "this predictor has no sparse interactions; use device=cpu.");
  }

  /// Computes interventional Shapley values: features outside a coalition take their values from a row of `background`,
  /// and the result is the mean over its rows (at least one). The bias is the mean margin of the background; each row
  /// adds up to its own margin. out: shaped like kContribution. Covers are not used.
  virtual void PredictInterventional(Context const&, CompiledModel const&, PredictTask const&,
                                     DataView const& /*background*/, Span<float> /*out*/) const {
    Fail(ErrorKind::kParameter, "this predictor has no interventional contributions; use device=cpu.");
  }

  /// Returns whether this predictor computes `kind`, without a background or against one. cpu_predictor takes the place
  /// of a predictor that does not.
  virtual bool Computes(PredictKind kind, bool against_background) const {
    return kind != PredictKind::kBanzhafInteraction && (!against_background || kind == PredictKind::kContribution);
  }

  /// Computes kContribution, kInteraction, kBanzhaf, kBanzhafInteraction or kTaylorInteraction as PredictInterventional
  /// does: the mean over the background's rows of the game in which they replace the features outside a coalition.
  /// `kind` is one that Computes(kind, true). out: shaped like `kind`.
  virtual void PredictAgainst(Context const& ctx, CompiledModel const& model, PredictTask const& task,
                              PredictKind /*kind*/, DataView const& background, Span<float> out) const {
    PredictInterventional(ctx, model, task, background, out);
  }

  /// Computes interactions of sets of features of any size (predictor/interactions/set_interactions.h), with the same
  /// bits on any device. \throws Error(kParameter) for options out of range.
  virtual void PredictSets(Context const&, CompiledModel const&, PredictTask const&, SetInteractionOptions const&,
                           SetInteractions* /*out*/) const {
    Fail(ErrorKind::kParameter, "this predictor has no interactions of sets; use device=cpu.");
  }

  /// Returns whether there is PredictSets. cpu_predictor takes the place of a predictor without it.
  virtual bool ComputesSets() const { return false; }

  /// Returns what counts rows in the leaves of any forest (predictor/dependence/row_counter.h) on this predictor's
  /// device; nullptr if the host does.
  virtual std::shared_ptr<RowCounter> MakeRowCounter(Context const&, WeighedRows const&) const { return nullptr; }

  /// Predicts like Predict, with the result in the memory of the rows' device, kValue included. Returns nullptr if
  /// there is no device version. \throws Error(kDevice) when rows and model are on different devices.
  virtual std::unique_ptr<DeviceFloats> PredictOnDevice(Context const&, CompiledModel const&,
                                                        DevicePredictTask const&) const {
    return nullptr;
  }
};

}  // namespace kauri
