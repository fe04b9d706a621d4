/// \file Tables through the Arrow C data and stream interfaces, into a matrix or a proxy. The result must be a
/// consistent matrix, or an error, and everything is released once. See arrow/structs.h.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrow/stream.h"
#include "arrow/structs.h"
#include "support/bytes.h"
#include "support/require.h"

namespace {

using namespace kauri::fuzz;  // helpers of this file

constexpr char const* kConfig = R"({"missing": 1, "nthread": 1})";
constexpr bst_ulong kMostRows = 1000;

void RequireRows(DMatrixHandle data) {
  bst_ulong n_rows = 0;
  bst_ulong n_cols = 0;
  bst_ulong n_entries = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0 && XGDMatrixNumCol(data, &n_cols) == 0, "a matrix has a size");
  Require(XGDMatrixNumNonMissing(data, &n_entries) == 0, "a matrix has a size");
  if (n_rows > kMostRows) return;
  Require(n_entries <= n_rows * n_cols, "no more values than cells");
  std::vector<bst_ulong> starts(n_rows + 1);
  std::vector<unsigned> features(n_entries + 1);
  std::vector<float> values(n_entries + 1);
  Require(XGDMatrixGetDataAsCSR(data, "{}", starts.data(), features.data(), values.data()) == 0, "it has rows");
  Require(starts[n_rows] == n_entries, "its rows have all its values");
  for (bst_ulong i = 0; i < n_entries; ++i) {
    Require(features[i] < n_cols && std::isfinite(values[i]), "a value is one of a column");
  }
}

void Train(DMatrixHandle data) {
  bst_ulong n_rows = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0, "a matrix has a size");
  if (n_rows > kMostRows) return;
  std::vector<float> const labels(n_rows, 1.0F);
  Done(XGDMatrixSetFloatInfo(data, "label", labels.data(), labels.size()));
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(&data, 1, &booster) == 0, "a booster can be made");
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0, "a number of threads can be set");
  Done(XGBoosterUpdateOneIter(booster, 0, data));
  bst_ulong length = 0;
  char const* model = nullptr;
  Done(XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", &length, &model));
  XGBoosterFree(booster);
}

void Use(DMatrixHandle data) {
  RequireRows(data);
  Train(data);
  XGDMatrixFree(data);
}

/// Batches through a proxy, each a separate stream or array.
struct Batches {
  DMatrixHandle proxy = nullptr;
  ArrowFactory* factory = nullptr;
  unsigned left = 0;
};

int Next(DataIterHandle handle) {
  auto& batches = *static_cast<Batches*>(handle);
  if (batches.left == 0) return 0;
  --batches.left;
  auto schema = batches.factory->MakeSchema();
  auto batch = batches.factory->MakeBatch();
  Done(KauriProxyDMatrixSetDataArrowArray(batches.proxy, &schema, &batch));
  return 1;
}

void ThroughProxy(Bytes* bytes) {
  ArrowFactory factory(bytes);
  Batches batches{nullptr, &factory, bytes->Below(4)};
  Require(XGProxyDMatrixCreate(&batches.proxy) == 0, "a proxy can be made");
  auto* const reset = +[](DataIterHandle) {};
  DMatrixHandle data = nullptr;
  if (Done(XGDMatrixCreateFromCallback(&batches, batches.proxy, reset, Next, kConfig, &data))) Use(data);
  Require(XGDMatrixFree(batches.proxy) == 0, "a proxy can be freed");
  factory.RequireReleased();
}

void FromArray(Bytes* bytes) {
  ArrowFactory factory(bytes);
  auto schema = factory.MakeSchema();
  auto batch = factory.MakeBatch();
  DMatrixHandle data = nullptr;
  if (Done(KauriDMatrixCreateFromArrowArray(&schema, &batch, kConfig, &data))) Use(data);
  factory.RequireReleased();
}

void FromStream(Bytes* bytes) {
  ArrowSource source(bytes);
  auto stream = source.Stream();
  DMatrixHandle data = nullptr;
  if (Done(KauriDMatrixCreateFromArrowStream(&stream, kConfig, &data))) Use(data);
  source.RequireReleased();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  auto const form = bytes.Below(4);
  if (form == 0) {
    FromArray(&bytes);
  } else if (form == 1) {
    ThroughProxy(&bytes);
  } else {
    FromStream(&bytes);
  }
  return 0;
}
