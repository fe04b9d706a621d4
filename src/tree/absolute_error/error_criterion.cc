#include "tree/absolute_error/error_criterion.h"

#include <utility>

namespace kauri {

std::shared_ptr<ErrorSketch const> ErrorSketchOf(ParamMap const& map) {
  for (auto const& entry : ErrorSketchRegistry().Entries()) {
    if (auto sketch = entry.make(map)) return sketch;
  }
  return nullptr;
}

ParameterTable ErrorSketchParameters() {
  ParameterTable table;
  for (auto const& entry : ErrorSketchRegistry().Entries()) {
    if (entry.parameters == nullptr) continue;
    for (auto& info : entry.parameters()) table.push_back(std::move(info));
  }
  return table;
}

Registry<ErrorSketchFactory>& ErrorSketchRegistry() {
  static Registry<ErrorSketchFactory> registry("sketch of absolute errors");
  return registry;
}

}  // namespace kauri
