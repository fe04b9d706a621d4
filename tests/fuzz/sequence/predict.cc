/// Computes predictions and explanations of every kind, of tables and in place.
#include <string>
#include <vector>

#include "sequence/tables.h"
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

int const kTypes[] = {0, 1, 2, 3, 4, 5, 6, 100, 101, 7, 102};

/// The result of a call, read to its end.
struct Result {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;

  void Read() const {
    bst_ulong size = 1;
    for (bst_ulong i = 0; i < dim; ++i) size *= shape[i];
    std::vector<float> const copy(values, values + size);
  }
};

std::string ConfigOf(Bytes* bytes, char const* rest = "") {
  auto const type = bytes->Of(kTypes);
  auto const form = bytes->Next();
  auto const boolean = [](unsigned bit) { return bit % 2 == 0 ? "false" : "true"; };
  return R"({"type": )" + std::to_string(type) + R"(, "training": )" + boolean(form) + R"(, "strict_shape": )" +
         boolean(form / 2) + R"(, "missing": NaN, "iteration_begin": )" + std::to_string(form / 4 % 3) +
         R"(, "iteration_end": )" + std::to_string(form / 12 % 5) + rest + "}";
}

}  // namespace

void Predict(World* world) {
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  auto const config = ConfigOf(&world->Input());
  Result result;
  auto const done = world->Change(booster, [&] {
    return XGBoosterPredictFromDMatrix(booster, data, config.c_str(), &result.shape, &result.dim, &result.values);
  });
  if (done) result.Read();
}

void PredictInPlace(World* world) {
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  DMatrixHandle const known = bytes.Flag() ? world->Data() : nullptr;
  auto const config = ConfigOf(&bytes);
  Cells const cells(&bytes, 0);
  SparseCells const sparse(cells);
  auto const form = bytes.Below(3);
  auto const table = form == 0 ? cells.Dense() : cells.Columns();
  auto const starts = sparse.Starts();
  auto const indices = sparse.Indices();
  auto const values = sparse.Values();
  Result result;
  auto const done = world->Change(booster, [&] {
    auto* const shape = &result.shape;
    auto* const out = &result.values;
    if (form == 0) {
      return XGBoosterPredictFromDense(booster, table.c_str(), config.c_str(), known, shape, &result.dim, out);
    }
    if (form == 1) {
      return XGBoosterPredictFromColumnar(booster, table.c_str(), config.c_str(), known, shape, &result.dim, out);
    }
    return XGBoosterPredictFromCSR(booster, starts.c_str(), indices.c_str(), values.c_str(), cells.cols, config.c_str(),
                                   known, shape, &result.dim, out);
  });
  if (done) result.Read();
}

void Explain(World* world) {
  char const* const kRests[] = {"", R"(, "reduce": "mean_abs")", R"(, "features": [1])", R"(, "features": [9, 0])",
                                R"(, "features": [1, 0], "reduce": "mean_abs")"};
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto* const data = world->Data();
  DMatrixHandle const background = bytes.Flag() ? world->Data() : nullptr;
  auto const* rest = bytes.Of(kRests);
  auto const config = ConfigOf(&bytes, rest);
  auto const top = R"({"iteration_begin": 0, "iteration_end": 0, "top_k": )" + std::to_string(bytes.Below(4)) + "}";
  Result result;
  auto const done = world->Change(booster, [&] {
    return KauriBoosterExplain(booster, data, background, config.c_str(), &result.shape, &result.dim, &result.values);
  });
  if (done) result.Read();
  bst_ulong n = 0;
  std::int64_t const* begin = nullptr;
  std::uint32_t const* first = nullptr;
  std::uint32_t const* second = nullptr;
  world->Change(booster, [&] {
    return KauriBoosterExplainSparse(booster, data, top.c_str(), &n, &begin, &first, &second, &result.values);
  });
  auto const sets = top.substr(0, top.size() - 1) + R"(, "index": "k-SII", "max_order": 3})";
  world->Change(booster, [&] {
    return KauriBoosterExplainInteractions(booster, data, sets.c_str(), &n, &n, &begin, &first, &begin, &second,
                                           &result.values, &result.values);
  });
}

}  // namespace kauri::fuzz
