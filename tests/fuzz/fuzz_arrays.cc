/// \file Arrays of any shape, strides, type and content, as every kind of table, with labels and names of categories.
/// The result must be a consistent matrix, or an error. The memory of an array has exactly the length of its
/// description, so that the sanitizer sees every read beyond it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kauri/c_api.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

bool Done(int status) {
  Require(status == 0 || KauriGetLastErrorKind() != KAURI_ERROR_INTERNAL);
  return status == 0;
}

/// The input, read byte by byte; zeros at its end.
class Bytes {
 public:
  Bytes(std::uint8_t const* data, std::size_t size) : next_(data), end_(data + size) {}
  unsigned Next() { return next_ == end_ ? 0 : *next_++; }
  unsigned Below(unsigned limit) { return Next() % limit; }

 private:
  std::uint8_t const* next_;
  std::uint8_t const* end_;
};

/// Arrays and the memory that they describe.
class Arrays {
 public:
  explicit Arrays(Bytes* bytes) : bytes_(*bytes) {}

  /// Returns JSON of an array of one or two dimensions.
  std::string Make() {
    struct Type {
      char const* name;
      std::size_t size;
    };
    static constexpr Type kTypes[] = {{"<f4", 4}, {"<i4", 4}, {"<f8", 8}, {"<i8", 8}, {"|u1", 1}, {"<u4", 4},
                                      {"|i1", 1}, {"<u8", 8}, {"<f2", 2}, {"|b1", 1}, {"<i2", 2}, {"<u2", 2}};
    auto const type = kTypes[bytes_.Below(sizeof(kTypes) / sizeof(kTypes[0]))];
    auto const form = bytes_.Next();
    std::size_t const shape[] = {form % 8, (form & 64U) != 0 ? bytes_.Below(4) : 1};
    auto const one_dimension = (form & 64U) == 0;
    auto const step = type.size * (1 + (form >> 3U) % 2);
    std::size_t const strides[] = {step * shape[1], step};
    auto const n_bytes = shape[0] * shape[1] == 0 ? 0 : (shape[0] * shape[1] - 1) * step + type.size;
    auto const reversed = one_dimension && (form & 32U) != 0 && n_bytes > 0;
    auto const first = Memory(n_bytes, type.size) + (reversed ? n_bytes - type.size : 0);
    auto const sign = reversed ? "-" : "";
    auto const second = [&](std::size_t value) { return one_dimension ? "" : ", " + std::to_string(value); };
    return R"({"data": [)" + std::to_string(first) + R"(, true], "typestr": ")" + type.name +
           R"(", "version": 3, "shape": [)" + std::to_string(shape[0]) + second(shape[1]) + R"(], "strides": [)" +
           sign + std::to_string(strides[0]) + second(strides[1]) + "]" + Mask(shape[0], form >= 128) + "}";
  }

  /// Returns JSON of a table's columns; a column may be a categorical one.
  std::string MakeColumns() {
    std::string columns;
    for (auto n = bytes_.Below(4); n > 0; --n) {
      auto const form = bytes_.Below(4);
      auto const names = form == 1 ? R"({"offsets": )" + Make() + R"(, "values": )" + Make() + "}" : Make();
      columns += (columns.empty() ? "" : ", ") + (form < 2 ? "[" + names + ", " + Make() + "]" : names);
    }
    return "[" + columns + "]";
  }

 private:
  /// Fills memory with small integers, often, or any bytes. \return the address, 0 for no bytes.
  std::uintptr_t Memory(std::size_t n_bytes, std::size_t item) {
    if (n_bytes == 0) return 0;
    memory_.push_back(std::make_unique<std::uint8_t[]>(n_bytes));
    auto* to = memory_.back().get();
    auto const small = bytes_.Below(4) != 0;
    for (std::size_t i = 0; i < n_bytes; ++i) {
      to[i] = static_cast<std::uint8_t>(small ? (i % item == 0 ? bytes_.Below(8) : 0) : bytes_.Next());
    }
    return reinterpret_cast<std::uintptr_t>(to);
  }

  std::string Mask(std::size_t n_rows, bool wanted) {
    if (!wanted) return "";
    return R"(, "mask": {"data": [)" + std::to_string(Memory((n_rows + 7) / 8, 1)) +
           R"(, true], "typestr": "<t1", "version": 3, "shape": [)" + std::to_string(n_rows) + "]}";
  }

  Bytes& bytes_;
  std::vector<std::unique_ptr<std::uint8_t[]>> memory_;
};

bool Create(Bytes* bytes, Arrays* arrays, DMatrixHandle* out) {
  auto const* config = bytes->Below(2) == 0 ? R"({"missing": NaN, "nthread": 1})" : R"({"missing": 1, "nthread": 1})";
  auto const form = bytes->Below(4);
  if (form == 0) return Done(XGDMatrixCreateFromDense(arrays->Make().c_str(), config, out));
  if (form == 1) return Done(XGDMatrixCreateFromColumnar(arrays->MakeColumns().c_str(), config, out));
  auto const ptr = arrays->Make();
  auto const indices = arrays->Make();
  auto const values = arrays->Make();
  auto const create = form == 2 ? XGDMatrixCreateFromCSR : XGDMatrixCreateFromCSC;
  return Done(create(ptr.c_str(), indices.c_str(), values.c_str(), bytes->Below(9), config, out));
}

void SetStrings(Bytes* bytes, DMatrixHandle data) {
  char const* const kTexts[] = {"q", "c", "float", "i", "", "int", "<", "c "};
  std::vector<char const*> texts;
  for (auto n = bytes->Below(5); n > 0; --n) texts.push_back(kTexts[bytes->Below(8)]);
  auto const* field = bytes->Below(2) == 0 ? "feature_type" : "feature_name";
  Done(XGDMatrixSetStrFeatureInfo(data, field, texts.data(), texts.size()));
}

void Describe(Bytes* bytes, Arrays* arrays, DMatrixHandle data) {
  char const* const kFields[] = {
      "label", "weight", "base_margin", "group", "qid", "label_lower_bound", "label_upper_bound", "feature_weights"};
  for (auto n = bytes->Below(4); n > 0; --n) {
    Done(XGDMatrixSetInfoFromInterface(data, kFields[bytes->Below(8)], arrays->Make().c_str()));
  }
  SetStrings(bytes, data);
  int const rows[] = {static_cast<int>(bytes->Below(5)) - 1, 0};
  DMatrixHandle slice = nullptr;
  if (Done(XGDMatrixSliceDMatrixEx(data, rows, 2, &slice, 1))) XGDMatrixFree(slice);
}

void RequireRows(DMatrixHandle data) {
  bst_ulong n_rows = 0;
  bst_ulong n_cols = 0;
  bst_ulong n_entries = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0 && XGDMatrixNumCol(data, &n_cols) == 0);
  Require(XGDMatrixNumNonMissing(data, &n_entries) == 0 && n_entries <= n_rows * n_cols);
  std::vector<bst_ulong> row_ptr(n_rows + 1);
  std::vector<unsigned> features(n_entries + 1);
  std::vector<float> values(n_entries + 1);
  Require(XGDMatrixGetDataAsCSR(data, "{}", row_ptr.data(), features.data(), values.data()) == 0);
  Require(row_ptr[n_rows] == n_entries);
  for (bst_ulong i = 0; i < n_entries; ++i) Require(features[i] < n_cols && std::isfinite(values[i]));
}

/// Trains a round and predicts in place.
void Train(Bytes* bytes, Arrays* arrays, DMatrixHandle data) {
  char const* const kMethods[] = {"hist", "exact", "approx"};
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0);
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0);
  Require(XGBoosterSetParam(booster, "tree_method", kMethods[bytes->Below(3)]) == 0);
  if (Done(XGBoosterUpdateOneIter(booster, 0, data))) {
    auto const* config =
        R"({"type": 0, "missing": NaN, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* out = nullptr;
    Done(XGBoosterPredictFromColumnar(booster, arrays->MakeColumns().c_str(), config, nullptr, &shape, &dim, &out));
    Done(XGBoosterPredictFromDense(booster, arrays->Make().c_str(), config, nullptr, &shape, &dim, &out));
  }
  XGBoosterFree(booster);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  Arrays arrays(&bytes);
  DMatrixHandle matrix = nullptr;
  if (!Create(&bytes, &arrays, &matrix)) return 0;
  RequireRows(matrix);
  Describe(&bytes, &arrays, matrix);
  Train(&bytes, &arrays, matrix);
  XGDMatrixFree(matrix);
  return 0;
}
