#include "shapley/row_game.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/random/random.h"
#include "support/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kColumns = 5;

/// A function with two outputs that records the calls and the rows of the largest one.
class TestFunction : public RowFunction {
 public:
  std::int64_t NumOutputs() const override { return 2; }
  void Call(std::int64_t n_rows, std::int64_t n_cols, double const* rows, double* out) override {
    largest_batch = std::max(largest_batch, n_rows);
    total_rows += n_rows;
    for (std::int64_t i = 0; i < n_rows; ++i) Row(rows + i * n_cols, out + 2 * i);
  }
  static void Row(double const* x, double* out) {
    out[0] = x[0] * x[1] + (x[2] > 0.5 ? x[3] : -x[4]);
    out[1] = 3.0 * x[4] + x[0];
  }

  std::int64_t largest_batch = 0;
  std::int64_t total_rows = 0;
};

struct Tables {
  std::vector<double> rows = std::vector<double>(6 * kColumns);
  std::vector<double> background = std::vector<double>(9 * kColumns);

  Tables() {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = RandomUniform(1, i);
    for (std::size_t i = 0; i < background.size(); ++i) background[i] = RandomUniform(2, i);
  }
  ExplainRowsTask Task() const {
    return {{rows.data(), 6, kColumns}, {background.data(), 9, kColumns}, {{0}, {1}, {2}, {3}, {4}}};
  }
};

struct Found {
  std::vector<double> values;
  std::vector<double> errors;
  std::vector<double> base = std::vector<double>(2);
  std::vector<std::uint64_t> n_evals;
  ShapleyMethod method;
  std::int64_t largest_batch = 0;
  std::int64_t total_rows = 0;
};

Found Explained(ExplainRowsTask const& task, ShapleyOptions const& options) {
  Found found;
  TestFunction function;
  found.values.resize(ToSize(task.rows.n_rows) * task.players.size() * 2);
  found.errors.resize(found.values.size());
  found.n_evals.resize(ToSize(task.rows.n_rows));
  found.method = ExplainRows({}, &function, task, options,
                             {found.values.data(), found.errors.data(), found.base.data(), found.n_evals.data()});
  found.largest_batch = function.largest_batch;
  found.total_rows = function.total_rows;
  return found;
}

ShapleyOptions Exact() {
  ShapleyOptions options;
  options.method = ShapleyMethod::kExact;
  return options;
}

/// Computes the values from the definition, over all orders of players.
std::vector<double> Naive(Tables const& tables, std::int64_t row, std::int64_t output) {
  std::vector<int> order{0, 1, 2, 3, 4};
  std::vector<double> values(5, 0.0);
  auto const worth = [&](std::vector<bool> const& in) {
    double sum = 0.0;
    for (std::int64_t other = 0; other < 9; ++other) {
      double x[kColumns];
      double out[2];
      for (std::int64_t c = 0; c < kColumns; ++c) {
        x[c] =
            in[ToSize(c)] ? tables.rows[ToSize(row * kColumns + c)] : tables.background[ToSize(other * kColumns + c)];
      }
      TestFunction::Row(x, out);
      sum += out[output];
    }
    return sum / 9.0;
  };
  do {
    std::vector<bool> in(5, false);
    for (auto const player : order) {
      auto const before = worth(in);
      in[ToSize(player)] = true;
      values[ToSize(player)] += (worth(in) - before) / 120.0;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return values;
}

TEST(ExplainRows, IsTheMeanOverAllOrders) {
  Tables const tables;
  auto const found = Explained(tables.Task(), Exact());
  for (std::int64_t row = 0; row < 6; ++row) {
    for (std::int64_t output = 0; output < 2; ++output) {
      auto const expected = Naive(tables, row, output);
      for (std::int64_t player = 0; player < 5; ++player) {
        EXPECT_NEAR(found.values[ToSize((row * 5 + player) * 2 + output)], expected[ToSize(player)], 1e-14);
      }
    }
    EXPECT_EQ(found.n_evals[ToSize(row)], 32U);
  }
  EXPECT_EQ(found.method, ShapleyMethod::kExact);
}

TEST(ExplainRows, BatchesChangeNothing) {
  Tables const tables;
  auto const whole = Explained(tables.Task(), Exact());
  for (std::int64_t const batch_rows : {1, 2, 7, 9, 64}) {
    auto task = tables.Task();
    task.batch_rows = batch_rows;
    auto const found = Explained(task, Exact());
    EXPECT_EQ(found.values, whole.values) << batch_rows;
    EXPECT_LE(found.largest_batch, batch_rows);
  }
}

/// Values that a row shares with some background rows need no evaluation, and change nothing.
TEST(ExplainRows, SharedValuesAreNotAskedFor) {
  Tables tables;
  auto const all = Explained(tables.Task(), Exact());
  EXPECT_EQ(all.total_rows, 9 + 6 * 32 * 9);
  for (std::int64_t other = 0; other < 9; ++other) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      if ((other + column) % 3 != 0) tables.background[ToSize(other * kColumns + column)] = tables.rows[ToSize(column)];
    }
  }
  auto task = tables.Task();
  task.rows.n_rows = 1;
  for (std::int64_t const batch_rows : {1, 20, 65536}) {
    task.batch_rows = batch_rows;
    auto const found = Explained(task, Exact());
    EXPECT_LT(found.total_rows, batch_rows == 1 ? 9 + 32 * 9 + 1 : (9 + 32 * 9) * 3 / 4);
    for (std::int64_t output = 0; output < 2; ++output) {
      auto const expected = Naive(tables, 0, output);
      for (std::int64_t player = 0; player < 5; ++player) {
        EXPECT_NEAR(found.values[ToSize(player * 2 + output)], expected[ToSize(player)], 1e-14) << batch_rows;
      }
    }
  }
}

TEST(ExplainRows, RowsDoNotDependOnEachOther) {
  Tables const tables;
  ShapleyOptions options;
  options.method = ShapleyMethod::kOrthogonal;
  options.n_orders = 5;
  auto const whole = Explained(tables.Task(), options);
  auto task = tables.Task();
  task.rows = {tables.rows.data() + 3 * kColumns, 2, kColumns};
  auto const two = Explained(task, options);
  EXPECT_TRUE(std::equal(two.values.begin(), two.values.end(), whole.values.begin() + 3 * 10));
}

TEST(ExplainRows, WhatTheBackgroundHasPlaysNoPart) {
  Tables tables;
  for (std::int64_t i = 0; i < 9; ++i) {
    tables.background[ToSize(i * kColumns + 1)] = tables.rows[1];
    tables.background[ToSize(i * kColumns + 3)] = std::nan("");
  }
  tables.rows[3] = std::nan("");
  for (std::int64_t i = 0; i < 9; ++i) tables.background[ToSize(i * kColumns + 2)] = 0.1;  // so that no NaN is returned
  tables.rows[2] = 0.2;
  auto task = tables.Task();
  task.rows.n_rows = 1;
  auto const found = Explained(task, Exact());
  EXPECT_EQ(found.n_evals[0], 8U);
  for (std::size_t const player : {1U, 3U}) EXPECT_EQ(found.values[player * 2], 0.0);
}

TEST(ExplainRows, GroupsJoinTogether) {
  Tables const tables;
  auto task = tables.Task();
  task.players = {{0, 1}, {2, 3, 4}};
  auto const found = Explained(task, Exact());
  auto const each = Explained(tables.Task(), Exact());
  // x0 x1 does not interact with the other columns in output 0, so groups have the sums of their columns.
  for (std::int64_t row = 0; row < 6; ++row) {
    EXPECT_NEAR(found.values[ToSize(row * 4)], each.values[ToSize(row * 10)] + each.values[ToSize(row * 10 + 2)],
                1e-14);
  }
}

TEST(ExplainRows, NoRows) {
  Tables const tables;
  auto task = tables.Task();
  task.rows.n_rows = 0;
  EXPECT_TRUE(Explained(task, Exact()).values.empty());
}

TEST(ExplainRows, Refusals) {
  Tables tables;
  auto const refusal = [&](ErrorKind kind, ExplainRowsTask const& task) {
    return MessageOf(kind, [&] { Explained(task, Exact()); });
  };
  auto task = tables.Task();
  task.background.n_rows = 0;
  ExpectParts(refusal(ErrorKind::kData, task), {"background has 0 rows"});
  task = tables.Task();
  task.background.n_cols = 4;
  ExpectParts(refusal(ErrorKind::kData, task), {"5 columns", "background 4"});
  task = tables.Task();
  task.players[2] = {5};
  ExpectParts(refusal(ErrorKind::kParameter, task), {"column 5", "not there"});
  task.players[2] = {1};
  ExpectParts(refusal(ErrorKind::kParameter, task), {"column 1", "twice"});
  task.players[2] = {-1};
  ExpectParts(refusal(ErrorKind::kParameter, task), {"column -1"});
  task = tables.Task();
  task.batch_rows = 0;
  ExpectParts(refusal(ErrorKind::kParameter, task), {"batch_rows is 0"});
  tables.background[2 * kColumns + 4] = std::numeric_limits<double>::infinity();
  ExpectParts(refusal(ErrorKind::kData, tables.Task()), {"returned", "row 2 of a batch of 9", "finite"});
}

}  // namespace
}  // namespace kauri
