/// \file Calls that use a model.
#pragma once

#include <string>

namespace kauri::fuzz {

/// Loads the model, and if that succeeds predicts, explains, dumps, slices, saves and continues training.
void UseModel(std::string const& text, bool with_categories);

}  // namespace kauri::fuzz
