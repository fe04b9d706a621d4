/// Samples uniform orders, alone or with their reverses; also holds the code that all samplers share.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "common/memory_size.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "shapley/orders.h"

namespace kauri {
namespace {

constexpr std::pair<char const*, OrderSampler> kNames[] = {
    {"mc", OrderSampler::kMonteCarlo},         {"antithetic", OrderSampler::kAntithetic},
    {"orthogonal", OrderSampler::kOrthogonal}, {"sobol", OrderSampler::kSobol},
    {"herding", OrderSampler::kHerding},       {"sbq", OrderSampler::kBayesian}};

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

void CheckOrderOptions(std::int32_t d, std::int64_t n, OrderOptions const& options) {
  auto const greedy = options.sampler == OrderSampler::kHerding || options.sampler == OrderSampler::kBayesian;
  if (d < 2 || d > kMostPlayers) {
    Fail(ErrorKind::kParameter, "d is ", d, "; orders are of 2 to ", kMostPlayers, " players.");
  }
  if (n < 1 || n > kMostElements / d) {
    Fail(ErrorKind::kParameter, "n is ", n, "; expected 1 to ", kMostElements / d, " orders of ", d, " players.");
  }
  if (!(options.lambda >= 0.0) || std::isinf(options.lambda)) {
    Fail(ErrorKind::kParameter, "lambda is ", options.lambda, "; expected a finite number of at least 0.");
  }
  if (options.candidates < 1) {
    Fail(ErrorKind::kParameter, "candidates is ", options.candidates, "; expected at least 1.");
  }
  if (options.sampler == OrderSampler::kSobol && d > kMostSobolPlayers) {
    Fail(ErrorKind::kParameter, "method=sobol orders at most ", kMostSobolPlayers, " players, d is ", d,
         "; use method=orthogonal.");
  }
  if (greedy && n > kMostGreedyOrders) {
    Fail(ErrorKind::kParameter, "method=", NameOf(options.sampler), " chooses at most ", kMostGreedyOrders,
         " orders, n is ", n, "; use method=orthogonal.");
  }
  if (options.n_scrambles < 1 || options.n_scrambles > n) {
    Fail(ErrorKind::kParameter, "n_scrambles is ", options.n_scrambles, "; expected 1 to n=", n, ".");
  }
}

}  // namespace

char const* NameOf(OrderSampler sampler) {
  auto const has = [&](auto const& named) { return named.second == sampler; };
  return std::find_if(std::begin(kNames), std::end(kNames), has)->first;
}

OrderSampler SamplerNamed(std::string const& name, char const* key) {
  for (auto const& [known, sampler] : kNames) {
    if (name == known) return sampler;
  }
  Fail(ErrorKind::kParameter, key, " is ", Quoted(name),
       "; expected mc, antithetic, orthogonal, sobol, herding or sbq.");
}

void UniformOrder(std::uint64_t key, Span<std::uint32_t> order) {
  std::iota(order.begin(), order.end(), 0U);
  auto const d = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t i = 0; i + 1 < d; ++i) std::swap(order[i], order[i + RandomBelow(key, i, d - i)]);
}

void SampleUniform(OrderOptions const& options, Orders* orders) {
  for (std::int64_t i = 0; i < orders->n; ++i) {
    auto const number = static_cast<std::uint64_t>(options.first_unit + i);
    UniformOrder(OrderKey(options.seed, OrderStream::kUniform, number),
                 {orders->order.data() + i * orders->d, orders->d});
  }
}

void SampleAntithetic(OrderOptions const& options, Orders* orders) {
  auto const d = orders->d;
  for (std::int64_t i = 0; i < orders->n; i += 2) {
    auto const number = static_cast<std::uint64_t>(options.first_unit + i / 2);
    auto* order = orders->order.data() + i * d;
    UniformOrder(OrderKey(options.seed, OrderStream::kUniform, number), {order, d});
    if (i + 1 < orders->n) std::reverse_copy(order, order + d, order + d);
  }
}

std::int64_t UnitOf(OrderSampler sampler, std::int32_t d) {
  switch (sampler) {
    case OrderSampler::kMonteCarlo:
      return 1;
    case OrderSampler::kAntithetic:
      return 2;
    case OrderSampler::kOrthogonal:
      return 2 * (std::int64_t{d} - 1);
    default:
      return 0;
  }
}

Orders SampleOrders(Context const& ctx, std::int32_t d, std::int64_t n, OrderOptions const& options) {
  CheckOrderOptions(d, n, options);
  Orders orders;
  orders.n = n;
  orders.d = d;
  orders.order.resize(SizeInMemory(n * d));
  orders.weight.assign(ToSize(n), 1.0 / static_cast<double>(n));
  orders.unit = UnitOf(options.sampler, d);
  switch (options.sampler) {
    case OrderSampler::kMonteCarlo:
      SampleUniform(options, &orders);
      break;
    case OrderSampler::kAntithetic:
      SampleAntithetic(options, &orders);
      break;
    case OrderSampler::kOrthogonal:
      SampleOrthogonal(ctx, options, &orders);
      break;
    case OrderSampler::kSobol:
      SampleSobol(ctx, options, &orders);
      break;
    case OrderSampler::kHerding:
      SampleHerding(ctx, options, &orders);
      break;
    case OrderSampler::kBayesian:
      SampleBayesian(ctx, options, &orders);
      break;
  }
  return orders;
}

std::vector<std::uint32_t> RanksOf(Orders const& orders) {
  std::vector<std::uint32_t> ranks(orders.order.size());
  for (std::int64_t i = 0; i < orders.n; ++i) {
    for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(orders.d); ++k) ranks[i * orders.d + orders.Of(i)[k]] = k;
  }
  return ranks;
}

}  // namespace kauri
