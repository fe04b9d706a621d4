/// Dumps of the trees, importance of the features, counts of rows, and receipts.
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/model_io/dump.h"
#include "booster/receipt/receipt.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"

namespace kauri::c_api {
namespace {

/// Requires values for all features, or none. A booster accepts any number of them, since names may be set before its
/// features are known. \throws Error(kParameter) for another number.
void RequireForAll(Model const& model, char const* what, std::vector<std::string> const& values) {
  if (values.empty() || static_cast<std::int64_t>(values.size()) == model.n_features) return;
  Fail(ErrorKind::kParameter, "Incorrect number of feature ", what, ": ", values.size(), " for a booster of ",
       model.n_features, " features; set one for each.");
}

/// Returns the feature map of a file; an empty path means the booster's own names.
FeatureMap MapOf(Model const& model, std::string const& path) {
  RequireForAll(model, "names", model.feature_names);
  RequireForAll(model, "types", model.feature_types);
  return path.empty() ? FeatureMap{model.feature_names, model.feature_types} : ReadFeatureMap(path);
}

struct DumpOut {
  bst_ulong* length;
  char const*** trees;
};

/// Dumps the trees. make_map: Model const& -> FeatureMap.
template <typename MakeMap>
int Dump(BoosterHandle handle, int with_stats, char const* format, DumpOut const& out, MakeMap&& make_map) {
  return Guard([&] {
    BoosterRead const booster(handle);
    NotNull(out.length, "out_len");
    NotNull(out.trees, "out_dump_array");
    NotNull(format, "format");
    auto const& model = booster->learner->GetModel();
    auto trees = DumpModel(model, make_map(model), with_stats != 0, format);
    booster->Buffers().ReturnStrings(std::move(trees), out.length, out.trees);
  });
}

FeatureMap GivenMap(int count, char const* const* names, char const* const* types) {
  if (count < 0) Fail(ErrorKind::kParameter, "argument 'fnum' is ", count, "; expected at least 0.");
  auto const length = static_cast<bst_ulong>(count);
  return {StringsOf(names, length, "fname"), StringsOf(types, length, "ftype")};
}

/// Returns the names in the configuration, or the booster's own: one for every feature, or none.
std::vector<std::string> FeatureNamesOf(Model const& model, JsonConfig const& config) {
  auto names = model.feature_names;
  if (config.Has("feature_names") && !config.Document()["feature_names"].is_null()) {
    names.clear();
    for (auto const& name : config.Document()["feature_names"]) {
      if (!name.is_string())
        Fail(ErrorKind::kParameter, "feature_names must be a list of strings, got ", name.dump(), ".");
      names.push_back(name.get<std::string>());
    }
  } else if (config.Has("feature_map") && !config.Text("feature_map").empty()) {
    names = ReadFeatureMap(config.Text("feature_map")).names;
  }
  RequireForAll(model, "names", names);
  return names;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::Model;

int XGBoosterDumpModel(BoosterHandle handle, char const* fmap, int with_stats, bst_ulong* out_len,
                       char const*** out_dump_array) {
  return XGBoosterDumpModelEx(handle, fmap, with_stats, "text", out_len, out_dump_array);
}

int XGBoosterDumpModelEx(BoosterHandle handle, char const* fmap, int with_stats, char const* format, bst_ulong* out_len,
                         char const*** out_dump_array) {
  return Dump(handle, with_stats, format, {out_len, out_dump_array},
              [&](Model const& model) { return MapOf(model, NotNull(fmap, "fmap")); });
}

int XGBoosterDumpModelWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                   int with_stats, bst_ulong* out_len, char const*** out_models) {
  return XGBoosterDumpModelExWithFeatures(handle, fnum, fname, ftype, with_stats, "text", out_len, out_models);
}

int XGBoosterDumpModelExWithFeatures(BoosterHandle handle, int fnum, char const** fname, char const** ftype,
                                     int with_stats, char const* format, bst_ulong* out_len, char const*** out_models) {
  return Dump(handle, with_stats, format, {out_len, out_models},
              [&](Model const&) { return GivenMap(fnum, fname, ftype); });
}

int XGBoosterFeatureScore(BoosterHandle handle, char const* config, bst_ulong* out_n_features,
                          char const*** out_features, bst_ulong* out_dim, bst_ulong const** out_shape,
                          float const** out_scores) {
  return Guard([&] {
    BoosterRead const booster(handle);
    JsonConfig const settings(config, "XGBoosterFeatureScore");
    auto const& model = booster->learner->GetModel();
    auto const all_names = FeatureNamesOf(model, settings);
    kauri::ColumnNames const columns(model, all_names);
    std::vector<std::string> names;
    auto& buffers = booster->Buffers();
    buffers.floats.clear();
    auto const type = settings.Text("importance_type");
    if (model.IsLinear()) {
      for (std::int64_t i = 0; i < model.n_features; ++i) names.push_back(columns.Of(i));
      auto const scores = kauri::LinearScore(model, type);
      buffers.floats.assign(scores.begin(), scores.end());
    } else {
      for (auto const& [column, score] : kauri::FeatureScore(model, type)) {
        names.push_back(columns.Of(column));
        buffers.floats.push_back(static_cast<float>(score));
      }
    }
    buffers.shape = {names.size()};
    if (model.IsLinear() && model.NumOutputs() > 1) buffers.shape.push_back(static_cast<bst_ulong>(model.NumOutputs()));
    *NotNull(out_dim, "out_dim") = buffers.shape.size();
    *NotNull(out_shape, "out_shape") = buffers.shape.data();
    *NotNull(out_scores, "out_scores") = buffers.floats.data();
    buffers.ReturnStrings(std::move(names), NotNull(out_n_features, "out_n_features"),
                          NotNull(out_features, "out_features"));
  });
}

// Counts the rows of each node.

int KauriBoosterCountRows(BoosterHandle handle, DMatrixHandle dmat) {
  return Guard([&] { BoosterUse(handle)->CountRows(*DataRead(dmat)->data); });
}

// Receipts.

int KauriBoosterAddReceipt(BoosterHandle handle, DMatrixHandle dmat) {
  return Guard([&] {
    BoosterUse const learner(handle);
    auto const& booster = *learner.Handle().learner;
    auto receipt = kauri::MakeReceipt(booster, booster.GetModel(), DataRead(dmat)->data);
    learner->Attributes()[kauri::kReceiptAttribute] = std::move(receipt);
  });
}

int KauriBoosterVerify(BoosterHandle handle, DMatrixHandle dmat, bst_ulong* out_len, char const*** out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    NotNull(out_len, "out_len");
    NotNull(out, "out");
    auto differences = kauri::DifferencesFromReceipt(*booster->learner, DataRead(dmat)->data);
    booster->Buffers().ReturnStrings(std::move(differences), out_len, out);
  });
}
