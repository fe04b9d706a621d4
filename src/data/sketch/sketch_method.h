/// \file The kinds of quantile sketches, by the names that the parameter `sketch` has for them.
///
/// The core computes exact quantiles and knows one sketch, gk, which cuts data in files. The other sketches register
/// themselves from src/research; no code below asks which sketch it has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/sketch/column_sketch.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri {

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
  /// Returns the cuts of all features, [n_cols]. weights: [n_rows], or empty. The default reads the rows once.
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
