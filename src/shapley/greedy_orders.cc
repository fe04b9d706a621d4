/// Chooses orders one after the other among random candidates: kernel herding (section 5.3.1, equation 6) and
/// sequential Bayesian quadrature (5.3.2, Algorithm 1), both with the Mallows kernel.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "shapley/mallows.h"
#include "shapley/orders.h"

namespace kauri {
namespace {

/// The orders chosen so far and the candidates for the next place.
class Choice {
 public:
  Choice(Context const& ctx, OrderOptions const& options, Orders* orders)
      : ctx_(ctx),
        options_(options),
        orders_(*orders),
        pairs_(orders->d),
        table_(orders->d, options.lambda),
        chosen_(SizeInMemory(orders->n * pairs_.Width())),
        candidates_(SizeInMemory(options.candidates * pairs_.Width())),
        order_(SizeInMemory(std::int64_t{options.candidates} * orders->d)) {}

  /// Draws the candidates for place `i`, and calls score(candidate, similarities to the chosen orders [i]) for each.
  template <typename Score>
  void Candidates(std::int64_t i, Score&& score) {
    ParallelFor(ctx_, options_.candidates, [&](std::int64_t c) {
      auto const number = static_cast<std::uint64_t>(i * options_.candidates + c);
      Span<std::uint32_t> const order(order_.data() + c * orders_.d, orders_.d);
      UniformOrder(OrderKey(options_.seed, OrderStream::kCandidates, number), order);
      std::vector<std::uint32_t> ranks(order.size());
      for (std::int64_t k = 0; k < orders_.d; ++k) ranks[order[k]] = static_cast<std::uint32_t>(k);
      auto* words = candidates_.data() + c * pairs_.Width();
      pairs_.Write(ranks, words);
      std::vector<double> similar(ToSize(i));
      for (std::int64_t j = 0; j < i; ++j) {
        similar[ToSize(j)] = table_.At(pairs_.CountDiscordant(words, chosen_.data() + j * pairs_.Width()));
      }
      score(c, similar);
    });
  }

  void Choose(std::int64_t i, std::int64_t c) {
    std::copy_n(candidates_.data() + c * pairs_.Width(), pairs_.Width(), chosen_.data() + i * pairs_.Width());
    std::copy_n(order_.data() + c * orders_.d, orders_.d, orders_.order.data() + i * orders_.d);
  }

 private:
  Context const& ctx_;
  OrderOptions const& options_;
  Orders& orders_;
  PairBits pairs_;
  MallowsTable table_;
  std::vector<std::uint64_t> chosen_;
  std::vector<std::uint64_t> candidates_;
  std::vector<std::uint32_t> order_;  ///< [candidates, d]
};

/// The Cholesky factor L of the chosen orders' similarities, row by row, and a = L^-1 z.
struct Factor {
  std::vector<double> lower;  ///< rows of 1, 2, 3, .. numbers
  std::vector<double> a;

  std::int64_t Size() const { return static_cast<std::int64_t>(a.size()); }
  double const* Row(std::int64_t i) const { return lower.data() + i * (i + 1) / 2; }

  /// Multiplies `right` by L^-1, in place.
  void SolveForward(std::vector<double>* right) const {
    for (std::int64_t i = 0; i < Size(); ++i) {
      auto const* row = Row(i);
      auto value = (*right)[ToSize(i)];
      for (std::int64_t j = 0; j < i; ++j) value -= row[j] * (*right)[ToSize(j)];
      (*right)[ToSize(i)] = value / row[i];
    }
  }

  /// Returns L^-T a.
  std::vector<double> SolveBackward() const {
    auto w = a;
    for (auto i = Size() - 1; i >= 0; --i) {
      auto const* row = Row(i);
      w[ToSize(i)] /= row[i];
      for (std::int64_t j = 0; j < i; ++j) w[ToSize(j)] -= row[j] * w[ToSize(i)];
    }
    return w;
  }
};

/// The row that a candidate would append to the factor.
struct Extension {
  std::vector<double> row;  ///< l
  double diagonal = 0.0;    ///< delta; 0: the candidate depends linearly on the chosen orders
  double a = 0.0;
};

/// Returns the candidate that lowers the posterior variance most; -1: none does.
std::int64_t LargestGain(std::vector<Extension> const& extensions) {
  std::int64_t best = -1;
  for (std::size_t c = 0; c < extensions.size(); ++c) {
    if (extensions[c].diagonal == 0.0) continue;
    auto const gain = extensions[c].a * extensions[c].a;
    if (best < 0 || gain > extensions[ToSize(best)].a * extensions[ToSize(best)].a) best = static_cast<std::int64_t>(c);
  }
  return best;
}

Extension ExtensionBy(Factor const& factor, std::vector<double> similar, double mean) {
  constexpr double kLeastDiagonal = 1e-5;
  factor.SolveForward(&similar);
  Extension extension;
  auto const square = 1.0 - std::inner_product(similar.begin(), similar.end(), similar.begin(), 0.0);
  auto const along = std::inner_product(similar.begin(), similar.end(), factor.a.begin(), 0.0);
  extension.row = std::move(similar);
  if (square < kLeastDiagonal * kLeastDiagonal) return extension;
  extension.diagonal = std::sqrt(square);
  extension.a = (mean - along) / extension.diagonal;
  return extension;
}

}  // namespace

void SampleHerding(Context const& ctx, OrderOptions const& options, Orders* orders) {
  Choice choice(ctx, options, orders);
  std::vector<double> sums(ToSize(options.candidates));
  for (std::int64_t i = 0; i < orders->n; ++i) {
    choice.Candidates(i, [&](std::int64_t c, std::vector<double> const& similar) {
      sums[ToSize(c)] = std::accumulate(similar.begin(), similar.end(), 0.0);
    });
    choice.Choose(i, std::min_element(sums.begin(), sums.end()) - sums.begin());
  }
}

/// Samples by Bayesian quadrature. The weights solve K w = z and are divided by their sum: as printed they do not add
/// up to 1, so the values would not add up to the worth of all players. A place without a new candidate, as when more
/// orders are requested than d players have, gets weight 0.
void SampleBayesian(Context const& ctx, OrderOptions const& options, Orders* orders) {
  Choice choice(ctx, options, orders);
  // One row for each order with a weight; `places` holds the place of each.
  Factor factor;
  std::vector<std::int64_t> places;
  auto const mean = MallowsMean(orders->d, options.lambda);
  std::vector<Extension> extensions(ToSize(options.candidates));
  for (std::int64_t i = 0; i < orders->n; ++i) {
    choice.Candidates(i, [&](std::int64_t c, std::vector<double> const& similar) {
      std::vector<double> to_weighted;
      for (auto const place : places) to_weighted.push_back(similar[ToSize(place)]);
      extensions[ToSize(c)] = ExtensionBy(factor, std::move(to_weighted), mean);
    });
    auto const best = LargestGain(extensions);
    choice.Choose(i, std::max<std::int64_t>(best, 0));
    if (best < 0) continue;
    auto const& extension = extensions[ToSize(best)];
    factor.lower.insert(factor.lower.end(), extension.row.begin(), extension.row.end());
    factor.lower.push_back(extension.diagonal);
    factor.a.push_back(extension.a);
    places.push_back(i);
  }
  auto const weights = factor.SolveBackward();
  auto const total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::fill(orders->weight.begin(), orders->weight.end(), 0.0);
  for (std::size_t j = 0; j < places.size(); ++j) orders->weight[ToSize(places[j])] = weights[j] / total;
}

}  // namespace kauri
