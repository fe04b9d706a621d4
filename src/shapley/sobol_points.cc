#include "shapley/sobol_points.h"

#include <algorithm>

#include "common/random/random.h"
#include "shapley/sobol_choices.h"

namespace kauri {
namespace {

/// Returns a b modulo the polynomial, of degree s.
std::uint32_t Multiply(std::uint32_t a, std::uint32_t b, std::uint32_t polynomial, int s) {
  std::uint32_t product = 0;
  for (; b != 0; b >>= 1U) {
    if ((b & 1U) != 0) product ^= a;
    a <<= 1U;
    if ((a >> static_cast<unsigned>(s) & 1U) != 0) a ^= polynomial;
  }
  return product;
}

/// Returns x to the power of `exponent`.
std::uint32_t PowerOfX(std::uint32_t exponent, std::uint32_t polynomial, int s) {
  std::uint32_t power = 1;
  std::uint32_t square = s == 1 ? 1U : 2U;  // x is 1 modulo x + 1
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) power = Multiply(power, square, polynomial, s);
    square = Multiply(square, square, polynomial, s);
  }
  return power;
}

/// Returns whether the powers of x are all 2^s - 1 polynomials other than 0.
bool IsPrimitive(std::uint32_t polynomial, int s) {
  auto const period = (1U << static_cast<unsigned>(s)) - 1U;
  if (PowerOfX(period, polynomial, s) != 1U) return false;
  auto rest = period;
  for (std::uint32_t prime = 2; rest > 1; ++prime) {
    if (prime * prime > rest) prime = rest;
    if (rest % prime != 0) continue;
    if (prime < period && PowerOfX(period / prime, polynomial, s) == 1U) return false;
    if (prime == period && s > 1 && PowerOfX(1, polynomial, s) == 1U) return false;
    while (rest % prime == 0) rest /= prime;
  }
  return true;
}

int DegreeOf(std::uint32_t polynomial) {
  int degree = 0;
  while (polynomial >> static_cast<unsigned>(degree + 1) != 0) ++degree;
  return degree;
}

/// Applies Owen's scrambling to one coordinate.
std::uint32_t Scramble(std::uint32_t bits, std::uint64_t key) {
  std::uint32_t flips = 0;
  for (unsigned bit = 0; bit < SobolPoints::kBits; ++bit) {
    auto const above = bit == 0 ? 0U : bits >> (SobolPoints::kBits - bit);
    auto const coin = static_cast<std::uint32_t>(RandomBits(key, std::uint64_t{1} << bit | above) >> 63U);
    flips |= coin << (SobolPoints::kBits - 1 - bit);
  }
  return bits ^ flips;
}

}  // namespace

std::vector<std::uint32_t> SobolDirections(std::uint32_t polynomial, std::int32_t dimension, std::uint32_t choice) {
  constexpr std::uint64_t kFirstNumbers = 0x6F7264657273ULL;
  auto const s = DegreeOf(polynomial);
  auto const key = CombineKeys(CombineKeys(kFirstNumbers, static_cast<std::uint64_t>(dimension)), choice);
  std::vector<std::uint32_t> directions(SobolPoints::kBits);
  for (int k = 0; k < SobolPoints::kBits; ++k) {
    auto& direction = directions[ToSize(k)];
    if (k < s) {
      auto const odd = RandomBelow(key, static_cast<std::uint64_t>(k), 1U << static_cast<unsigned>(k)) * 2U + 1U;
      direction = odd << static_cast<unsigned>(SobolPoints::kBits - 1 - k);
      continue;
    }
    auto const* const before = directions.data() + k;
    direction = before[-s] ^ before[-s] >> static_cast<unsigned>(s);
    for (int i = 1; i < s; ++i) {
      if ((polynomial >> static_cast<unsigned>(s - i) & 1U) != 0) direction ^= before[-i];
    }
  }
  return directions;
}

std::vector<std::uint32_t> PrimitivePolynomials(std::int32_t count) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t polynomial = 3; static_cast<std::int32_t>(found.size()) < count; polynomial += 2) {
    if (IsPrimitive(polynomial, DegreeOf(polynomial))) found.push_back(polynomial);
  }
  return found;
}

SobolPoints::SobolPoints(std::int32_t n_dimensions) : directions_(ToSize(std::int64_t{n_dimensions} * kBits)) {
  for (unsigned k = 0; k < kBits; ++k) directions_[k] = 1U << (kBits - 1 - k);
  auto const polynomials = PrimitivePolynomials(n_dimensions - 1);
  for (std::int32_t dimension = 1; dimension < n_dimensions; ++dimension) {
    auto const number = ToSize(dimension - 1);
    auto const directions = SobolDirections(polynomials[number], dimension, kSobolChoices[number]);
    std::copy(directions.begin(), directions.end(), directions_.begin() + std::int64_t{dimension} * kBits);
  }
}

std::uint32_t SobolPoints::Bits(std::uint32_t index, std::int32_t dimension) const {
  auto const* directions = directions_.data() + ToSize(dimension) * kBits;
  std::uint32_t bits = 0;
  for (; index != 0; index >>= 1U, ++directions) bits ^= (index & 1U) != 0 ? *directions : 0U;
  return bits;
}

void SobolPoints::Scrambled(std::uint32_t index, std::uint64_t key, Span<double> point) const {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(point.size()); ++i) {
    auto const bits =
        Scramble(Bits(index, static_cast<std::int32_t>(i)), CombineKeys(key, static_cast<std::uint64_t>(i)));
    point[i] = (static_cast<double>(bits) + 0.5) * 0x1.0p-32;
  }
}

}  // namespace kauri
