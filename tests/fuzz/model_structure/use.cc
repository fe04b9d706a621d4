#include "model_structure/use.h"

#include <memory>
#include <vector>

#include "model_structure/models.h"
#include "support/require.h"

namespace kauri::fuzz {
namespace {

constexpr bst_ulong kMostFeatures = 40;
constexpr bst_ulong kMostCells = 1 << 20;

struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};
struct FreeData {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
using Booster = std::unique_ptr<void, FreeBooster>;
using Data = std::unique_ptr<void, FreeData>;

Booster MakeBooster() {
  BoosterHandle handle = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &handle) == 0, "a booster can be made");
  Require(XGBoosterSetParam(handle, "nthread", "1") == 0, "a number of threads can be set");
  return Booster(handle);
}

/// A prediction, read to its end.
struct Predicted {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;

  bool Ask(BoosterHandle booster, DMatrixHandle data, int type) {
    auto const config = R"({"type": )" + std::to_string(type) +
                        R"(, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";
    if (!Done(XGBoosterPredictFromDMatrix(booster, data, config.c_str(), &shape, &dim, &values))) return false;
    bst_ulong size = 1;
    for (bst_ulong i = 0; i < dim; ++i) size *= shape[i];
    std::vector<float> const copy(values, values + size);
    return true;
  }
};

void Explain(BoosterHandle booster, DMatrixHandle data, bst_ulong n_features) {
  Predicted predicted;
  if (!predicted.Ask(booster, data, 1)) return;
  auto const n_outputs = predicted.dim > 1 ? predicted.shape[1] : 1;
  if (predicted.shape[0] * n_outputs * (n_features + 1) * (n_features + 1) > kMostCells) return;
  for (char const* method : {"quadrature", "treeshap"}) {
    Require(XGBoosterSetParam(booster, "shap_method", method) == 0, "a method can be set");
    for (int const type : {0, 2, 3, 4, 5, 6, 100, 101, 102}) predicted.Ask(booster, data, type);
  }
}

void Inspect(BoosterHandle booster) {
  bst_ulong n = 0;
  bst_ulong dim = 0;
  bst_ulong const* shape = nullptr;
  float const* scores = nullptr;
  char const** texts = nullptr;
  for (char const* format : {"text", "json", "dot"}) Done(XGBoosterDumpModelEx(booster, "", 1, format, &n, &texts));
  Done(XGBoosterFeatureScore(booster, R"({"importance_type": "gain"})", &n, &texts, &dim, &shape, &scores));
}

std::string Saved(BoosterHandle booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  if (!Done(XGBoosterSaveModelToBuffer(booster, R"({"format": "ubj"})", &length, &bytes))) return {};
  return {bytes, length};
}

void SaveAndLoad(BoosterHandle booster) {
  auto const bytes = Saved(booster);
  if (bytes.empty()) return;
  auto const again = MakeBooster();
  Require(Done(XGBoosterLoadModelFromBuffer(again.get(), bytes.data(), bytes.size())), "what was saved can be loaded");
  Require(Saved(again.get()) == bytes, "what was loaded is saved as before");
}

void Slice(BoosterHandle booster, DMatrixHandle data) {
  BoosterHandle handle = nullptr;
  if (!Done(XGBoosterSlice(booster, 0, 1, 1, &handle))) return;
  Booster const part(handle);
  Predicted().Ask(part.get(), data, 1);
}

/// Trains a further round; a round that fails leaves the model unchanged.
void Continue(BoosterHandle booster, DMatrixHandle data) {
  // Documents may request 65,536 trees a round, which is much work and not an error.
  Require(XGBoosterSetParam(booster, "num_parallel_tree", "2") == 0, "trees of a round can be set");
  auto const before = Saved(booster);
  if (!Done(XGBoosterUpdateOneIter(booster, 2, data))) {
    Require(Saved(booster) == before, "a round that fails leaves the model as it was");
    return;
  }
  Predicted().Ask(booster, data, 1);
  SaveAndLoad(booster);
}

}  // namespace

void UseModel(std::string const& text, bool with_categories) {
  auto const booster = MakeBooster();
  if (!Done(XGBoosterLoadModelFromBuffer(booster.get(), text.data(), text.size()))) return;
  SaveAndLoad(booster.get());
  Inspect(booster.get());
  bst_ulong n_features = 0;
  if (!Done(XGBoosterGetNumFeature(booster.get(), &n_features)) || n_features == 0 || n_features > kMostFeatures)
    return;
  Data const data(MakeRows(n_features, with_categories));
  Explain(booster.get(), data.get(), n_features);
  Slice(booster.get(), data.get());
  Continue(booster.get(), data.get());
}

}  // namespace kauri::fuzz
