/// Models of objective=dist:... in files: reg:squarederror, and the attribute kauri_distribution.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/model_io/json.h"
#include "booster/model_io/own_attributes.h"
#include "common/distribution/family.h"
#include "common/files/checksum.h"
#include "kauri/error.h"

namespace kauri::model_io {
namespace {

constexpr std::string_view kPrefix = "dist:";
constexpr char kInFiles[] = "reg:squarederror";

template <typename T>
std::uint32_t ContinueChecksum(std::uint32_t before, T const* values, std::size_t n) {
  return Crc32c({reinterpret_cast<char const*>(values), n * sizeof(T)}, before);
}

/// Returns a checksum of the splits and leaves, whatever the numbers of the leaves' rows are.
std::int64_t ChecksumOfAnyTree(Tree const& tree) {
  std::uint32_t checksum = 0;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) {
      auto const values = tree.LeafValues(node);
      checksum = ContinueChecksum(checksum, values.data(), values.size());
      continue;
    }
    std::int32_t const split[] = {tree.left[node], tree.right[node],
                                  static_cast<std::int32_t>(tree.split_feature[node]), tree.default_left[node]};
    checksum = ContinueChecksum(checksum, split, std::size(split));
    checksum = ContinueChecksum(checksum, &tree.split_value[node], 1);
    if (!tree.IsCategorical(node)) continue;
    auto const categories = tree.CategoriesOf(node);
    checksum = ContinueChecksum(checksum, categories.data(), categories.size());
  }
  return checksum;
}

}  // namespace

bool IsDistribution(Model const& model) { return model.objective.rfind(kPrefix, 0) == 0; }

std::string ObjectiveOfFile(Model const& model) { return IsDistribution(model) ? kInFiles : model.objective; }

std::string DistributionText(Model const& model) {
  JsonWriter writer;
  std::vector<std::int64_t> checksums;
  for (auto const& tree : model.trees) checksums.push_back(ChecksumOfAnyTree(tree));
  writer.BeginObject();
  writer.Key("objective");
  writer.String(model.objective);
  writer.Key("trees");
  writer.Numbers(Span<std::int64_t const>(checksums));
  writer.EndObject();
  return writer.Take();
}

void ReadDistribution(ObjectReader const& attribute, Model* model) {
  if (model->objective != kInFiles) return;
  auto const objective = attribute.String("objective");
  auto checksums = attribute.TakeInt64("trees");
  auto const* const family =
      objective.rfind(kPrefix, 0) == 0 ? distribution::FindFamily(objective.substr(kPrefix.size())) : nullptr;
  if (family == nullptr) attribute.FailAt("objective", "is '", Printable(objective), "'; expected a distribution's");
  auto const n_parameters = static_cast<std::int64_t>(family->NumParameters());
  if (model->NumOutputs() != n_parameters) {
    attribute.FailAt("objective", "is '", objective, "', which has ", n_parameters, " outputs, but the model has ",
                     model->NumOutputs());
  }
  std::sort(checksums.begin(), checksums.end());
  for (std::size_t tree = 0; tree < model->trees.size(); ++tree) {
    if (std::binary_search(checksums.begin(), checksums.end(), ChecksumOfAnyTree(model->trees[tree]))) continue;
    attribute.FailAt("trees", "does not have tree ", tree, ", so another library has trained the model further, with ",
                     kInFiles);
  }
  model->objective = objective;
  model->objective_param_key.clear();
  model->objective_params.clear();
}

}  // namespace kauri::model_io
