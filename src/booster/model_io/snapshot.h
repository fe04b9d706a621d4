/// \file Snapshots of XGBoost, which its package pickles: the UBJSON (before 1.6 JSON) object
/// {"Config": the document of config_document.h, "Model": that of a model file}.
#pragma once

#include <string>

#include "booster/model_io/dialect.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

struct Snapshot {
  std::string config;  ///< JSON; empty: the bytes were a model alone
  Model model;
};

/// \throws Error(kParameter) where `config` is no JSON, and as SerialiseModel.
std::string SerialiseSnapshot(std::string const& config, Model const& model, ModelDialect const& dialect);

/// Of a snapshot or of a model. \throws as ParseModel.
Snapshot ParseSnapshot(Span<char const> bytes);

}  // namespace kauri
