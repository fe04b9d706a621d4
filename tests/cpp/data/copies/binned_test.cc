/// Matrices that share the bins of others.
#include <gtest/gtest.h>

#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/copies/slice.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MatrixSpec;

std::unique_ptr<DataMatrix> MakeSome(bool sparse = false) {
  MatrixSpec spec;
  spec.n_rows = 300;
  spec.n_cols = 4;
  spec.missing = 0.2;
  spec.sparse = sparse;
  auto matrix = MakeMatrix(spec);
  auto* info = matrix->MutableInfo();
  info->labels.assign(300, 1.0F);
  info->feature_names = {"a", "b", "c", "d"};
  return matrix;
}

std::vector<float> RowsOf(DataMatrix const& data) {
  std::vector<float> tile(data.NumRows() * data.NumCols());
  data.View()->CopyRows(0, data.NumRows(), data.NumCols(), tile.data());
  return tile;
}

TEST(WithBins, KeepsWhatIsKnown) {
  for (bool const sparse : {false, true}) {
    auto const matrix = MakeSome(sparse);
    auto const binned = WithBins(Context{}, *matrix, 16);
    EXPECT_EQ(binned->NumRows(), 300);
    EXPECT_EQ(binned->NumCols(), 4);
    EXPECT_EQ(binned->NumEntries(), matrix->NumEntries());
    EXPECT_EQ(binned->Info().labels, matrix->Info().labels);
    EXPECT_EQ(binned->Info().feature_names, matrix->Info().feature_names);
    EXPECT_EQ(BinsOf(*binned)->MaxBin(), 16);
  }
}

TEST(WithBins, CutsAreThoseOfTraining) {
  auto const matrix = MakeSome();
  auto const weights = std::vector<float>(300, 2.0F);
  auto* info = matrix->MutableInfo();
  info->weights = weights;
  info->weights[7] = 100.0F;
  auto const binned = WithBins(Context{}, *matrix, 16);
  auto const expected = MakeQuantileCuts(Context{}, *matrix, 16, {nullptr, matrix->Info().weights});
  EXPECT_EQ(BinsOf(*binned)->Layout().Cuts().values, expected.values);
  EXPECT_EQ(LatestBins(*matrix), BinsOf(*binned)->InMemory());  // made once for both
}

TEST(WithBins, SlicesShareTheCuts) {
  auto const binned = WithBins(Context{}, *MakeSome(), 16);
  std::vector<std::int32_t> const rows = {3, 4, 5, 200};
  auto const slice = Slice(Context{}, *binned, rows, false);
  EXPECT_EQ(BinsOf(*slice)->Layout().Cuts().values, BinsOf(*binned)->Layout().Cuts().values);
  auto const all = RowsOf(*binned);
  auto const some = RowsOf(*slice);
  for (std::size_t cell = 0; cell < some.size(); ++cell) {
    auto const expected = all[static_cast<std::size_t>(rows[cell / 4]) * 4 + cell % 4];
    EXPECT_TRUE(some[cell] == expected || (std::isnan(some[cell]) && std::isnan(expected))) << cell;
  }
}

TEST(WithBins, BinsAreShared) {
  auto const binned = WithBins(Context{}, *MakeSome(), 16);
  EXPECT_EQ(BinsOf(*WithBins(Context{}, *binned, 16)), BinsOf(*binned));
  ExpectParts(MessageOf(ErrorKind::kParameter, [&] { WithBins(Context{}, *binned, 32); }),
              {"max_bin=32", "max_bin=16"});
}

}  // namespace
}  // namespace kauri
