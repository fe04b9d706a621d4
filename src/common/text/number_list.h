/// \file Lists of numbers in the text of one parameter.
#pragma once

#include <string>
#include <vector>

namespace kauri {

/// Parses "0.5", "[0.1, 0.9]" or "(0.1, 0.9)"; "[]" and an empty text are empty lists. Returns false unless the whole
/// text consists of finite numbers.
bool ParseNumbers(std::string const& text, std::vector<float>* out);

/// Formats numbers as model files do: [1E-1,9E-1], each the shortest text that reads back as the number.
std::string NumbersText(std::vector<float> const& numbers);

}  // namespace kauri
