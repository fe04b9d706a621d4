#include "shapley/mallows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/math.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

double NumPairs(std::int32_t d) { return static_cast<double>(d) * static_cast<double>(d - 1) / 2.0; }

/// Sorts [begin, end) and returns the number of inverted pairs. scratch: as large as the values.
std::int64_t SortCounting(std::uint32_t* begin, std::uint32_t* end, std::uint32_t* scratch) {
  auto const n = end - begin;
  if (n < 2) return 0;
  auto* const middle = begin + n / 2;
  auto n_inverted = SortCounting(begin, middle, scratch) + SortCounting(middle, end, scratch);
  auto* out = scratch;
  auto const* left = begin;
  auto const* right = middle;
  while (left < middle && right < end) {
    if (*right < *left) n_inverted += middle - left;
    *out++ = *right < *left ? *right++ : *left++;
  }
  std::copy(left, static_cast<std::uint32_t const*>(middle), out);
  std::copy(right, static_cast<std::uint32_t const*>(end), out + (middle - left));
  std::copy(scratch, scratch + n, begin);
  return n_inverted;
}

/// Returns the sum of similarity(i, j), weighted with both weights, over all pairs of n orders.
template <typename Similarity>
double WeightedSimilarity(Context const& ctx, std::vector<double> const& weight, Similarity&& similarity) {
  auto const n = static_cast<std::int64_t>(weight.size());
  std::vector<double> of_row(weight.size());
  ParallelFor(ctx, n, [&](std::int64_t i) {
    auto sum = weight[i] * similarity(i, i);
    for (std::int64_t j = 0; j < i; ++j) sum += 2.0 * weight[j] * similarity(i, j);
    of_row[i] = weight[i] * sum;
  });
  return std::accumulate(of_row.begin(), of_row.end(), 0.0);
}

double SpearmanSimilarity(Context const& ctx, std::vector<double> const& weight,
                          std::vector<std::uint32_t> const& ranks, std::int32_t d) {
  return WeightedSimilarity(ctx, weight, [&](std::int64_t i, std::int64_t j) {
    std::uint64_t product = 0;
    for (std::int64_t k = 0; k < d; ++k) product += (ranks[i * d + k] + std::uint64_t{1}) * (ranks[j * d + k] + 1);
    return static_cast<double>(product);
  });
}

/// Returns the weighted similarity for the kernel of(n_discordant).
template <typename Of>
double DiscordantSimilarity(Context const& ctx, std::vector<double> const& weight,
                            std::vector<std::uint32_t> const& ranks, std::int32_t d, Of&& of) {
  PairBits const pairs(d);
  auto const n = static_cast<std::int64_t>(weight.size());
  std::vector<std::uint64_t> words(SizeInMemory(n * pairs.Width()));
  ParallelFor(ctx, n, [&](std::int64_t i) {
    pairs.Write({ranks.data() + i * d, d}, words.data() + i * pairs.Width());
  });
  return WeightedSimilarity(ctx, weight, [&](std::int64_t i, std::int64_t j) {
    return of(pairs.CountDiscordant(words.data() + i * pairs.Width(), words.data() + j * pairs.Width()));
  });
}

}  // namespace

void CheckOrders(Span<std::uint32_t const> orders, std::int64_t n, std::int32_t d) {
  std::vector<bool> seen;
  for (std::int64_t i = 0; i < n; ++i) {
    seen.assign(ToSize(d), false);
    for (std::int64_t k = 0; k < d; ++k) {
      auto const player = orders[ToSize(i * d + k)];
      if (player >= static_cast<std::uint32_t>(d) || seen[player]) {
        Fail(ErrorKind::kParameter, "order ", i, " has player ", player,
             player < static_cast<std::uint32_t>(d) ? " twice" : "", "; each row must have 0 to ", d - 1, " once.");
      }
      seen[player] = true;
    }
  }
}

std::int64_t CountDiscordant(Span<std::uint32_t const> ranks_a, Span<std::uint32_t const> ranks_b) {
  std::vector<std::uint32_t> joined(ranks_a.size());  // rank in b, indexed by rank in a
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(ranks_a.size()); ++i) joined[ranks_a[i]] = ranks_b[i];
  std::vector<std::uint32_t> scratch(joined.size());
  return SortCounting(joined.data(), joined.data() + joined.size(), scratch.data());
}

double MallowsMean(std::int32_t d, double lambda) {
  auto const step = lambda / NumPairs(d);
  auto mean = 1.0;
  auto sum = 0.0;  // (1 - q^j) / (1 - q) = 1 + q + .. + q^(j-1), which needs no limit for q = 1
  for (std::int32_t j = 1; j <= d; ++j) {
    sum += Exp(-step * static_cast<double>(j - 1));
    mean *= sum / static_cast<double>(j);
  }
  return mean;
}

double MallowsVariance(std::int32_t d, double lambda) {
  auto const mean = MallowsMean(d, lambda);
  return MallowsMean(d, 2.0 * lambda) - mean * mean;
}

PairBits::PairBits(std::int32_t d) : d_(d), width_((std::int64_t{d} * (d - 1) / 2 + 63) / 64) {}

void PairBits::Write(Span<std::uint32_t const> ranks, std::uint64_t* words) const {
  std::uint64_t word = 0;
  unsigned n_bits = 0;
  for (std::int32_t i = 0; i < d_; ++i) {
    for (auto j = i + 1; j < d_; ++j) {
      word |= std::uint64_t{ranks[i] < ranks[j] ? 1U : 0U} << n_bits;
      if (++n_bits < 64) continue;
      *words++ = word;
      word = 0;
      n_bits = 0;
    }
  }
  if (n_bits != 0) *words = word;
}

std::int64_t PairBits::CountDiscordant(std::uint64_t const* a, std::uint64_t const* b) const {
  std::int64_t count = 0;
  for (std::int64_t word = 0; word < width_; ++word) count += __builtin_popcountll(a[word] ^ b[word]);
  return count;
}

MallowsTable::MallowsTable(std::int32_t d, double lambda) {
  auto const n_pairs = std::int64_t{d} * (d - 1) / 2;
  values_.reserve(ToSize(n_pairs + 1));
  for (std::int64_t count = 0; count <= n_pairs; ++count) {
    values_.push_back(Exp(-lambda * static_cast<double>(count) / static_cast<double>(n_pairs)));
  }
}

double Discrepancy(Context const& ctx, Orders const& orders, PermutationKernel kernel, double lambda) {
  CheckOrders(orders.order, orders.n, orders.d);
  auto const d = orders.d;
  auto const ranks = RanksOf(orders);
  auto const total = std::accumulate(orders.weight.begin(), orders.weight.end(), 0.0);
  auto mean = 0.0;
  auto similarity = 0.0;
  if (kernel == PermutationKernel::kMallows) {
    MallowsTable const table(d, lambda);
    mean = MallowsMean(d, lambda);
    similarity =
        DiscordantSimilarity(ctx, orders.weight, ranks, d, [&](std::int64_t count) { return table.At(count); });
  } else if (kernel == PermutationKernel::kKendall) {
    similarity = DiscordantSimilarity(ctx, orders.weight, ranks, d, [&](std::int64_t count) {
      return 1.0 - 2.0 * static_cast<double>(count) / NumPairs(d);
    });
  } else {
    mean = static_cast<double>(d) * static_cast<double>(d + 1) * static_cast<double>(d + 1) / 4.0;
    similarity = SpearmanSimilarity(ctx, orders.weight, ranks, d);
  }
  return std::sqrt(std::max(0.0, mean - 2.0 * mean * total + similarity));
}

}  // namespace kauri
