/// \file The samplers behind SampleOrders, one function each. Before the call, arguments are checked and weights are 1
/// / n.
#pragma once

#include <cstdint>

#include "common/random/random.h"
#include "shapley/orders.h"

namespace kauri {

/// Streams of random numbers: a separate key for each purpose, and for each order or unit of it.
enum class OrderStream : std::uint64_t { kUniform = 1, kNormals, kScramble, kCandidates };

KAURI_HD std::uint64_t OrderKey(std::uint64_t seed, OrderStream stream, std::uint64_t number) {
  return CombineKeys(CombineKeys(seed, static_cast<std::uint64_t>(stream)), number);
}

/// Shuffles 0 .. d - 1 by the method of Fisher and Yates.
void UniformOrder(std::uint64_t key, Span<std::uint32_t> order);

void SampleUniform(OrderOptions const& options, Orders* orders);
void SampleAntithetic(OrderOptions const& options, Orders* orders);
void SampleOrthogonal(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleSobol(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleHerding(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleBayesian(Context const& ctx, OrderOptions const& options, Orders* orders);

}  // namespace kauri
