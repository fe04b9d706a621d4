#include <sstream>

#include "booster/model_io/dump.h"
#include "booster/model_io/feature_labels.h"
#include "booster/model_io/object_reader.h"
#include "common/files/read_file.h"
#include "common/text/quoted.h"

namespace kauri {
namespace {

constexpr std::size_t kMostMapBytes = std::size_t{256} << 20U;

void ReadLine(std::string const& line, FeatureMap* map) {
  std::istringstream words(line);
  std::string index;
  std::string name;
  std::string type;
  std::string rest;
  if (!(words >> index >> name >> type) || (words >> rest)) {
    Fail(ErrorKind::kData, "has ", Quoted(line), "; expected an index, a name and a type, separated by blanks");
  }
  std::int64_t number = 0;
  if (!model_io::ParseInteger(index, &number) || number != static_cast<std::int64_t>(map->names.size())) {
    Fail(ErrorKind::kData, "has the index ", Quoted(index), "; expected ", map->names.size(),
         ": indices ascend from 0");
  }
  model_io::KindOfType(type);
  map->names.push_back(name);
  map->types.push_back(type);
}

}  // namespace

FeatureMap ReadFeatureMap(std::string const& path) {
  std::istringstream lines(ReadFile(FileToRead{path, "feature map", kMostMapBytes}));
  FeatureMap map;
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      ReadLine(line, &map);
    } catch (Error const& error) {
      Fail(ErrorKind::kData, "the feature map ", Quoted(path), ", line ", number, ": ", error.what());
    }
  }
  return map;
}

}  // namespace kauri
