#include "common/threads.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <limits>

namespace kauri {
namespace {

TEST(Threads, SensibleCountsAreTaken) {
  for (std::int64_t const wanted : {1, 2, 3, 64}) EXPECT_EQ(NumThreadsFor(wanted), wanted);
  EXPECT_EQ(NumThreadsFor(4 * omp_get_num_procs()), 4 * omp_get_num_procs());
  EXPECT_EQ(NumThreadsFor(MaxThreads()), MaxThreads());
}

TEST(Threads, HugeCountsAreNot) {
  for (std::int64_t const wanted : {std::int64_t{MaxThreads()} + 1, std::int64_t{1000000}, std::int64_t{1} << 32,
                                    std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(NumThreadsFor(wanted), MaxThreads()) << wanted;
  }
}

TEST(Threads, NoneMeansAllCores) {
  auto const before = omp_get_max_threads();
  omp_set_num_threads(3);
  for (std::int64_t const wanted : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(NumThreadsFor(wanted), 3) << wanted;
  }
  omp_set_num_threads(100000);
  EXPECT_EQ(NumThreadsFor(0), MaxThreads());
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace kauri
