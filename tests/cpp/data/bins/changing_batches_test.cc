#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "data/bins/bin_store_maker.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/random_matrix.h"
#include "support/row_batches.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::RowBatches;

BinStoreOptions InFile() {
  BinStoreOptions options;
  options.in_file = true;
  return options;
}

std::string SecondPassMessage(DataMatrix const& before, DataMatrix const& after, BinStoreOptions const& options) {
  RowBatches batches(before, 30);
  batches.ChangeInPass(options.in_file ? 2 : 3, after);
  return MessageOf([&] { MakeBinnedMatrix(Context{}, &batches, options); });
}

/// All of these lie within the cuts that the first pass made, where nothing but their values tells.
TEST(ChangingBatches, OtherValuesInTheSecondPassAreRefused) {
  for (bool const sparse : {false, true}) {
    MatrixSpec spec;
    spec.missing = sparse ? 0.8 : 0.2;
    spec.n_distinct = 9;
    auto const values = MakeValues(spec);
    auto const before = MakeMatrix(values, spec.n_cols, sparse);
    auto one_value = values;
    *std::find_if(one_value.rbegin(), one_value.rend(), [](float value) { return value > 1.0F; }) = 1.0F;
    auto other_order = values;
    std::rotate(other_order.begin(), other_order.begin() + spec.n_cols, other_order.end());
    auto other_column = values;
    auto const cell =
        static_cast<std::size_t>(std::adjacent_find(values.begin(), values.end(),
                                                    [](float a, float b) { return !std::isnan(a) && std::isnan(b); }) -
                                 values.begin());
    std::swap(other_column[cell], other_column[cell + 1]);
    auto no_hole = values;
    *std::find_if(no_hole.begin(), no_hole.end(), [](float value) { return std::isnan(value); }) = 1.0F;
    for (auto const& options : {BinStoreOptions{}, InFile()}) {
      EXPECT_EQ(SecondPassMessage(*before, *before, options), "no error");
      for (auto const& other : {one_value, other_order, other_column, no_hole}) {
        auto const message = SecondPassMessage(*before, *MakeMatrix(other, spec.n_cols, sparse), options);
        EXPECT_NE(message.find("must give the same rows each time"), std::string::npos) << message;
      }
    }
  }
}

TEST(ChangingBatches, AnotherBatchAfterTheOnlyOneIsRefused) {
  MatrixSpec spec;
  auto const before = MakeMatrix(spec);
  spec.n_rows = 150;
  auto const after = MakeMatrix(spec);
  RowBatches batches(*before, 100);
  batches.ChangeInPass(2, *after);
  EXPECT_NE(MessageOf(ErrorKind::kData, [&] { MakeBinnedMatrix(Context{}, &batches, {}); })
                .find("must give the same rows each time"),
            std::string::npos);
}

}  // namespace
}  // namespace kauri
