/// No multiplication is fused with an addition, and no sum depends on the number of lanes, so the bits are the same on
/// any CPU.
#include "predictor/interventional/interventional_kernel.h"

#include <algorithm>
#include <vector>

#include "predictor/shap/quadrature_rule.h"

// Targets between the enabled ones gain little.
#ifndef HWY_DISABLED_TARGETS  // builds with sanitizers disable more
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "predictor/interventional/interventional_kernel.cc"
#include <hwy/foreach_target.h>
// Included after foreach_target.h, once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sets the bit of rows in the feature's interval of keys (FollowsInterval).
void SetBitByInterval(PatternBitJob const& job) {
  hn::CappedTag<std::uint32_t, 16> const d;
  auto const& feature = job.feature;
  auto const lower = hn::Set(d, static_cast<std::uint32_t>(feature.lower));
  auto const width = hn::Set(d, static_cast<std::uint32_t>(feature.upper) - static_cast<std::uint32_t>(feature.lower));
  // No key is the smallest integer, so this represents a missing value that does not follow the path.
  auto const missing = feature.TakesMissing() ? kMissingKey : std::numeric_limits<std::int32_t>::min();
  auto const missing_key = hn::Set(d, static_cast<std::uint32_t>(missing));
  auto const bit = hn::Set(d, job.bit);
  for (std::int64_t row = 0; row < job.n_rows; row += static_cast<std::int64_t>(hn::Lanes(d))) {
    auto const key = hn::LoadU(d, reinterpret_cast<std::uint32_t const*>(job.keys) + row);
    auto const follows = hn::Or(hn::Lt(hn::Sub(key, lower), width), hn::Eq(key, missing_key));
    auto const others = hn::AndNot(bit, hn::LoadU(d, job.from + row));
    hn::StoreU(hn::Or(others, hn::IfThenElseZero(follows, bit)), d, job.to + row);
  }
}

/// Adds the table's row of each pattern to the sums. kLanes: maximum lanes of a vector. width: a multiple of kLanes.
template <std::size_t kLanes>
HWY_INLINE void AddTableRows(TableJob const& job, std::int64_t width) {
  hn::CappedTag<std::int64_t, kLanes> const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    auto const* HWY_RESTRICT from = job.table + job.patterns[row] * width;
    auto* HWY_RESTRICT to = job.sums + row * job.stride;
    for (std::int64_t i = 0; i < width; i += lanes) {
      hn::Store(hn::Add(hn::Load(d, to + i), hn::Load(d, from + i)), d, to + i);
    }
  }
}

void AddTable(TableJob const& job, std::int64_t width) {
  width % 8 == 0 ? AddTableRows<8>(job, width) : AddTableRows<4>(job, width);
}

/// Adds S - S' for each position, with one load per position: gathers cost more.
void AddPartTable(TableJob const& job) {
  auto const* HWY_RESTRICT with = job.table;
  auto const* HWY_RESTRICT without = job.table + (std::size_t{1} << job.n_features);
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    auto const pattern = std::size_t{job.patterns[row]};
    auto const own = with[pattern];
    auto* HWY_RESTRICT to = job.sums + row * job.stride;
    for (std::uint32_t i = 0; i < job.n_features; ++i) to[i] += own - without[pattern & ~(std::size_t{1} << i)];
  }
}

/// Adds A - B - B + C of a pattern for each pair of positions, up to 16 features. A pair with a feature of no effect
/// gets 0, since its terms have equal bits before they are rounded.
HWY_INLINE void AddPairsOf(std::uint32_t n_features, std::int64_t const* HWY_RESTRICT table, std::size_t pattern,
                           std::int64_t* HWY_RESTRICT to) {
  auto const n_patterns = std::size_t{1} << n_features;
  auto const* HWY_RESTRICT without_one = table + n_patterns;
  auto const* HWY_RESTRICT without_both = table + 2 * n_patterns;
  std::int64_t without[16];
  for (std::uint32_t j = 0; j < n_features; ++j) {
    auto const rest = pattern & ~(std::size_t{1} << j);
    without[j] = without_one[rest];
    auto const own = table[pattern] - without[j];
    for (std::uint32_t i = 0; i < j; ++i) *to++ += own - (without[i] - without_both[rest & ~(std::size_t{1} << i)]);
  }
}

std::size_t FindDisjointPatterns(std::uint32_t const* HWY_RESTRICT patterns, std::size_t n, std::uint32_t bits,
                                 std::uint32_t* HWY_RESTRICT found) {
  hn::CappedTag<std::uint32_t, kFoundRoom> const d;
  auto const lanes = hn::Lanes(d);
  auto const wanted = hn::Set(d, bits);
  std::size_t n_found = 0;
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto const shared = hn::And(hn::LoadU(d, patterns + i), wanted);
    auto const numbers = hn::Iota(d, static_cast<std::uint32_t>(i));
    n_found += hn::CompressStore(numbers, hn::Eq(shared, hn::Zero(d)), d, found + n_found);
  }
  for (; i < n; ++i) {
    if ((patterns[i] & bits) == 0) found[n_found++] = static_cast<std::uint32_t>(i);
  }
  return n_found;
}

void AddPairPartTable(TableJob const& job) {
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    AddPairsOf(job.n_features, job.table, job.patterns[row], job.sums + row * job.stride);
  }
}

/// Computes Z(x) at all points, [2^n_features, kPoints]. Each step replaces one feature's bit of the background by the
/// row's.
template <std::size_t kPoints>
HWY_INLINE void SumBackground(LeafTableJob const& job, double* HWY_RESTRICT z) {
  hn::CappedTag<double, kPoints> const d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  auto const n_patterns = std::size_t{1} << job.rule.n_features;
  for (std::size_t part = 0; part < kPoints; part += kLanes) {
    auto const node = hn::LoadU(d, job.rule.node.data() + part);
    for (std::size_t x = 0; x < n_patterns; ++x) {
      hn::StoreU(hn::Set(d, job.background[x]), d, z + x * kPoints + part);
    }
    for (std::size_t bit = 1; bit < n_patterns; bit *= 2) {
      for (std::size_t first = 0; first < n_patterns; first += 2 * bit) {
        for (auto x = first; x < first + bit; ++x) {
          auto* const without = z + x * kPoints + part;
          auto* const with = z + (x + bit) * kPoints + part;
          auto const ones = hn::LoadU(d, with);
          hn::StoreU(hn::Add(ones, hn::Mul(node, hn::LoadU(d, without))), d, with);
          hn::StoreU(ones, d, without);
        }
      }
    }
  }
}

/// Returns the inner product of coefficients and z. Halves are added to each other, so no sum waits for more than three
/// others.
template <std::size_t kPoints>
HWY_INLINE double Integrate(double const* HWY_RESTRICT coefficients, double const* HWY_RESTRICT z) {
  double terms[kPoints];
  for (std::size_t q = 0; q < kPoints; ++q) terms[q] = coefficients[q] * z[q];
  for (auto half = kPoints / 2; half > 0; half /= 2) {
    for (std::size_t q = 0; q < half; ++q) terms[q] += terms[q + half];
  }
  return terms[0];
}

/// Makes S and S' from Z(x).
template <std::size_t kPoints>
HWY_INLINE void MakeParts(LeafTableJob const& job) {
  auto const n_features = job.rule.n_features;
  auto const n_patterns = std::size_t{1} << n_features;
  auto const* HWY_RESTRICT z = job.scratch;
  auto* HWY_RESTRICT with = job.parts;
  auto* HWY_RESTRICT without = job.parts + n_patterns;
  for (std::size_t x = 0; x < n_patterns; ++x) {
    auto const n_missed = n_features - hwy::PopCount(x);
    auto const* coefficients = job.rule.coefficients.data() + n_missed * kPoints;
    with[x] = Integrate<kPoints>(coefficients, z + x * kPoints);
    without[x] = n_missed == 0 ? 0.0 : Integrate<kPoints>(coefficients - kPoints, z + x * kPoints);
  }
}

/// Makes S and S' such that S(x) - S'(x - i) is the effect of a feature alone: the weight of the background that misses
/// only i for i in x, and minus the weight that misses nothing for i not in x. With the sum G(x) of the former over x
/// and the latter F, S(x) = G(x) + |x| F and S'(x) = G(x) + (|x| + 1) F. A feature of weight 0 changes no bit of G.
HWY_INLINE void MakeAloneParts(LeafTableJob const& job) {
  auto const n_patterns = std::size_t{1} << job.rule.n_features;
  auto const all = n_patterns - 1;
  auto const reaching = job.background[all];
  auto* HWY_RESTRICT with = job.parts;
  auto* HWY_RESTRICT without = job.parts + n_patterns;
  with[0] = 0.0;
  for (std::size_t last = 1; last < n_patterns; last *= 2) {
    for (auto x = last; x < 2 * last; ++x) with[x] = with[x - last] + job.background[all - last];
  }
  for (std::size_t x = 0; x < n_patterns; ++x) {
    auto const alone = with[x];
    auto const n_features = static_cast<double>(hwy::PopCount(x));
    with[x] = alone + n_features * reaching;
    without[x] = alone + (n_features + 1.0) * reaching;
  }
}

/// Makes A, B and C from Z(x).
template <std::size_t kPoints>
HWY_INLINE void MakePairParts(LeafTableJob const& job) {
  auto const n_features = job.rule.n_features;
  auto const n_patterns = std::size_t{1} << n_features;
  auto* const pair_parts = job.parts + 2 * n_patterns;
  std::fill_n(pair_parts, 3 * n_patterns, 0.0);
  for (std::size_t x = 0; x < n_patterns; ++x) {
    auto const n_missed = n_features - hwy::PopCount(x);
    for (std::size_t taken = 0; taken <= std::min<std::size_t>(n_missed, 2); ++taken) {
      auto const* coefficients = job.rule.pair_coefficients.data() + (n_missed - taken) * kPoints;
      pair_parts[taken * n_patterns + x] = Integrate<kPoints>(coefficients, job.scratch + x * kPoints);
    }
  }
}

/// Rounds numbers to units (ToUnits).
HWY_INLINE void StoreUnits(double const* HWY_RESTRICT from, std::size_t size, double scale,
                           std::int64_t* HWY_RESTRICT to) {
  hn::CappedTag<double, 8> const d;
  hn::RebindToSigned<decltype(d)> const d_units;
  auto const lanes = hn::Lanes(d);
  auto const units_of_one = hn::Set(d, scale);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    auto const rounded = hn::Round(hn::Mul(hn::LoadU(d, from + i), units_of_one));
    hn::StoreU(hn::ConvertTo(d_units, rounded), d_units, to + i);
  }
  for (; i < size; ++i) to[i] = ToUnits(from[i], scale);
}

HWY_INLINE void SpreadParts(LeafTableJob const& job) {
  auto const n_features = job.rule.n_features;
  auto const n_patterns = std::size_t{1} << n_features;
  auto const width = static_cast<std::size_t>(TableWidth(n_features));
  auto const* HWY_RESTRICT with = job.parts;
  auto const* HWY_RESTRICT without = job.parts + n_patterns;
  double row[kMostValueFeatures] = {};
  for (std::size_t x = 0; x < n_patterns; ++x) {
    for (std::uint32_t i = 0; i < n_features; ++i) row[i] = with[x] - without[x & ~(std::size_t{1} << i)];
    StoreUnits(row, width, job.scale, job.table + x * width);
  }
}

HWY_INLINE void SpreadPairParts(LeafTableJob const& job) {
  auto const n_patterns = std::size_t{1} << job.rule.n_features;
  auto const width = static_cast<std::size_t>(PairTableWidth(job.rule.n_features));
  std::int64_t units[std::size_t{3} << kMostValueFeatures];
  StoreUnits(job.parts + 2 * n_patterns, 3 * n_patterns, job.scale, units);
  std::fill_n(job.pairs, n_patterns * width, 0);
  for (std::size_t x = 0; x < n_patterns; ++x) AddPairsOf(job.rule.n_features, units, x, job.pairs + x * width);
}

template <std::size_t kPoints>
HWY_INLINE void MakeAllParts(LeafTableJob const& job) {
  if (!job.rule.is_alone || job.pairs != nullptr) SumBackground<kPoints>(job, job.scratch);
  if (!job.rule.is_alone) MakeParts<kPoints>(job);
  if (job.pairs != nullptr) MakePairParts<kPoints>(job);
}

void MakeTable(LeafTableJob const& job) {
  if (job.rule.is_alone) MakeAloneParts(job);
  job.rule.n_points == 4 ? MakeAllParts<4>(job) : MakeAllParts<8>(job);
  auto const n_patterns = std::size_t{1} << job.rule.n_features;
  auto const spreads = job.form == LeafForm::kValues;
  spreads ? SpreadParts(job) : StoreUnits(job.parts, 2 * n_patterns, job.scale, job.table);
  if (job.pairs == nullptr) return;
  if (spreads && SpreadsPairs(job.rule.n_features, job.layout)) return SpreadPairParts(job);
  StoreUnits(job.parts + 2 * n_patterns, 3 * n_patterns, job.scale, job.pairs);
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(SetBitByInterval);
HWY_EXPORT(AddTable);
HWY_EXPORT(AddPartTable);
HWY_EXPORT(AddPairPartTable);
HWY_EXPORT(FindDisjointPatterns);
HWY_EXPORT(MakeTable);

void SetPatternBit(PatternBitJob const& job) {
  if (!job.feature.HasCategories()) return HWY_DYNAMIC_DISPATCH(SetBitByInterval)(job);
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    auto const follows = Follows(job.feature, job.keys[row], job.categories);
    job.to[row] = (job.from[row] & ~job.bit) | (follows ? job.bit : 0U);
  }
}

void AddValues(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddTable)(job, TableWidth(job.n_features)); }

void AddPairValues(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddTable)(job, PairTableWidth(job.n_features)); }

void AddPairParts(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddPairPartTable)(job); }

void AddParts(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddPartTable)(job); }

std::size_t FindDisjoint(Span<std::uint32_t const> patterns, std::uint32_t bits, std::uint32_t* found) {
  return HWY_DYNAMIC_DISPATCH(FindDisjointPatterns)(patterns.data(), patterns.size(), bits, found);
}

void MakeLeafTable(LeafTableJob const& job) { HWY_DYNAMIC_DISPATCH(MakeTable)(job); }

namespace {

/// Returns w (1 - t)^b / d at each point, [n_features + 1, n_points].
std::vector<double> CoefficientsOf(LeafRule const& rule, QuadratureNodes const& nodes,
                                   std::vector<double> const& divisors) {
  std::vector<double> coefficients((rule.n_features + 1) * rule.node.size(), 0.0);
  for (std::size_t q = 0; q < nodes.node.size(); ++q) {
    auto coefficient = nodes.weight[q] / divisors[q];
    for (std::uint32_t missed = 0; missed <= rule.n_features; ++missed, coefficient *= nodes.complement[q]) {
      coefficients[missed * rule.node.size() + q] = coefficient;
    }
  }
  return coefficients;
}

}  // namespace

LeafRule MakeLeafRule(std::uint32_t n_features, Semivalue semivalue) {
  auto const nodes = SemivalueNodes(semivalue, PointsFor(static_cast<std::int32_t>(n_features)));
  LeafRule rule;
  rule.n_features = n_features;
  rule.n_points = nodes.node.size() <= 4 ? 4 : 8;
  rule.is_alone = semivalue == Semivalue::kTaylorPairs;
  rule.node.assign(rule.n_points, 0.0);
  std::copy(nodes.node.begin(), nodes.node.end(), rule.node.begin());
  auto divisors = nodes.node;
  rule.coefficients = CoefficientsOf(rule, nodes, divisors);
  for (auto& divisor : divisors) divisor *= 2.0 * divisor;
  rule.pair_coefficients = CoefficientsOf(rule, nodes, divisors);
  return rule;
}

}  // namespace kauri
#endif
