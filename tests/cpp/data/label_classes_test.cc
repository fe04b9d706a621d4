#include "data/label_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace kauri {
namespace {

template <typename T>
ArrayView VectorOfLabels(std::vector<T> const& values, DType dtype) {
  ArrayView array;
  array.data = values.data();
  array.dtype = dtype;
  array.shape = {static_cast<std::int64_t>(values.size()), 1};
  array.strides = {sizeof(T), sizeof(T)};
  return array;
}

struct FoundClasses {
  std::vector<double> classes;
  std::vector<float> codes;
};

FoundClasses Find(ArrayView const& labels, std::uint32_t most, int threads = 1) {
  FoundClasses found;
  found.codes.resize(static_cast<std::size_t>(labels.shape[0]));
  Context ctx;
  ctx.threads = threads;
  found.classes = FindClasses(ctx, labels, most, {found.codes.data(), found.codes.size()});
  return found;
}

/// Compares with a sorted map of the values.
void ExpectClassesOf(std::vector<std::int64_t> const& values) {
  std::map<std::int64_t, float> codes;
  for (auto const value : values) codes[value] = 0.0F;
  float next = 0.0F;
  for (auto& entry : codes) entry.second = next++;
  for (int const threads : {1, 3}) {
    auto const found = Find(VectorOfLabels(values, DType::kI64), 1024, threads);
    ASSERT_EQ(found.classes.size(), codes.size());
    EXPECT_TRUE(std::equal(codes.begin(), codes.end(), found.classes.begin(),
                           [](auto const& entry, double value) { return static_cast<double>(entry.first) == value; }));
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(found.codes[i], codes[values[i]]);
  }
}

TEST(LabelClassesTest, AreThoseOfASortedMap) {
  std::mt19937_64 random(7);
  for (std::int64_t const n_classes : {1, 2, 23, 1000}) {
    std::vector<std::int64_t> values(300'000);
    for (auto& value : values) value = static_cast<std::int64_t>(random() % n_classes) * 1'000'003 - 500'000;
    ExpectClassesOf(values);
  }
}

TEST(LabelClassesTest, ZeroHasNoSign) {
  auto const found = Find(VectorOfLabels(std::vector<float>{0.0F, -0.0F, 1.5F}, DType::kF32), 4);
  EXPECT_EQ(found.classes, (std::vector<double>{0.0, 1.5}));
  EXPECT_EQ(found.codes, (std::vector<float>{0.0F, 0.0F, 1.0F}));
}

TEST(LabelClassesTest, SayNothingOfOtherLabels) {
  auto const infinity = std::numeric_limits<double>::infinity();
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Find(VectorOfLabels(std::vector<double>{1.0, nan}, DType::kF64), 4).classes.empty());
  EXPECT_TRUE(Find(VectorOfLabels(std::vector<double>{1.0, infinity}, DType::kF64), 4).classes.empty());
  EXPECT_TRUE(Find(VectorOfLabels(std::vector<double>{1.0, 2.0, 3.0}, DType::kF64), 2).classes.empty());
  std::vector<std::int64_t> const large{std::int64_t{1} << 53, 1};
  EXPECT_TRUE(Find(VectorOfLabels(large, DType::kI64), 4).classes.empty());
  EXPECT_TRUE(Find(VectorOfLabels(std::vector<float>{}, DType::kF32), 4).classes.empty());
}

}  // namespace
}  // namespace kauri
