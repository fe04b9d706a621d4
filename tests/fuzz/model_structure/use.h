/// \file Whatever can be asked of a model.
#pragma once

#include <string>

namespace kauri::fuzz {

/// Loads it, and if that succeeds predicts, explains, dumps, slices, saves, continues training.
void UseModel(std::string const& text, bool with_categories);

}  // namespace kauri::fuzz
