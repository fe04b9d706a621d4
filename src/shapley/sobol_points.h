/// \file Sobol's sequence with nested uniform scrambling.
///
/// Sobol 1967: in dimension i the directions follow from a primitive polynomial of degree s over the field of two
/// elements and from s initial odd numbers. Polynomials are found here, by degree and size. The first numbers are drawn
/// by counter. Of 256 draws for each dimension, sobol_points.cc names the one whose points lie most evenly in the
/// planes that it spans with the earlier dimensions (tests/benchmark/sobol_search.cc). Owen 1995: bit b of a coordinate
/// is flipped by a coin that depends on the bits above it. Scrambled points are uniform, and keep their even
/// distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/span.h"

namespace kauri {

/// Number of dimensions that have directions: 1, and one for every primitive polynomial of a degree up to 13.
constexpr std::int32_t kSobolDimensions = 1111;

class SobolPoints {
 public:
  static constexpr int kBits = 32;

  /// n_dimensions: 1 to kSobolDimensions.
  explicit SobolPoints(std::int32_t n_dimensions);

  /// Computes point `index` of a scrambling: [n_dimensions] numbers in (0, 1), multiples of 2^-32 plus 2^-33.
  void Scrambled(std::uint32_t index, std::uint64_t key, Span<double> point) const;
  /// Returns a coordinate of the point without scrambling, as bits.
  std::uint32_t Bits(std::uint32_t index, std::int32_t dimension) const;

 private:
  std::vector<std::uint32_t> directions_;  ///< [n_dimensions, kBits]
};

/// Returns the directions of `dimension`, above 0: [kBits], the k-th with its lowest bit at kBits - 1 - k. `choice` is
/// the number of the draw of the first numbers.
std::vector<std::uint32_t> SobolDirections(std::uint32_t polynomial, std::int32_t dimension, std::uint32_t choice);

/// Returns the first `count` primitive polynomials over the field of two elements, by degree and size; bit i is the
/// coefficient of x^i.
std::vector<std::uint32_t> PrimitivePolynomials(std::int32_t count);

}  // namespace kauri
