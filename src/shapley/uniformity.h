/// \file A test of whether a source of permutations is uniform (section 5 of Mitchell, Stokes, Frank & Holmes,
/// "Bandwidth-optimal random shuffling for GPUs", ACM TOPC 9, 2022; thesis, chapter 6).
///
/// 1. The permutations form disjoint pairs: the first and the second, the third and the fourth, and so on.
/// 2. The Mallows kernel measures how similar the two of a pair are. Its mean over independent uniform permutations is
///    known (mallows.h). The kernel is positive definite, so its mean is larger for every other distribution.
/// 3. The statistic is the mean over the pairs minus that known mean. It estimates the squared maximum mean discrepancy
///    without bias, in time linear in the number of permutations.
/// 4. From 100 permutations on, the p-value comes from the central limit theorem: under uniformity the statistic is
///    normal with the variance E(2 lambda) - E(lambda)^2 of the kernel over the number of pairs. (The printed variance
///    has a misprint that makes it negative.) With fewer permutations it is Hoeffding's bound for values in [0, 1].
///
/// The statistic looks at how often pairs of elements are in opposite order. It cannot see a bias that leaves this
/// unchanged, such as permutations that are all even.
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

struct UniformityTest {
  double statistic;  ///< 0 on average for uniform permutations, above 0 on average for others
  double p_value;    ///< two-sided
};

/// Tests n permutations of 0 .. d - 1. permutations: [n, d]; the last of an odd number is left out. The result has the
/// same bits for any number of threads. Costs n d log d. \throws Error(kParameter) unless n and d are at least 2,
/// lambda is from 1 to 100, and each row holds every element once.
UniformityTest TestUniformity(Context const& ctx, Span<std::uint32_t const> permutations, std::int32_t d,
                              double lambda);

}  // namespace kauri
