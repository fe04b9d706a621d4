#include "objective/labels.h"

#include <cmath>

#include "collective/reduce.h"
#include "collective/row_ranges.h"
#include "kauri/error.h"

namespace kauri {

void CheckLabelCount(MetaInfo const& info, LabelRule const& rule) {
  if (info.labels.empty() && info.n_rows > 0) {
    Fail(ErrorKind::kData, rule.objective, ": the data set has no labels; set one label for each of its ", info.n_rows,
         " rows; in CSV files label_column=NAME says which column has them");
  }
  if (static_cast<std::int64_t>(info.labels.size()) != info.n_rows * info.n_targets) {
    Fail(ErrorKind::kData, rule.objective, ": ", info.labels.size(), " labels for ", info.n_rows, " rows and ",
         info.n_targets, " targets; set exactly one label per row and target");
  }
}

void CheckRowWeights(MetaInfo const& info, LabelRule const& rule) {
  if (!info.weights.empty() && static_cast<std::int64_t>(info.weights.size()) != info.n_rows) {
    Fail(ErrorKind::kData, rule.objective, ": ", info.weights.size(), " weights for ", info.n_rows,
         " rows; set exactly one weight per row, or none");
  }
}

void FailNoWeight(std::int64_t n_rows, std::string const& objective) {
  Fail(ErrorKind::kData, objective, ": the weights of the ", n_rows,
       " rows add up to 0; give some row a weight above 0: weights must contain at least one non-zero value");
}

void RequireKnownTarget(Context const& ctx, MetaInfo const& info, std::int64_t target, std::string const& objective) {
  std::int64_t n_known = 0;
  for (std::int64_t row = 0; row < info.n_rows; ++row) {
    n_known += IsMissingLabel(info.labels[row * info.n_targets + target]) ? 0 : 1;
  }
  if (SumOverRanks(ctx, n_known) > 0) return;
  Fail(ErrorKind::kData, objective, ": the labels of target ", target, " are NaN in all ",
       SumOverRanks(ctx, info.n_rows), " rows, so there is no intercept to estimate; leave that column out, or set ",
       "base_score");
}

void FailLabel(MetaInfo const& info, LabelRule const& rule, std::size_t index) {
  auto const row = GlobalRow(info, static_cast<std::int64_t>(index) / info.n_targets);
  auto const target = static_cast<std::int64_t>(index) % info.n_targets;
  auto const of_target = info.n_targets > 1 ? ", target " + std::to_string(target) + "," : std::string();
  auto const label = info.labels[index];
  auto const known_as = std::isfinite(label) ? rule.known_as : "Label contains NaN, infinity or a value too large";
  Fail(ErrorKind::kData, rule.objective, ": label ", label, " of row ", row, of_target, " is not ", rule.domain, "; ",
       rule.cure, known_as.empty() ? "" : " (" + known_as + ")");
}

}  // namespace kauri
