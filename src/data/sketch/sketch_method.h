/// \file Summaries of a column of numbers that answer queries for its quantiles (ColumnSketch), and their kinds, by the
/// names that the parameter `sketch` has for them (SketchMethod).
///
/// Sketches of parts of a column are merged into a sketch of the whole column. The result is a function of the values
/// added and the sketches merged, in their order: the same calls give the same bits.
///
/// The core computes exact quantiles and knows one sketch, gk, which cuts data in files. The other sketches register
/// themselves from src/research; no code below asks which sketch it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collective/reduce.h"
#include "data/sketch/rank_cuts.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

class ColumnSketch {
 public:
  virtual ~ColumnSketch() = default;
  /// Adds values of rows with their weights, >= 0; without weights each row weighs 1. Skips NaN and rows without
  /// weight; no value is infinite. Add many at a time: the cost of a call may be proportional to the size of the
  /// sketch.
  virtual void Add(Span<float const> values, Span<float const> weights) = 0;
  /// Adds the values of another sketch of the same kind and size.
  virtual void Merge(ColumnSketch const& other) = 0;
  /// Appends the sketch to a message for other ranks. Sketches that are merged over ranks implement this and MergeSent.
  virtual void Send(Parcel* out) const;
  /// Adds the values of a sketch that another rank has sent. The sender's sketch must be of the same kind and size.
  /// \throws Error(kCollective) for a message that is no such sketch.
  virtual void MergeSent(OpenParcel* in);
  /// Returns all distinct values while they are few, otherwise enough of them for the number of bins.
  virtual ColumnRanks Ranks() const = 0;
  /// Returns the maximum error, as a share of all weight, of the rank that Ranks() implies for a value between two of
  /// its own; 1 without a guarantee.
  virtual double RankErrorBound() const = 0;
  /// Returns the same for a quantile of QuantilesOf.
  virtual double QuantileErrorBound() const { return RankErrorBound(); }
  virtual std::size_t Bytes() const = 0;
};

/// Returns for each share the least value such that the values up to it hold at least this share of all weight. Shares
/// ascend, from 0 to 1. NaN if there is no weight.
std::vector<float> QuantilesOf(ColumnRanks const& ranks, Span<double const> shares);

struct FeatureCuts;

/// A kind of sketch with its parameters. Immutable, shared by threads.
class SketchMethod {
 public:
  virtual ~SketchMethod() = default;
  /// Returns the value of `sketch` that chooses the method.
  virtual std::string Name() const = 0;
  /// Returns a key that is equal for methods that make equal sketches.
  virtual std::string Key() const { return Name(); }
  /// Returns an empty sketch suited to `max_bin` bins, for values of any range.
  virtual std::unique_ptr<ColumnSketch> Make(int max_bin) const = 0;
  /// Returns an empty sketch for a stream of random numbers, which differs between the ranks of a group, so that the
  /// errors of their sketches are independent.
  virtual std::unique_ptr<ColumnSketch> MakeForStream(int max_bin, std::uint64_t /*stream*/) const {
    return Make(max_bin);
  }
  /// Returns the cuts of all features, [n_cols], for the rows of all ranks. weights: [n_rows], or empty. The default
  /// reads the rows once. In a group every rank sends its sketches, and all ranks merge them in the order of ranks: the
  /// cuts are the same on all ranks and within the error bound, and depend on the partition of the rows.
  virtual std::vector<FeatureCuts> Cut(Context const& ctx, DataMatrix const& data, int max_bin,
                                       Span<float const> weights) const;
  /// Returns the number of bins that sketches of a summary are made for, which determines their size.
  virtual int SummaryBins() const { return 256; }
  /// Checks that Make serves a summary, which reads its rows once. \throws Error(kParameter).
  virtual void RequireSummary() const {}
};

/// The method of a parameter `sketch`; null: exact quantiles, computed from all values.
using SketchChoice = std::shared_ptr<SketchMethod const>;

/// sketch=gk.
class GkMethod : public SketchMethod {
 public:
  std::string Name() const override { return "gk"; }
  std::unique_ptr<ColumnSketch> Make(int max_bin) const override;
};

/// Returns the number of values that sketches keep for `max_bin` bins unless a parameter gives another number.
constexpr std::size_t SketchEntries(int max_bin) {
  constexpr std::size_t kEntriesPerBin = 8;
  return static_cast<std::size_t>(max_bin) * kEntriesPerBin;
}

/// Returns the key of the method, of exact quantiles too.
std::string KeyOf(SketchChoice const& sketch);

}  // namespace kauri
