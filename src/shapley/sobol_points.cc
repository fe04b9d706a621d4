#include "shapley/sobol_points.h"

#include <algorithm>
#include <cstdint>

#include "common/random/random.h"

namespace kauri {
namespace {

// The chosen draw of first numbers for each dimension of Sobol's sequence.

/// Draws of dimensions 1, 2, .. as printed by tests/benchmark/sobol_search.cc.
constexpr std::uint8_t kSobolChoices[] = {
    0,   0,   0,   2,   14,  54,  103, 121, 42,  169, 175, 15,  234, 111, 33,  174, 88,  124, 226, 69,  156, 110, 204,
    7,   10,  193, 81,  226, 169, 180, 220, 33,  143, 50,  234, 16,  135, 113, 179, 189, 253, 15,  173, 97,  39,  214,
    18,  236, 80,  121, 68,  78,  2,   68,  206, 39,  42,  127, 173, 252, 124, 187, 113, 50,  176, 166, 142, 14,  39,
    238, 204, 223, 241, 165, 72,  108, 158, 163, 56,  90,  55,  4,   138, 66,  171, 165, 35,  95,  221, 170, 30,  141,
    62,  17,  82,  33,  225, 192, 173, 117, 111, 97,  226, 216, 64,  201, 32,  232, 141, 131, 181, 184, 229, 182, 112,
    23,  203, 2,   27,  178, 15,  67,  186, 199, 109, 163, 121, 245, 148, 114, 112, 136, 89,  129, 194, 139, 128, 254,
    78,  201, 138, 204, 184, 42,  168, 220, 137, 136, 48,  12,  146, 175, 56,  72,  88,  42,  197, 80,  181, 79,  20,
    219, 186, 158, 228, 71,  244, 15,  79,  132, 178, 104, 100, 51,  237, 20,  241, 112, 143, 14,  96,  59,  231, 202,
    239, 88,  106, 130, 72,  163, 134, 51,  121, 149, 114, 10,  155, 87,  217, 11,  128, 237, 222, 182, 198, 33,  93,
    162, 232, 167, 39,  96,  37,  151, 158, 28,  161, 102, 86,  16,  59,  7,   181, 234, 124, 253, 135, 147, 70,  71,
    248, 57,  129, 143, 185, 166, 42,  72,  248, 144, 93,  75,  188, 170, 227, 110, 41,  156, 33,  77,  222, 64,  32,
    72,  13,  63,  125, 63,  132, 170, 171, 218, 96,  212, 154, 215, 244, 107, 113, 157, 188, 187, 152, 160, 77,  79,
    212, 227, 206, 163, 216, 140, 212, 83,  93,  5,   24,  41,  96,  102, 179, 88,  222, 157, 64,  104, 119, 169, 116,
    100, 190, 37,  53,  80,  77,  254, 210, 178, 142, 101, 204, 6,   52,  171, 122, 103, 35,  49,  166, 67,  29,  115,
    185, 203, 160, 130, 114, 156, 117, 47,  64,  68,  88,  14,  218, 228, 119, 5,   138, 153, 90,  179, 116, 178, 84,
    111, 11,  238, 240, 80,  77,  179, 119, 192, 114, 29,  152, 192, 204, 13,  254, 70,  185, 53,  35,  73,  171, 235,
    48,  133, 70,  163, 11,  62,  104, 189, 237, 231, 123, 174, 34,  36,  211, 226, 99,  41,  122, 45,  191, 60,  148,
    145, 116, 19,  239, 134, 246, 192, 249, 145, 30,  225, 49,  185, 66,  117, 74,  129, 174, 38,  35,  224, 132, 209,
    47,  24,  59,  49,  221, 74,  234, 178, 202, 155, 210, 37,  63,  75,  125, 19,  41,  71,  222, 197, 111, 247, 200,
    244, 232, 80,  35,  203, 2,   184, 134, 224, 169, 65,  220, 190, 117, 252, 147, 127, 230, 203, 18,  73,  148, 170,
    223, 24,  82,  100, 29,  2,   53,  131, 209, 155, 231, 52,  1,   60,  164, 96,  83,  15,  147, 114, 192, 197, 47,
    253, 44,  147, 41,  105, 70,  137, 173, 164, 65,  219, 58,  223, 243, 216, 234, 133, 149, 184, 182, 113, 142, 251,
    78,  102, 224, 220, 245, 93,  92,  224, 200, 159, 11,  152, 218, 37,  189, 177, 152, 111, 182, 177, 54,  74,  5,
    197, 31,  142, 252, 188, 130, 163, 82,  114, 160, 97,  0,   190, 216, 46,  150, 164, 139, 195, 219, 4,   201, 236,
    24,  202, 72,  181, 63,  144, 80,  141, 244, 66,  89,  70,  198, 83,  104, 194, 228, 140, 246, 189, 119, 83,  112,
    112, 164, 177, 120, 228, 51,  133, 229, 81,  219, 51,  45,  149, 96,  169, 59,  78,  180, 31,  180, 224, 251, 153,
    0,   202, 31,  58,  171, 147, 115, 140, 141, 231, 187, 85,  141, 141, 222, 0,   76,  206, 5,   117, 129, 152, 239,
    192, 132, 156, 217, 173, 95,  229, 174, 88,  24,  121, 106, 196, 23,  86,  101, 112, 167, 29,  137, 227, 222, 175,
    217, 76,  214, 39,  222, 168, 107, 72,  49,  208, 99,  104, 246, 19,  105, 27,  10,  47,  169, 104, 228, 32,  38,
    212, 217, 227, 76,  176, 10,  232, 58,  104, 41,  8,   119, 21,  110, 200, 205, 64,  217, 26,  59,  135, 79,  137,
    165, 88,  31,  103, 161, 21,  62,  216, 2,   137, 95,  141, 94,  7,   199, 46,  76,  116, 206, 49,  251, 133, 204,
    232, 238, 195, 234, 43,  47,  221, 125, 255, 68,  120, 226, 41,  243, 172, 7,   242, 69,  227, 102, 71,  89,  177,
    141, 245, 79,  105, 72,  90,  23,  80,  109, 74,  76,  247, 163, 218, 138, 167, 23,  47,  136, 185, 127, 132, 74,
    225, 75,  183, 184, 248, 246, 47,  17,  69,  113, 187, 155, 57,  170, 197, 37,  172, 149, 14,  100, 103, 122, 3,
    114, 253, 172, 48,  247, 247, 242, 46,  121, 25,  115, 8,   250, 175, 102, 0,   177, 74,  76,  165, 159, 132, 94,
    253, 21,  0,   93,  227, 104, 39,  12,  167, 207, 232, 213, 126, 187, 166, 190, 179, 81,  16,  167, 111, 106, 59,
    184, 99,  226, 132, 73,  119, 45,  105, 187, 35,  212, 88,  167, 36,  25,  172, 55,  34,  175, 10,  219, 93,  11,
    241, 209, 187, 54,  133, 5,   217, 22,  16,  53,  225, 18,  87,  209, 47,  171, 160, 181, 255, 18,  120, 35,  165,
    4,   210, 244, 24,  179, 117, 165, 103, 14,  108, 142, 79,  34,  79,  130, 23,  78,  98,  141, 131, 172, 17,  96,
    71,  162, 73,  141, 173, 15,  90,  204, 120, 8,   87,  217, 42,  187, 76,  63,  121, 214, 216, 214, 187, 137, 56,
    38,  189, 30,  149, 226, 85,  29,  161, 211, 152, 109, 173, 78,  142, 231, 217, 225, 153, 176, 66,  179, 183, 87,
    87,  8,   226, 71,  63,  66,  89,  154, 89,  180, 140, 166, 0,   86,  220, 222, 63,  143, 244, 60,  100, 138, 208,
    224, 67,  122, 4,   203, 253, 142, 198, 15,  168, 138, 181, 37,  91,  233, 88,  239, 48,  53,  149, 165, 58,  255,
    225, 198, 185, 204, 15,  61,  254, 254, 27,  20,  158, 7,   172, 52,  27,  130, 124, 117, 185, 82,  230, 28,  6,
    127, 152, 160, 64,  155, 60,  30,  78,  23,  204, 30,  47,  59,  173, 139, 246, 160, 115, 162, 76,  236, 155, 66,
    121, 238, 58,  42,  253, 7,   174, 97,  188, 172, 155, 156, 135, 204, 173, 59,  227, 27,  241, 42,  58,  42,  69,
    120, 157, 87,  255, 110, 11,  199, 163, 237, 1,   40,  242, 240, 172, 240, 246, 75,  132, 43,  19,  89,  91,  114,
    230, 85,  166, 39,  207, 75,  66,  32,  24,  119, 38,  221, 198, 14,  48,  42,  4,   133, 77,  5,   178, 194, 20,
    106, 89,  150, 73,  156, 88};

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
