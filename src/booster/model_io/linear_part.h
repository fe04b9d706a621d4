/// \file Linear models (gblinear) in files and dumps.
#pragma once

#include <string>
#include <vector>

#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// booster: the member gradient_booster; `model` knows its features and outputs.
void ReadLinearPart(ObjectReader const& booster, Model* model);

/// The weights that a file holds, zeros before the first round.
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

/// One text, as XGBoost writes it. format: text or json. \throws Error(kParameter) for dot.
std::string DumpLinear(Model const& model, std::string const& format);

}  // namespace kauri::model_io
