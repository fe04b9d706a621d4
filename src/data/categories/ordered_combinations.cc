#include <algorithm>
#include <set>
#include <utility>

#include "common/threads/parallel_for.h"
#include "data/categories/ordered_statistics.h"

namespace kauri {
namespace {

using Positions = std::vector<std::int32_t>;

/// A pair of columns, each by its index in OrderedRows.
struct Candidate {
  std::size_t base;
  std::size_t part;  ///< a single column
  double told = 0.0;
  double surplus = 0.0;
};

/// Measures how much information columns carry about the labels.
class Survey {
 public:
  Survey(Context const& ctx, OrderedEncoding const& encoding, OrderedRows const& rows)
      : encoding_(encoding),
        rows_(rows),
        order_(PermutationOf(ctx, encoding, 0, std::min(encoding.n_rows, kMostRowsLookedAt))),
        n_numbers_(encoding.settings.n_numbers),
        prior_weight_(encoding.PriorWeight()) {
    for (std::int64_t number = 0; number < n_numbers_; ++number) priors_.push_back(encoding.Prior(number));
  }

  /// Returns the information of one column, as defined in the header.
  double Alone(std::size_t column) const {
    std::vector<LabelSum> before(NumPositions(column) * priors_.size());
    double told = 0.0;
    for (auto const row : order_) {
      auto const position = rows_.positions[column][row];
      if (position != kMissingPosition) told += Tell(row, SumsAt(&before, position, n_numbers_));
    }
    return told;
  }

  /// Returns the rows that have a value in a base column, sorted by its position. Rows of one position stay in their
  /// order.
  std::vector<std::int64_t> RowsByPosition(std::size_t base) const {
    auto const& positions = rows_.positions[base];
    std::vector<std::size_t> next(NumPositions(base) + 1, 0);
    for (auto const row : order_) {
      if (positions[row] != kMissingPosition) ++next[positions[row] + 1];
    }
    for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
    std::vector<std::int64_t> sorted(next.back());
    for (auto const row : order_) {
      if (positions[row] != kMissingPosition) sorted[next[positions[row]]++] = row;
    }
    return sorted;
  }

  /// Returns the information of a base and a column combined. sorted: RowsByPosition of the base.
  double Together(std::vector<std::int64_t> const& sorted, std::size_t base, std::size_t part) const {
    std::vector<std::int32_t> sums_of(NumPositions(part), kMissingPosition);  // entries of another base are out of date
    std::vector<LabelSum> before(NumPositions(part) * priors_.size());
    double told = 0.0;
    for (auto const row : sorted) {
      auto const position = rows_.positions[part][row];
      if (position == kMissingPosition) continue;
      auto const sums = SumsAt(&before, position, n_numbers_);
      if (sums_of[position] != rows_.positions[base][row]) {
        sums_of[position] = rows_.positions[base][row];
        std::fill(sums.begin(), sums.end(), LabelSum());
      }
      told += Tell(row, sums);
    }
    return told;
  }

 private:
  std::size_t NumPositions(std::size_t column) const { return encoding_.NumPositions(rows_.features[column]); }

  /// Returns by how much the means of the rows `before` are closer to the row's labels than the priors are. Then adds
  /// the row to `before`.
  double Tell(std::int64_t row, Span<LabelSum> before) const {
    double told = 0.0;
    for (std::size_t number = 0; number < before.size(); ++number) told += TellOf(number, row, before[number]);
    rows_.AddTo(before, row);
    return told;
  }

  /// Returns the information of one number: w (y - p)^2 - w (y - m)^2.
  double TellOf(std::size_t number, std::int64_t row, LabelSum before) const {
    auto const label = static_cast<double>(rows_.LabelOf(row, number)) * encoding_.label_unit;  // times the weight
    auto const weight = static_cast<double>(rows_.pairs[row].hessian) * encoding_.weight_unit;
    auto const prior = priors_[number];
    auto const known = static_cast<double>(before.weights) * encoding_.weight_unit + prior_weight_;
    auto const sum = static_cast<double>(before.labels) * encoding_.label_unit + prior * prior_weight_;
    if (!(known > 0.0)) return 0.0;
    auto const mean = sum / known;
    return (mean - prior) * (2.0 * label - weight * (mean + prior));
  }

  OrderedEncoding const& encoding_;
  OrderedRows const& rows_;
  std::vector<std::int64_t> order_;
  std::int64_t n_numbers_;
  double prior_weight_;
  std::vector<double> priors_;  ///< [n_numbers]
};

/// Returns the bases [begin, end), each combined with each of the first n_single columns that it lacks. Every set of
/// columns occurs once.
std::vector<Candidate> CandidatesOf(OrderedEncoding const& encoding, OrderedRows const& rows, std::size_t n_single,
                                    std::size_t begin, std::size_t end) {
  std::vector<Candidate> candidates;
  std::set<std::vector<std::int32_t>> known;
  for (auto base = begin; base < end; ++base) {
    for (std::size_t part = 0; part < n_single; ++part) {
      auto members = encoding.MembersOf(rows.features[base]);
      auto const feature = static_cast<std::int32_t>(rows.features[part]);
      auto const place = std::lower_bound(members.begin(), members.end(), feature);
      if (place != members.end() && *place == feature) continue;
      members.insert(place, feature);
      if (known.insert(std::move(members)).second) candidates.push_back({base, part});
    }
  }
  return candidates;
}

/// Computes `told` and `surplus` of the candidates. Candidates of one base are adjacent.
void Look(Context const& ctx, Survey const& survey, std::vector<double> const& told,
          std::vector<Candidate>* candidates) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < candidates->size(); ++i) {
    if (i > 0 && (*candidates)[i].base != (*candidates)[i - 1].base) ends.push_back(i);
  }
  ends.push_back(candidates->size());
  ParallelFor(ctx, static_cast<std::int64_t>(ends.size()), [&](std::int64_t group) {
    auto const begin = group == 0 ? 0 : ends[group - 1];
    if (begin == ends[group]) return;
    auto const base = (*candidates)[begin].base;
    auto const sorted = survey.RowsByPosition(base);
    for (auto i = begin; i < ends[group]; ++i) {
      auto& candidate = (*candidates)[i];
      candidate.told = survey.Together(sorted, base, candidate.part);
      candidate.surplus = candidate.told - std::max(told[base], 0.0) - std::max(told[candidate.part], 0.0);
    }
  });
}

/// Keeps the candidates with a surplus, at most kMostKept, the largest first.
void KeepBest(std::vector<Candidate>* candidates) {
  auto const has_none = [](Candidate const& candidate) { return !(candidate.surplus > 0.0); };
  candidates->erase(std::remove_if(candidates->begin(), candidates->end(), has_none), candidates->end());
  std::stable_sort(candidates->begin(), candidates->end(),
                   [](Candidate const& a, Candidate const& b) { return a.surplus > b.surplus; });
  candidates->resize(std::min(candidates->size(), kMostKept));
}

/// Returns the combination of two columns with its statistics, and sets *positions to the positions of all rows.
OrderedCombination Combine(OrderedRows const& rows, Candidate const& candidate, std::int64_t n_numbers,
                           Positions* positions) {
  auto const& of_base = rows.positions[candidate.base];
  auto const& of_part = rows.positions[candidate.part];
  OrderedCombination combination;
  combination.base = static_cast<std::int32_t>(rows.features[candidate.base]);
  combination.feature = static_cast<std::int32_t>(rows.features[candidate.part]);
  auto& cells = combination.cells;
  for (std::size_t row = 0; row < of_base.size(); ++row) {
    if (of_base[row] == kMissingPosition || of_part[row] == kMissingPosition) continue;
    cells.push_back(OrderedCombination::CellOf(of_base[row], of_part[row]));
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  cells.shrink_to_fit();
  positions->resize(of_base.size());
  for (std::size_t row = 0; row < of_base.size(); ++row) {
    (*positions)[row] = combination.PositionOf(of_base[row], of_part[row]);
  }
  combination.sums = SumsOf(rows, *positions, cells.size(), n_numbers);
  return combination;
}

void Append(Context const& ctx, std::vector<Candidate> const& kept, OrderedEncoding* encoding, OrderedRows* rows) {
  std::vector<OrderedCombination> combinations(kept.size());
  std::vector<Positions> positions(kept.size());
  auto const n_numbers = encoding->settings.n_numbers;
  ParallelFor(ctx, static_cast<std::int64_t>(kept.size()),
              [&](std::int64_t i) { combinations[i] = Combine(*rows, kept[i], n_numbers, &positions[i]); });
  for (std::size_t i = 0; i < kept.size(); ++i) {
    rows->features.push_back(encoding->columns.size() + encoding->combinations.size());
    rows->positions.push_back(std::move(positions[i]));
    encoding->combinations.push_back(std::move(combinations[i]));
  }
}

}  // namespace

void AddCombinations(Context const& ctx, OrderedEncoding* encoding, OrderedRows* rows) {
  auto const n_single = rows->features.size();
  Survey const survey(ctx, *encoding, *rows);
  std::vector<double> told(n_single);
  ParallelFor(ctx, static_cast<std::int64_t>(n_single),
              [&](std::int64_t column) { told[column] = survey.Alone(static_cast<std::size_t>(column)); });
  std::size_t begin = 0;
  for (std::int64_t size = 2; size <= encoding->settings.most_combined; ++size) {
    auto const end = rows->features.size();
    auto candidates = CandidatesOf(*encoding, *rows, n_single, begin, end);
    Look(ctx, survey, told, &candidates);
    KeepBest(&candidates);
    Append(ctx, candidates, encoding, rows);
    for (auto const& kept : candidates) told.push_back(kept.told);
    begin = end;
  }
}

}  // namespace kauri
