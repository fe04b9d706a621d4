/// \file Snapshots of XGBoost, which its package pickles: the UBJSON (before 1.6 JSON) object
/// {"Config": the document of config_document.h, "Model": the document of a model file}.
#pragma once

#include <string>

#include "booster/model_io/dialect.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

struct Snapshot {
  std::string config;  ///< JSON; empty if the bytes were only a model
  Model model;
};

/// \throws Error(kModel) if `config` is not JSON, and as SerialiseModel.
std::string SerialiseSnapshot(std::string const& config, Model const& model, ModelDialect const& dialect);

/// Parses a snapshot or a model. \throws as ParseModel.
Snapshot ParseSnapshot(Span<char const> bytes);

}  // namespace kauri
