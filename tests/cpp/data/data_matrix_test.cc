#include "kauri/data_matrix.h"

#include <algorithm>
#include <random>

#include "data/adapters/array_views.h"
#include "data/copies/slice.h"
#include "data/data_test_support.h"

namespace kauri {
namespace {

/// A random sparse table as dense values, and as CSR with shuffled rows.
struct RandomTable {
  RandomTable(std::int64_t rows, std::int64_t cols, int percent, unsigned seed) : n_rows(rows), n_cols(cols) {
    std::mt19937 random(seed);
    csr.row_ptr.push_back(0);
    cells.assign(rows * cols, kNaN);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<std::uint32_t> features;
      for (std::int64_t col = 0; col < cols; ++col) {
        if (static_cast<int>(random() % 100) < percent) features.push_back(static_cast<std::uint32_t>(col));
      }
      std::shuffle(features.begin(), features.end(), random);
      for (auto const feature : features) {
        auto const value = static_cast<float>(random() % 1000);
        csr.features.push_back(feature);
        csr.values.push_back(value);
        cells[static_cast<std::size_t>(row * cols) + feature] = value;
      }
      csr.row_ptr.push_back(static_cast<std::int64_t>(csr.features.size()));
    }
  }
  std::int64_t n_rows;
  std::int64_t n_cols;
  CsrStorage csr;
  std::vector<float> cells;
};

TEST(DataMatrix, FromDenseView) {
  for (auto const n_rows : {0, 1, 31, 1025}) {
    std::vector<double> values;
    for (int i = 0; i < n_rows * 3; ++i) values.push_back(i % 7 == 0 ? -1.0 : i);
    auto const matrix = DataMatrix::FromView(WithThreads(2), *MakeDenseView(TableView(values, n_rows, 3), -1.0F));
    EXPECT_EQ(matrix->NumRows(), n_rows);
    EXPECT_EQ(matrix->NumCols(), 3);
    EXPECT_TRUE(matrix->IsDense());
    EXPECT_EQ(matrix->NumEntries(), n_rows * 3 - (n_rows * 3 + 6) / 7);
    EXPECT_EQ(matrix->HasMissing(), n_rows > 0);
    ASSERT_EQ(matrix->Dense().values.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const value = matrix->Dense().values[i];
      EXPECT_TRUE(i % 7 == 0 ? std::isnan(value) : value == static_cast<float>(i));
    }
    EXPECT_EQ(matrix->View()->DenseRows(), matrix->Dense().values.data());
  }
}

TEST(DataMatrix, AllMissing) {
  std::vector<float> const values(12, kNaN);
  auto const matrix = DataMatrix::FromView(WithThreads(1), *MakeDenseView(TableView(values, 4, 3), kNaN));
  EXPECT_EQ(matrix->NumEntries(), 0);
  EXPECT_TRUE(matrix->IsDense());
  auto const empty = DataMatrix::FromCsr({{0, 0, 0}, {}, {}}, 5);
  EXPECT_FALSE(empty->IsDense());
  EXPECT_EQ(empty->NumEntries(), 0);
  ExpectSame(RowsOf(*empty), std::vector<float>(10, kNaN));
}

TEST(DataMatrix, FromCsrEqualsCellsForAnyDensityAndThreads) {
  for (auto const percent : {0, 10, 49, 60, 100}) {
    RandomTable const table(1500, 9, percent, 3);
    for (auto const threads : {1, 8}) {
      auto const matrix = DataMatrix::FromCsr(table.csr, table.n_cols, WithThreads(threads));
      EXPECT_EQ(matrix->IsDense(), 2 * table.csr.values.size() >= table.cells.size()) << percent;
      EXPECT_EQ(matrix->NumEntries(), static_cast<std::int64_t>(table.csr.values.size()));
      ExpectSame(RowsOf(*matrix), table.cells);
      auto const copy = DataMatrix::FromView(WithThreads(threads), *matrix->View());
      EXPECT_EQ(copy->IsDense(), matrix->IsDense());
      EXPECT_NE(copy->Id(), matrix->Id());
      ExpectSame(RowsOf(*copy), table.cells);
      if (matrix->IsDense()) continue;
      auto const& csr = matrix->Csr();
      for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
        for (auto i = csr.row_ptr[row] + 1; i < csr.row_ptr[row + 1]; ++i) {
          EXPECT_LT(csr.features[i - 1], csr.features[i]);
        }
      }
    }
  }
}

TEST(DataMatrix, FromCsrViewDropsMissing) {
  std::vector<std::int32_t> const indptr{1, 3, 4};  // does not start at 0: a slice of a larger matrix
  std::vector<std::int32_t> const indices{9, 5, 0, 2};
  std::vector<float> const values{9, 7, 8, 0};
  auto const view = MakeCsrView(VectorView(indptr), VectorView(indices), VectorView(values), 10, 0.0F);
  auto const matrix = DataMatrix::FromView(WithThreads(2), *view);
  ASSERT_FALSE(matrix->IsDense());
  EXPECT_EQ(matrix->Csr().row_ptr, (std::vector<std::int64_t>{0, 2, 2}));
  EXPECT_EQ(matrix->Csr().features, (std::vector<std::uint32_t>{0, 5}));
  EXPECT_EQ(matrix->Csr().values, (std::vector<float>{8, 7}));
}

TEST(DataMatrix, SeveralValuesOfACellAddUp) {
  for (auto const threads : {1, 8}) {
    auto const matrix =
        DataMatrix::FromCsr({{0, 4, 4, 6}, {8, 1, 8, 8, 3, 3}, {1, 2, 3, 4, 5, 6}}, 20, WithThreads(threads));
    ASSERT_FALSE(matrix->IsDense());
    EXPECT_EQ(matrix->NumEntries(), 3);
    EXPECT_EQ(matrix->Csr().row_ptr, (std::vector<std::int64_t>{0, 2, 2, 3}));
    EXPECT_EQ(matrix->Csr().features, (std::vector<std::uint32_t>{1, 8, 3}));
    EXPECT_EQ(matrix->Csr().values, (std::vector<float>{2, 8, 11}));
  }
}

TEST(DataMatrix, Refusals) {
  auto const from_csr = [](CsrStorage const& csr, std::int64_t n_cols) {
    return MessageOf([&] { DataMatrix::FromCsr(csr, n_cols); });
  };
  ExpectParts(from_csr({{}, {}, {}}, 3), {"CSR arrays disagree"});
  ExpectParts(from_csr({{0, 2}, {0}, {1}}, 3),
              {"CSR arrays disagree", "2 is the last pointer", "1 indices", "1 values"});
  ExpectParts(from_csr({{0, 2, 1}, {0}, {1}}, 3), {"CSR arrays disagree"});
  ExpectParts(from_csr({{0, 1}, {0}, {}}, 3), {"CSR arrays disagree"});
  ExpectParts(from_csr({{0, 1}, {3}, {1}}, 3), {"row 0", "index 3", "3 columns"});
  ExpectParts(from_csr({{0, 1}, {0}, {kNaN}}, 3), {"row 0", "NaN for feature 0"});
  ExpectParts(from_csr({{0, 1}, {0}, {kInf}}, 3), {"row 0, column 0 is inf"});
  ExpectParts(from_csr({{0, 0}, {}, {}}, -1), {"-1 columns"});
  ExpectParts(from_csr({{0, 0}, {}, {}}, std::int64_t{1} << 31U), {"2147483648 columns"});
  EXPECT_EQ(from_csr({{0}, {}, {}}, 0), "no error");
  EXPECT_EQ(from_csr({{0, 0}, {}, {}}, 0), "no error");
  ExpectParts(MessageOf([] { DataMatrix::FromDense({{1, 2, 3}}, 2, 2); }), {"3 values for 2 rows of 2 columns"});
  ExpectParts(MessageOf([] { DataMatrix::FromDense({{1, 2, 3, kInf}}, 2, 2); }), {"row 1, column 1 is inf"});
}

TEST(CscAdapter, EqualsCells) {
  for (auto const percent : {0, 20, 80}) {
    RandomTable const table(257, 6, percent, 11);
    std::vector<std::int32_t> indptr{0};
    std::vector<std::int64_t> indices;
    std::vector<double> values;
    for (std::int64_t col = 0; col < table.n_cols; ++col) {
      for (std::int64_t row = table.n_rows - 1; row >= 0; --row) {
        auto const value = table.cells[row * table.n_cols + col];
        if (std::isnan(value)) continue;
        indices.push_back(row);
        values.push_back(value);
      }
      indptr.push_back(static_cast<std::int32_t>(indices.size()));
    }
    for (auto const threads : {1, 2, 8}) {
      auto const matrix =
          MakeCscMatrix(WithThreads(threads), VectorView(indptr), VectorView(indices), VectorView(values), 257, kNaN);
      ExpectSame(RowsOf(*matrix), table.cells);
    }
  }
}

TEST(CscAdapter, ManyEntriesInAnyOrder) {
  std::int64_t const n_rows = 100003;
  std::int64_t const n_cols = 40;
  std::vector<std::int64_t> indptr{3};
  std::vector<std::int32_t> indices(3, 0);
  std::vector<float> values(3, 99.0F);
  std::vector<float> expected(n_rows * n_cols, kNaN);
  for (std::int64_t col = 0; col < n_cols; ++col) {
    auto const n_present = col == 7 ? 0 : col == 8 ? n_rows : n_rows / 5;
    for (std::int64_t i = 0; i < n_present; ++i) {
      auto const row = i * 31 % n_rows;  // coprime to n_rows
      auto const value = i % 11 == 0 ? -1.0F : static_cast<float>(i * n_cols + col);
      indices.push_back(static_cast<std::int32_t>(row));
      values.push_back(value);
      if (value != -1.0F) expected[row * n_cols + col] = value;
    }
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  for (auto const threads : {1, 2, 3, 8}) {
    auto const matrix =
        MakeCscMatrix(WithThreads(threads), VectorView(indptr), VectorView(indices), VectorView(values), n_rows, -1.0F);
    EXPECT_FALSE(matrix->IsDense());
    ExpectSame(RowsOf(*matrix), expected);
  }
}

TEST(CscAdapter, Refusals) {
  std::vector<std::int32_t> const indptr{0, 1, 3};
  std::vector<float> const values{1, 2, kInf};
  auto const refusal = [&](std::vector<std::int32_t> const& indices, float missing) {
    return MessageOf([&] {
      MakeCscMatrix(WithThreads(1), VectorView(indptr), VectorView(indices), VectorView(values), 4, missing);
    });
  };
  ExpectParts(refusal({0, 4, 1}, kNaN), {"CSC column 1 has the row index 4", "there are 4 rows"});
  ExpectParts(refusal({0, 3, 2}, kNaN), {"row 2, column 1 is inf"});
  EXPECT_EQ(refusal({0, 3, 2}, kInf), "no error");
  ExpectParts(refusal({0, 3}, kNaN), {"2 indices but 3 values"});
  std::vector<std::int32_t> const twice{0, 1, 1};
  std::vector<float> const finite{1, 2, 3};
  auto const matrix = MakeCscMatrix(WithThreads(1), VectorView(indptr), VectorView(twice), VectorView(finite), 4, kNaN);
  EXPECT_EQ(matrix->NumEntries(), 2) << "values of one cell add up";
}

TEST(Slice, DenseAndSparse) {
  for (auto const percent : {20, 90}) {
    RandomTable const table(40, 5, percent, 5);
    auto const matrix = DataMatrix::FromCsr(table.csr, table.n_cols);
    auto* info = matrix->MutableInfo();
    for (int row = 0; row < 40; ++row) {
      info->labels.insert(info->labels.end(), {static_cast<float>(row), static_cast<float>(-row)});
      info->weights.push_back(static_cast<float>(row) + 0.5F);
      info->label_lower_bound.push_back(static_cast<float>(row));
      info->label_upper_bound.push_back(kInf);
      info->base_margin.insert(info->base_margin.end(), {1, static_cast<float>(row), 3});
    }
    info->n_targets = 2;
    info->feature_names = {"a", "b", "c", "d", "e"};
    info->feature_types = {"q", "q", "q", "q", "i"};
    info->feature_weights = {1, 2, 3, 4, 5};
    std::vector<std::int32_t> const rows{39, 0, 7, 7};
    auto const slice = Slice(WithThreads(2), *matrix, rows, false);
    ASSERT_EQ(slice->NumRows(), 4);
    std::vector<float> expected;
    for (auto const row : rows)
      expected.insert(expected.end(), table.cells.begin() + row * 5, table.cells.begin() + row * 5 + 5);
    ExpectSame(RowsOf(*slice), expected);
    ExpectSame(slice->Info().labels, {39, -39, 0, 0, 7, -7, 7, -7});
    EXPECT_EQ(slice->Info().n_targets, 2);
    ExpectSame(slice->Info().weights, {39.5F, 0.5F, 7.5F, 7.5F});
    ExpectSame(slice->Info().base_margin, {1, 39, 3, 1, 0, 3, 1, 7, 3, 1, 7, 3});
    ExpectSame(slice->Info().label_lower_bound, {39, 0, 7, 7});
    ExpectSame(slice->Info().label_upper_bound, {kInf, kInf, kInf, kInf});
    EXPECT_EQ(slice->Info().feature_names, info->feature_names);
    EXPECT_EQ(slice->Info().feature_types, info->feature_types);
    ExpectSame(slice->Info().feature_weights, info->feature_weights);
    EXPECT_EQ(Slice(WithThreads(1), *matrix, {}, false)->NumRows(), 0);
  }
}

TEST(Slice, GroupsAndRefusals) {
  auto const matrix = DataMatrix::FromDense({{0, 1, 2, 3, 4, 5}}, 6, 1);
  std::vector<std::int32_t> const bad{0, 6};
  std::vector<std::int32_t> const negative{-1};
  ExpectParts(MessageOf([&] { Slice(WithThreads(1), *matrix, bad, false); }), {"element 1 asks for row 6", "6 rows"});
  ExpectParts(MessageOf([&] { Slice(WithThreads(1), *matrix, negative, false); }), {"element 0 asks for row -1"});
  matrix->MutableInfo()->group_ptr = {0, 2, 2, 5, 6};
  matrix->MutableInfo()->weights = {10, 20, 30, 40};
  std::vector<std::int32_t> const rows{1, 2, 4, 5};
  ExpectParts(MessageOf([&] { Slice(WithThreads(1), *matrix, rows, false); }), {"query groups", "allow_groups"});
  auto const slice = Slice(WithThreads(1), *matrix, rows, true);
  EXPECT_EQ(slice->Info().group_ptr, (std::vector<std::int64_t>{0, 1, 3, 4}));
  ExpectSame(slice->Info().weights, {10, 30, 40});
}

}  // namespace
}  // namespace kauri
