/// \file Linear models (gblinear) in files and dumps.
#pragma once

#include <string>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Reads `booster`, the member gradient_booster. The numbers of features and outputs of `model` must be set.
void ReadLinearPart(ObjectReader const& booster, Model* model);

/// Returns the weights that a file stores; zeros before the first round.
std::vector<float> LinearWeights(Model const& model);

template <typename Writer>
void WriteLinearPart(Model const& model, Writer* writer) {
  writer->BeginObject();
  writer->Key("model");
  writer->BeginObject();
  writer->Key("boosted_rounds");
  writer->Integer(model.linear.n_rounds);
  writer->Key("weights");
  auto const weights = LinearWeights(model);
  writer->Numbers(Span<float const>(weights));
  writer->EndObject();
  writer->Key("name");
  writer->String("gblinear");
  writer->EndObject();
}

/// Returns the model as one text in XGBoost's format. format: text or json. \throws Error(kParameter) for dot.
std::string DumpLinear(Model const& model, std::string const& format);

}  // namespace kauri::model_io
