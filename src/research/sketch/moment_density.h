/// \file Distributions on [-1, 1] that are estimated from a few numbers, for quantiles.
///
/// MaxEntropyCdf (max_entropy.cc): the maximum-entropy density with the given moments. LegendreCdf: the series of
/// Legendre polynomials, cut off at the last moment. It has a closed form and is less accurate; the density may be
/// negative in places, so the distribution may fall. CosineCdf: the series of cosines; its coefficients are not moments
/// and need the range before the values.
///
/// All return the distribution at kCdfCells + 1 even places from -1 to 1; the first value is 0, the last 1.
#pragma once

#include <cstddef>
#include <vector>

#include "kauri/span.h"

namespace kauri {

constexpr std::size_t kCdfCells = 8192;

/// Returns the place at a distance of `cells` cells from -1.
inline double CdfPlace(double cells) { return 2.0 * cells / static_cast<double>(kCdfCells) - 1.0; }

/// moments [order + 1]; the first is 1. If no density is found, the last moment is dropped, repeatedly if needed.
/// Without moments the density is flat, so this always succeeds. n_used: the number of moments used, including the
/// first.
std::vector<double> MaxEntropyCdf(Span<double const> moments, std::size_t* n_used = nullptr);
/// Returns the distribution at n_cells + 1 places.
std::vector<double> LegendreCdf(Span<double const> moments, std::size_t n_cells = kCdfCells);
/// means [order + 1]: the means of cos(k t), where t is the value's angle between 0 and pi; the first is 1.
std::vector<double> CosineCdf(Span<double const> means);

/// Returns the places where the distribution first reaches each share; shares ascend. Interpolates linearly.
std::vector<double> InvertCdf(std::vector<double> const& cdf, Span<double const> shares);

}  // namespace kauri
