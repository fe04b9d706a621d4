/// Makes, slices and frees tables of every kind.
#include <limits>
#include <vector>

#include "sequence/files.h"
#include "sequence/tables.h"
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

constexpr char const* kMissing = R"({"missing": NaN, "nthread": 1})";

void LabelByHalves(DMatrixHandle data, std::size_t n_rows) {
  std::vector<float> labels(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) labels[row] = static_cast<float>(row % 2);
  Done(XGDMatrixSetFloatInfo(data, "label", labels.data(), labels.size()));
}

}  // namespace

DMatrixHandle PlainData() {
  constexpr std::size_t kRows = 12;
  constexpr std::size_t kCols = 3;
  std::vector<float> values(kRows * kCols);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 11);
  DMatrixHandle data = nullptr;
  auto const missing = std::numeric_limits<float>::quiet_NaN();
  Require(XGDMatrixCreateFromMat_omp(values.data(), kRows, kCols, missing, &data, 1) == 0, "plain data can be made");
  LabelByHalves(data, kRows);
  return data;
}

DMatrixHandle MakeData(World* world) {
  auto& bytes = world->Input();
  auto const kind = bytes.Next();
  Cells const cells(&bytes, 0);
  SparseCells const sparse(cells);
  auto const dense_text = cells.Dense();
  auto const columns = cells.Columns();
  auto const starts = sparse.Starts();
  auto const indices = sparse.Indices();
  auto const values = sparse.Values();
  DMatrixHandle data = nullptr;
  auto const made = world->Call([&] {
    if (kind % 4 < 2) return XGDMatrixCreateFromDense(dense_text.c_str(), kMissing, &data);
    if (kind % 4 == 2) return XGDMatrixCreateFromColumnar(columns.c_str(), kMissing, &data);
    return XGDMatrixCreateFromCSR(starts.c_str(), indices.c_str(), values.c_str(), cells.cols + kind / 4 % 2, kMissing,
                                  &data);
  });
  if (!made) return nullptr;
  if (kind < 128) LabelByHalves(data, cells.rows);
  return data;
}

void CreateData(World* world) {
  if (auto* const data = MakeData(world)) world->Keep(data);
}

void SliceData(World* world) {
  auto& bytes = world->Input();
  auto* const data = world->Data();
  std::vector<int> rows;
  for (auto n = bytes.Below(6); n > 0; --n) rows.push_back(static_cast<int>(bytes.Below(44)) - 1);
  auto const with_groups = bytes.Flag() ? 1 : 0;
  DMatrixHandle part = nullptr;
  if (world->Call([&] { return XGDMatrixSliceDMatrixEx(data, rows.data(), rows.size(), &part, with_groups); })) {
    world->Keep(part);
  }
}

void FreeData(World* world) { world->Keep(nullptr); }

void SaveBinary(World* world) {
  auto* const data = world->Data();
  auto const path = TemporaryFile("matrix.bin");
  if (!world->Call([&] { return XGDMatrixSaveBinary(data, path.c_str(), 1); })) return;
  auto const config = R"({"uri": ")" + path + R"("})";
  DMatrixHandle again = nullptr;
  if (world->Call([&] { return XGDMatrixCreateFromURI(config.c_str(), &again); })) world->Keep(again);
}

}  // namespace kauri::fuzz
