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

/// All of these values lie within the edges of the first pass, so only the values themselves differ.
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

/// The rows of `matrix`, with batch sizes in the first pass that differ from later passes.
class OtherBatches : public RowSource {
 public:
  explicit OtherBatches(DataMatrix const& matrix) : first_(matrix, 30), later_(matrix, 17) {}
  void Restart() override {
    ++n_restarts_;
    Batches().Restart();
  }
  bool Next(Context const& ctx, RowBatch* batch) override { return Batches().Next(ctx, batch); }

 private:
  RowBatches& Batches() { return n_restarts_ < 2 ? first_ : later_; }

  RowBatches first_;
  RowBatches later_;
  int n_restarts_ = 0;
};

void SetEverything(MetaInfo* info) {
  auto const n_rows = static_cast<std::size_t>(info->n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    auto const value = static_cast<float>(row);
    info->labels.insert(info->labels.end(), {value, -value});
    info->weights.push_back(value + 1.0F);
    info->base_margin.push_back(0.5F * value);
    info->label_lower_bound.push_back(value);
    info->label_upper_bound.push_back(value + 2.0F);
  }
  info->n_targets = 2;
  info->feature_weights.assign(static_cast<std::size_t>(info->n_cols), 2.0F);
  info->feature_types.assign(static_cast<std::size_t>(info->n_cols), "q");
  for (std::int64_t column = 0; column < info->n_cols; ++column)
    info->feature_names.push_back("f" + std::to_string(column));
}

TEST(ChangingBatches, TheSameRowsMayComeInOtherBatches) {
  auto const matrix = MakeMatrix(MatrixSpec{});
  SetEverything(matrix->MutableInfo());
  OtherBatches batches(*matrix);
  EXPECT_EQ(MessageOf([&] { MakeBinnedMatrix(Context{}, &batches, InFile()); }), "no error");
}

/// The values are the same in all cases; other row information differs.
TEST(ChangingBatches, WhatElseIsSaidOfRowsMustBeTheSameToo) {
  struct Case {
    std::string field;
    void (*change)(MetaInfo* info);
  };
  std::vector<Case> const cases{
      {"label", [](MetaInfo* info) { std::swap(info->labels[0], info->labels[2]); }},
      {"label", [](MetaInfo* info) { info->n_targets = 1, info->labels.resize(info->labels.size() / 2); }},
      {"weight", [](MetaInfo* info) { info->weights.back() = 0.5F; }},
      {"weight", [](MetaInfo* info) { info->weights.clear(); }},
      {"base_margin", [](MetaInfo* info) { info->base_margin[40] = -1.0F; }},
      {"label_lower_bound", [](MetaInfo* info) { info->label_lower_bound[3] = 1.0F; }},
      {"label_upper_bound", [](MetaInfo* info) { info->label_upper_bound[3] = 100.0F; }},
      {"feature_weights", [](MetaInfo* info) { info->feature_weights[1] = 1.0F; }},
      {"feature_name", [](MetaInfo* info) { std::swap(info->feature_names[0], info->feature_names[1]); }},
      {"feature_type", [](MetaInfo* info) { info->feature_types[1] = "i"; }},
  };
  auto const before = MakeMatrix(MatrixSpec{});
  SetEverything(before->MutableInfo());
  for (auto const& [field, change] : cases) {
    auto const after = MakeMatrix(MatrixSpec{});
    SetEverything(after->MutableInfo());
    change(after->MutableInfo());
    for (auto const& options : {BinStoreOptions{}, InFile()}) {
      auto const message = SecondPassMessage(*before, *after, options);
      EXPECT_NE(message.find("gave another " + field + " than the first"), std::string::npos) << field << message;
    }
  }
}

}  // namespace
}  // namespace kauri
