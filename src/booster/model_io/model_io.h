/// \file Model files: XGBoost's JSON and UBJSON, every dialect since 1.0 read, 3.2 written unless another is chosen.
#pragma once

#include <string>

#include "booster/model_io/dialect.h"
#include "booster/model_io/document.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

enum class ModelFormat { kJson, kUbjson };

/// By extension: .json, or .ubj and .model, which are both UBJSON. \throws Error(kParameter) for any other.
ModelFormat FormatOfPath(std::string const& path);

/// \throws Error(kParameter) for what the chosen dialect cannot say, see RequireSayable.
std::string SerialiseModel(Model const& model, ModelFormat format, ModelDialect const& dialect = {});
/// Text or binary is found out from the bytes. \throws Error(kModel) for anything malformed; never reads out of bounds.
Model ParseModel(Span<char const> bytes);
/// What ParseModel makes a model of.
model_io::Value ParseDocument(Span<char const> bytes);

/// The SHA-256 of the model's file without what no prediction depends on: attributes, categories that were seen, counts
/// of rows.
std::string DigestOfModel(Model model);

/// Written beside the old file and renamed over it: a full disk or a kill never destroys a model. \throws Error(kIo),
/// and as SerialiseModel.
void SaveModel(Model const& model, std::string const& path, ModelDialect const& dialect = {});
Model LoadModel(std::string const& path);

}  // namespace kauri
