/// \file Distributions on [-1, 1] from what few numbers say of them, for quantiles.
///
/// MaxEntropyCdf (max_entropy.cc): the density of the largest entropy that has the given moments. LegendreCdf: the
/// series of Legendre polynomials, cut off at the last moment. Closed form, less accurate; the density may be negative
/// in places and the distribution may fall. CosineCdf: the same of cosines, whose coefficients are no moments and need
/// the range before the values.
///
/// All return the distribution at kCdfCells + 1 even places from -1 to 1; the first is 0, the last 1.
#pragma once

#include <cstddef>
#include <vector>

#include "kauri/span.h"

namespace kauri {

constexpr std::size_t kCdfCells = 8192;

/// The place of a number of cells.
inline double CdfPlace(double cells) { return 2.0 * cells / static_cast<double>(kCdfCells) - 1.0; }

/// moments [order + 1], the first is 1. Where no density is found the last moment is given up, and again; without any
/// the density is even, so this always succeeds. n_used: how many moments the density has, the first among them.
std::vector<double> MaxEntropyCdf(Span<double const> moments, std::size_t* n_used = nullptr);
/// At n_cells + 1 places.
std::vector<double> LegendreCdf(Span<double const> moments, std::size_t n_cells = kCdfCells);
/// means [order + 1]: of cos(k t), where t is the value's place between 0 and pi; the first is 1.
std::vector<double> CosineCdf(Span<double const> means);

/// Where the distribution first reaches each share; shares ascend. Linear between the places.
std::vector<double> InvertCdf(std::vector<double> const& cdf, Span<double const> shares);

}  // namespace kauri
