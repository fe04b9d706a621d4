/// \file Model files: XGBoost's JSON and UBJSON. Every dialect since 1.0 is read; 3.2 is written unless another is
/// chosen. LightGBM's text models (lightgbm_text.h), CatBoost's JSON models (catboost_json.h) and forests as arrays
/// (forest_json.h) are read, too, and are written in the same formats as any model.
///
/// Snapshots of XGBoost, which its package pickles: the UBJSON (before 1.6 JSON) object
/// {"Config": the document of config_document.h, "Model": the document of a model file}.
#pragma once

#include <string>

#include "booster/model_io/dialect.h"
#include "booster/model_io/document.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

enum class ModelFormat { kJson, kUbjson };

/// Returns the format by the extension: .json, or .ubj and .model, which are both UBJSON. \throws Error(kParameter) for
/// any other.
ModelFormat FormatOfPath(std::string const& path);

/// \throws Error(kParameter) if the chosen dialect cannot store the model, see RequireSayable.
std::string SerialiseModel(Model const& model, ModelFormat format, ModelDialect const& dialect = {});
/// Parses a model. The first bytes decide between JSON, UBJSON, LightGBM's text, CatBoost's JSON and forests. Never
/// reads out of bounds. \throws Error(kModel) for malformed bytes.
Model ParseModel(Span<char const> bytes);
/// Returns the parsed document from which ParseModel makes a model.
model_io::Value ParseDocument(Span<char const> bytes);

/// Returns the SHA-256 of the model's UBJSON file without the parts that no prediction depends on: attributes, seen
/// categories and row counts.
std::string DigestOfModel(Model model);

/// Writes the model beside the old file and renames it over that, so a full disk or a kill never destroys a model.
/// \throws Error(kIo), and as SerialiseModel.
void SaveModel(Model const& model, std::string const& path, ModelDialect const& dialect = {});
Model LoadModel(std::string const& path);

struct Snapshot {
  std::string config;  ///< JSON; empty if the bytes were only a model
  Model model;
};

/// \throws Error(kModel) if `config` is not JSON, and as SerialiseModel.
std::string SerialiseSnapshot(std::string const& config, Model const& model, ModelDialect const& dialect);

/// Parses a snapshot or a model. \throws as ParseModel.
Snapshot ParseSnapshot(Span<char const> bytes);

}  // namespace kauri
