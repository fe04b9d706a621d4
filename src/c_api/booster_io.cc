/// Models, snapshots and configurations: files and buffers; attributes.
#include <string>
#include <utility>

#include "booster/export/targets.h"
#include "booster/learner.h"
#include "booster/model_io/forest_json.h"
#include "booster/model_io/model_io.h"
#include "booster/model_io/own_attributes.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/files/atomic_file.h"
#include "common/files/read_file.h"
#include "common/text/log.h"
#include "common/text/quoted.h"

namespace kauri::c_api {
namespace {

ModelFormat FormatOf(JsonConfig const& config) {
  auto const format = config.Text("format");
  if (format == "json") return ModelFormat::kJson;
  if (format == "ubj") return ModelFormat::kUbjson;
  Fail(ErrorKind::kParameter, "Unknown model format: ", Quoted(format), "; expected json or ubj.");
}

ModelDialect DialectOf(JsonConfig const& config, Learner const& learner) {
  return config.IsGiven("dialect") ? ParseDialect(config.Text("dialect")) : learner.Dialect();
}

Span<char const> BytesOf(void const* buffer, bst_ulong length) {
  return {static_cast<char const*>(NotNull(buffer, "buf")), static_cast<std::size_t>(length)};
}

/// Returns a text to the caller. make_text: Learner const& -> std::string.
template <typename MakeText>
int ReturnBoosterText(BoosterHandle handle, bst_ulong* out_len, char const** out, MakeText&& make_text) {
  return Guard([&] {
    BoosterRead const booster(handle);
    NotNull(out_len, "out_len");
    NotNull(out, "out_dptr");
    auto& text = booster->Buffers().text;
    text = make_text(std::as_const(*booster->learner));
    *out_len = text.size();
    *out = text.c_str();
  });
}

void SetAttribute(Learner* learner, std::string const& key, char const* value) {
  if (value == nullptr) {
    learner->Attributes().erase(key);
  } else {
    if (model_io::IsOwnAttribute(key)) {
      Fail(ErrorKind::kParameter, "the attribute '", key, "' of model files is the library's own; take another name.");
    }
    learner->Attributes()[key] = value;
  }
}

/// Warns if the model uses a special missing value, which an estimator of the Python package stores in its model.
void WarnOfMissing(Learner const& learner) {
  constexpr std::size_t kShown = 80;
  auto const found = learner.Attributes().find("kauri_missing");
  if (found == learner.Attributes().end()) return;
  Log(LogLevel::kWarning, "the model was trained with missing=", found->second.substr(0, kShown),
      ", and in the exported program that is a number; give it NaN or NULL for a missing value.");
}

/// Returns the model in the language of a target, as the configuration wants it.
std::string Exported(Learner const& learner, std::string target, JsonConfig const& settings) {
  auto const contributions = settings.IsGiven("contributions") && settings.Boolean("contributions");
  learner.WarnOfLostRounds();
  auto text = ExportModel(*learner.Ready(), {std::move(target), contributions});
  WarnOfMissing(learner);
  return text;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace
using kauri::Learner;

int XGBoosterLoadModel(BoosterHandle handle, char const* fname) {
  return Guard([&] {
    BoosterUse const learner(handle);
    auto const bytes = kauri::ReadFile(kauri::FileToRead{NotNull(fname, "fname"), "model"});
    try {
      learner->LoadModel({bytes.data(), bytes.size()});
    } catch (kauri::Error const& error) {
      kauri::Fail(error.Kind(), kauri::Quoted(fname), ": ", error.what());
    }
  });
}

int XGBoosterSaveModel(BoosterHandle handle, char const* fname) {
  return Guard([&] {
    BoosterRead const booster(handle);
    booster->learner->WarnOfLostRounds();
    kauri::SaveModel(booster->learner->GetModel(), NotNull(fname, "fname"), booster->learner->Dialect());
  });
}

int KauriBoosterSaveModel(BoosterHandle handle, char const* fname, char const* config) {
  return Guard([&] {
    BoosterRead const booster(handle);
    auto const dialect = DialectOf(JsonConfig(config, "KauriBoosterSaveModel"), *booster->learner);
    booster->learner->WarnOfLostRounds();
    kauri::SaveModel(booster->learner->GetModel(), NotNull(fname, "fname"), dialect);
  });
}

int XGBoosterLoadModelFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len) {
  return Guard([&] { BoosterUse(handle)->LoadModel(BytesOf(buf, len)); });
}

int KauriBoosterLoadForest(BoosterHandle handle, char const* config) {
  return Guard([&] { BoosterUse(handle)->LoadModel(kauri::model_io::ModelOfForest(NotNull(config, "config"))); });
}

int XGBoosterSaveModelToBuffer(BoosterHandle handle, char const* config, bst_ulong* out_len, char const** out_dptr) {
  return ReturnBoosterText(handle, out_len, out_dptr, [&](Learner const& learner) {
    JsonConfig const settings(config, "XGBoosterSaveModelToBuffer");
    return kauri::SerialiseModel(learner.GetModel(), FormatOf(settings), DialectOf(settings, learner));
  });
}

int KauriBoosterExport(BoosterHandle handle, char const* fname, char const* config) {
  return Guard([&] {
    BoosterRead const booster(handle);
    std::string const path = NotNull(fname, "fname");
    JsonConfig const settings(config, "KauriBoosterExport");
    auto const target = settings.IsGiven("target") ? settings.Text("target") : kauri::ExportTargetOf(path);
    auto const text = Exported(*booster->learner, target, settings);
    kauri::WriteFileAtomically(path, kauri::Span<char const>(text.data(), text.size()));
  });
}

int KauriBoosterExportToBuffer(BoosterHandle handle, char const* config, bst_ulong* out_len, char const** out_dptr) {
  return ReturnBoosterText(handle, out_len, out_dptr, [&](Learner const& learner) {
    JsonConfig const settings(config, "KauriBoosterExportToBuffer");
    return Exported(learner, settings.Text("target"), settings);
  });
}

int XGBoosterSerializeToBuffer(BoosterHandle handle, bst_ulong* out_len, char const** out_dptr) {
  return ReturnBoosterText(handle, out_len, out_dptr, [](Learner const& learner) { return learner.SaveSnapshot(); });
}

int XGBoosterUnserializeFromBuffer(BoosterHandle handle, void const* buf, bst_ulong len) {
  return Guard([&] { BoosterUse(handle)->LoadSnapshot(BytesOf(buf, len)); });
}

int XGBoosterSaveJsonConfig(BoosterHandle handle, bst_ulong* out_len, char const** out_str) {
  return ReturnBoosterText(handle, out_len, out_str, [](Learner const& learner) { return learner.SaveConfig(); });
}

int XGBoosterLoadJsonConfig(BoosterHandle handle, char const* config) {
  return Guard([&] { BoosterUse(handle)->LoadConfig(NotNull(config, "config")); });
}

int XGBoosterGetAttr(BoosterHandle handle, char const* key, char const** out, int* success) {
  return Guard([&] {
    BoosterRead const booster(handle);
    NotNull(out, "out");
    NotNull(success, "success");
    auto const& attributes = std::as_const(*booster->learner).Attributes();
    auto const found = attributes.find(NotNull(key, "key"));
    auto& text = booster->Buffers().text;
    if (found != attributes.end()) text = found->second;
    *success = found != attributes.end() ? 1 : 0;
    *out = found != attributes.end() ? text.c_str() : nullptr;
  });
}

int XGBoosterSetAttr(BoosterHandle handle, char const* key, char const* value) {
  return Guard([&] { SetAttribute(BoosterUse(handle).operator->(), NotNull(key, "key"), value); });
}

int XGBoosterGetAttrNames(BoosterHandle handle, bst_ulong* out_len, char const*** out) {
  return Guard([&] {
    BoosterRead const booster(handle);
    std::vector<std::string> names;
    for (auto const& [name, value] : std::as_const(*booster->learner).Attributes()) names.push_back(name);
    booster->Buffers().ReturnStrings(std::move(names), NotNull(out_len, "out_len"), NotNull(out, "out"));
  });
}

int XGBoosterSetStrFeatureInfo(BoosterHandle handle, char const* field, char const** features, bst_ulong size) {
  return Guard(
      [&] { BoosterUse(handle)->SetFeatureInfo(NotNull(field, "field"), StringsOf(features, size, "features")); });
}

int KauriBoosterCheckColumns(BoosterHandle handle, DMatrixHandle dmat) {
  return Guard([&] { BoosterRead(handle)->learner->CheckColumns(*DataRead(dmat)->data); });
}

int XGBoosterGetStrFeatureInfo(BoosterHandle handle, char const* field, bst_ulong* len, char const*** out_features) {
  return Guard([&] {
    BoosterRead const booster(handle);
    auto strings = booster->learner->FeatureInfo(NotNull(field, "field"));
    booster->Buffers().ReturnStrings(std::move(strings), NotNull(len, "len"), NotNull(out_features, "out_features"));
  });
}
