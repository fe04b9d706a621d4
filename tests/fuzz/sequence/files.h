/// \file A folder for the files of this process.
#pragma once

#include <string>

namespace kauri::fuzz {

/// Returns a path in that folder; "" is the folder itself.
std::string TemporaryFile(std::string const& name);
/// Removes all files there, so that every input finds the same folder.
void ClearTemporaryFiles();

}  // namespace kauri::fuzz
