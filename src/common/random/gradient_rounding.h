/// \file Rounds gradient pairs in fixed point to 8 or 4 bits, for gradient_bits: Shi et al. 2022, "Quantized Training
/// of Gradient Boosting Decision Trees", section 4.
///
/// An integer x in fixed point becomes floor((x + r) / 2^s), where r is drawn from 0 to 2^s - 1. The result is one of
/// the two integers next to x / 2^s, and x / 2^s on average. A multiple of 2^s, such as a hessian that all rows share,
/// is divided exactly. The shift s is the smallest for which no result exceeds the largest integer of so many bits, so
/// units stay powers of two. A draw is a pure function of the seed, the tree and the global number of its row: the same
/// on every thread, device and rank. The seed's other streams are numbered in tree/sampling/sampling.cc.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/fixed_point.h"
#include "common/random/random.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

/// How the pairs of a tree are rounded.
struct GradientRounding {
  int bits = 0;           ///< 8 or 4; 0: pairs are not rounded
  std::uint64_t key = 0;  ///< RoundingKey of the tree
};

/// Returns the key of a round's draws.
KAURI_HD std::uint64_t RoundKeyOfRounding(std::uint64_t seed, std::int64_t iteration) {
  constexpr std::uint64_t kPurpose = 8;
  return CombineKeys(CombineKeys(seed, static_cast<std::uint64_t>(iteration)), kPurpose);
}

/// Returns the key of a tree's draws. round_key: RoundKeyOfRounding. `tree_in_iteration` as in TreePlace.
KAURI_HD std::uint64_t RoundingKey(std::uint64_t round_key, std::int64_t tree_in_iteration) {
  return CombineKeys(round_key, static_cast<std::uint64_t>(tree_in_iteration));
}

/// Numbers of bits by which a pair is shifted.
struct RoundingShifts {
  int gradient;
  int hessian;
};

/// Returns the shift of numbers whose largest absolute value, as a float, is max_abs.
KAURI_HD int RoundingShift(float max_abs, int bits) {
  auto const most = static_cast<double>((1 << (bits - 1)) - 1);
  auto const fixed = std::nearbyint(static_cast<double>(max_abs) / FixedPointUnit(max_abs));  // at most 2^30
  auto const shift = 31 - bits;
  return fixed > std::ldexp(most, shift) ? shift + 1 : shift;
}

/// largest: as FixedGradients::largest.
KAURI_HD RoundingShifts ShiftsOf(GradientPair largest, int bits) {
  return {RoundingShift(largest.gradient, bits), RoundingShift(largest.hessian, bits)};
}

/// Returns the unit of rounded pairs. unit: of the pairs before.
KAURI_HD GradientUnit RoundedUnit(GradientUnit unit, RoundingShifts shifts) {
  return {std::ldexp(unit.gradient, shifts.gradient), std::ldexp(unit.hessian, shifts.hessian)};
}

/// Rounds a pair. row: the global number of its row.
KAURI_HD FixedPair RoundPair(FixedPair pair, RoundingShifts shifts, std::uint64_t key, std::int64_t row) {
  auto const draw = RandomBits(key, static_cast<std::uint64_t>(row));
  auto const below = [](std::uint64_t bits, int shift) {
    return static_cast<std::int32_t>(bits & ((std::uint64_t{1} << static_cast<unsigned>(shift)) - 1));
  };
  return {(pair.gradient + below(draw >> 32U, shifts.gradient)) >> shifts.gradient,
          (pair.hessian + below(draw, shifts.hessian)) >> shifts.hessian};
}

}  // namespace kauri
