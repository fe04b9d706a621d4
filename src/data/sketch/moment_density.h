/// \file Distributions on [-1, 1] from their moments, for quantiles.
///
/// MaxEntropyCdf: the density exp(sum theta_k T_k(x)) that has the given moments, the one of the largest entropy, with
/// Chebyshev polynomials T_k (Gan et al. 2018; Mitchell et al. 2021, section 3). Newton on the convex dual, integrals
/// by 512 Gauss-Legendre points, steps halved until they lower the dual enough. LegendreCdf: the series of Legendre
/// polynomials, cut off at the last moment. Closed form, less accurate; the density may be negative in places and the
/// distribution may fall.
///
/// Both return the distribution at kCdfCells + 1 even places from -1 to 1; the first is 0, the last 1.
#pragma once

#include <cstddef>
#include <vector>

#include "kauri/span.h"

namespace kauri {

constexpr std::size_t kCdfCells = 8192;

/// moments [order + 1], the first is 1. Where Newton does not converge the last moment is given up, and again; without
/// any the density is even, so this always succeeds.
std::vector<double> MaxEntropyCdf(Span<double const> moments);
std::vector<double> LegendreCdf(Span<double const> moments);

/// Where the distribution first reaches each share; shares ascend. Linear between the places.
std::vector<double> InvertCdf(std::vector<double> const& cdf, Span<double const> shares);

}  // namespace kauri
