/// \file Sets of orders used by several tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "shapley/mallows.h"
#include "shapley/orders.h"

namespace kauri {

constexpr OrderSampler kSamplers[] = {OrderSampler::kMonteCarlo, OrderSampler::kAntithetic, OrderSampler::kOrthogonal,
                                      OrderSampler::kSobol,      OrderSampler::kHerding,    OrderSampler::kBayesian};

inline Orders Sampled(OrderSampler sampler, std::int32_t d, std::int64_t n, std::uint64_t seed, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  OrderOptions options;
  options.sampler = sampler;
  options.seed = seed;
  return SampleOrders(ctx, d, n, options);
}

/// Returns all orders of d players with equal weights.
inline Orders AllOrders(std::int32_t d) {
  Orders all;
  all.d = d;
  std::vector<std::uint32_t> order(ToSize(d));
  std::iota(order.begin(), order.end(), 0U);
  do {
    all.order.insert(all.order.end(), order.begin(), order.end());
    ++all.n;
  } while (std::next_permutation(order.begin(), order.end()));
  all.weight.assign(ToSize(all.n), 1.0 / static_cast<double>(all.n));
  return all;
}

/// Counts discordant pairs by the definition.
inline std::int64_t NaiveDiscordant(Span<std::uint32_t const> a, Span<std::uint32_t const> b) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.size()); ++i) {
    for (auto j = i + 1; j < static_cast<std::int64_t>(a.size()); ++j) count += (a[i] < a[j]) != (b[i] < b[j]) ? 1 : 0;
  }
  return count;
}

}  // namespace kauri
