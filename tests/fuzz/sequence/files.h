/// \file A folder for the files of this process.
#pragma once

#include <string>

namespace kauri::fuzz {

/// A path in that folder; "" is the folder itself.
std::string TemporaryFile(std::string const& name);
/// Removes what was made there, so that every input finds the same.
void ClearTemporaryFiles();

}  // namespace kauri::fuzz
