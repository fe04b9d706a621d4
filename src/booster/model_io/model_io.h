/// \file Model files: XGBoost's JSON and UBJSON, every dialect since 1.0 read, 3.x written.
#pragma once

#include <string>

#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

enum class ModelFormat { kJson, kUbjson };

/// By extension: .json or .ubj. \throws Error(kParameter) for any other.
ModelFormat FormatOfPath(std::string const& path);

std::string SerialiseModel(Model const& model, ModelFormat format);
/// Text or binary is found out from the bytes. \throws Error(kModel) for anything malformed; never reads out of bounds.
Model ParseModel(Span<char const> bytes);

/// Written beside the old file and renamed over it: a full disk or a kill never destroys a model. \throws Error(kIo).
void SaveModel(Model const& model, std::string const& path);
Model LoadModel(std::string const& path);

}  // namespace kauri
