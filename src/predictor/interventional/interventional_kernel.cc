/// No multiplication is fused with an addition, and no sum depends on the number of lanes, so the bits are the same on
/// any CPU.
#include "predictor/interventional/interventional_kernel.h"

#include <algorithm>

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

/// Adds the table's row of each pattern to the sums. kLanes: maximum lanes of a vector.
template <std::size_t kLanes>
HWY_INLINE void AddValueRows(TableJob const& job) {
  hn::CappedTag<double, kLanes> const d;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto const width = TableWidth(job.n_features);
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    auto const* HWY_RESTRICT from = job.table + job.patterns[row] * width;
    auto* HWY_RESTRICT to = job.sums + row * job.stride;
    for (std::int64_t i = 0; i < width; i += lanes) {
      hn::Store(hn::Add(hn::Load(d, to + i), hn::Load(d, from + i)), d, to + i);
    }
  }
}

void AddValueTable(TableJob const& job) { job.n_features > 4 ? AddValueRows<8>(job) : AddValueRows<4>(job); }

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

template <std::size_t kPoints>
HWY_INLINE void MakeParts(LeafTableJob const& job) {
  auto const n_features = job.rule.n_features;
  auto const n_patterns = std::size_t{1} << n_features;
  auto const* HWY_RESTRICT z = job.scratch;
  auto* HWY_RESTRICT with = job.parts;
  auto* HWY_RESTRICT without = job.parts + n_patterns;
  SumBackground<kPoints>(job, job.scratch);
  for (std::size_t x = 0; x < n_patterns; ++x) {
    auto const n_missed = n_features - hwy::PopCount(x);
    auto const* coefficients = job.rule.coefficients.data() + n_missed * kPoints;
    with[x] = Integrate<kPoints>(coefficients, z + x * kPoints);
    without[x] = n_missed == 0 ? 0.0 : Integrate<kPoints>(coefficients - kPoints, z + x * kPoints);
  }
}

HWY_INLINE void SpreadParts(LeafTableJob const& job) {
  auto const n_features = job.rule.n_features;
  auto const n_patterns = std::size_t{1} << n_features;
  auto const width = static_cast<std::size_t>(TableWidth(n_features));
  auto const* HWY_RESTRICT with = job.parts;
  auto const* HWY_RESTRICT without = job.parts + n_patterns;
  auto* HWY_RESTRICT row = job.values;
  for (std::size_t x = 0; x < n_patterns; ++x, row += width) {
    for (std::uint32_t i = 0; i < n_features; ++i) row[i] = with[x] - without[x & ~(std::size_t{1} << i)];
    for (std::size_t i = n_features; i < width; ++i) row[i] = 0.0;
  }
}

void MakeTable(LeafTableJob const& job) {
  job.rule.n_points == 4 ? MakeParts<4>(job) : MakeParts<8>(job);
  if (job.values != nullptr) SpreadParts(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(SetBitByInterval);
HWY_EXPORT(AddValueTable);
HWY_EXPORT(AddPartTable);
HWY_EXPORT(MakeTable);

void SetPatternBit(PatternBitJob const& job) {
  if (!job.feature.HasCategories()) return HWY_DYNAMIC_DISPATCH(SetBitByInterval)(job);
  for (std::int64_t row = 0; row < job.n_rows; ++row) {
    auto const follows = Follows(job.feature, job.keys[row], job.categories);
    job.to[row] = (job.from[row] & ~job.bit) | (follows ? job.bit : 0U);
  }
}

void AddValues(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddValueTable)(job); }

void AddParts(TableJob const& job) { HWY_DYNAMIC_DISPATCH(AddPartTable)(job); }

void MakeLeafTable(LeafTableJob const& job) { HWY_DYNAMIC_DISPATCH(MakeTable)(job); }

LeafRule MakeLeafRule(std::uint32_t n_features) {
  auto const points = PointsFor(static_cast<std::int32_t>(n_features));
  auto const nodes = MakeGaussLegendre(points);
  LeafRule rule;
  rule.n_features = n_features;
  rule.n_points = points <= 4 ? 4 : 8;
  rule.node.assign(rule.n_points, 0.0);
  rule.coefficients.assign((n_features + 1) * rule.node.size(), 0.0);
  std::copy(nodes.node.begin(), nodes.node.end(), rule.node.begin());
  for (std::size_t q = 0; q < nodes.node.size(); ++q) {
    auto coefficient = nodes.weight[q] / nodes.node[q];
    for (std::uint32_t missed = 0; missed <= n_features; ++missed, coefficient *= nodes.complement[q]) {
      rule.coefficients[missed * rule.node.size() + q] = coefficient;
    }
  }
  return rule;
}

}  // namespace kauri
#endif
