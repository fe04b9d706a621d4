/// \file The game of a function of rows: columns outside a coalition take their values from the rows of a background.
///
/// The worth of a coalition S of columns is the mean of f over hybrid rows: x in S, and elsewhere a row of the
/// background, each in turn. Hybrid rows are made a batch at a time, which bounds the memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/span.h"
#include "shapley/estimate.h"
#include "shapley/game.h"

namespace kauri {

/// The function to explain. Called from one thread.
class RowFunction {
 public:
  virtual ~RowFunction() = default;
  virtual std::int64_t NumOutputs() const = 0;
  /// rows: [n_rows, n_cols]; out: [n_rows, n_outputs].
  virtual void Call(std::int64_t n_rows, std::int64_t n_cols, double const* rows, double* out) = 0;
};

/// A table of rows, [n_rows, n_cols]. Not owning.
struct RowTable {
  double const* values;
  std::int64_t n_rows;
  std::int64_t n_cols;

  double const* Row(std::int64_t row) const { return values + row * n_cols; }
};

struct ExplainRowsTask {
  RowTable rows;
  RowTable background;
  std::vector<std::vector<std::int64_t>> players;  ///< the columns of each player; a column belongs to at most one
  std::int64_t batch_rows = 65536;
};

/// The caller's memory for an explanation.
struct RowValues {
  double* values;          ///< [n_rows, n_players, n_outputs]
  double* errors;          ///< likewise
  double* base;            ///< [n_outputs], mean over the background
  std::uint64_t* n_evals;  ///< [n_rows], number of coalitions evaluated
};

/// Explains each row. Players whose columns equal the background's in all of its rows (NaN equals NaN) are left out and
/// have exactly 0. Returns the method of the row with the most players. \throws Error(kData): tables that do not match,
/// numbers of the function that are not finite; Error(kParameter): as ShapleyPlanOf, columns that do not exist or are
/// named twice.
ShapleyMethod ExplainRows(Context const& ctx, RowFunction* function, ExplainRowsTask const& task,
                          ShapleyOptions const& options, RowValues const& out);

}  // namespace kauri
