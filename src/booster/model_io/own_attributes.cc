#include "booster/model_io/own_attributes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "booster/model_io/category_table.h"
#include "booster/model_io/json.h"
#include "booster/model_io/object_reader.h"
#include "common/files/checksum.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri::model_io {
namespace {

constexpr char const* kSeen = "kauri_cats_seen";
constexpr char const* kOrdered = "kauri_cats_ordered";
constexpr char const* kRowCounts = "kauri_row_counts";
constexpr char const* kLinearLeaves = "kauri_linear_leaves";
constexpr char const* kBooster = "kauri_booster";
constexpr char const* kDistribution = "kauri_distribution";
constexpr char const* kOfTree = "";  ///< a reader needs a member's name; arrays have none

/// Returns the checksum of everything that decides the path of rows through the tree, continued from `before`.
std::uint32_t ChecksumOfSplits(Tree const& tree, std::uint32_t before) {
  std::vector<std::int32_t> parts{tree.NumNodes()};
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    parts.insert(parts.end(), {tree.left[node], tree.right[node]});
    if (tree.IsLeaf(node)) continue;
    std::int32_t threshold = 0;
    std::memcpy(&threshold, &tree.split_value[node], sizeof(threshold));
    parts.insert(parts.end(), {static_cast<std::int32_t>(tree.split_feature[node]), threshold, tree.default_left[node],
                               tree.is_categorical[node]});
    if (tree.is_categorical[node] == 0) continue;
    auto const categories = tree.CategoriesOf(node);
    parts.insert(parts.end(), categories.begin(), categories.end());
  }
  return Crc32c({reinterpret_cast<char const*>(parts.data()), parts.size() * sizeof(std::int32_t)}, before);
}

std::int64_t ChecksumOfTrees(Model const& model) {
  std::uint32_t checksum = 0;
  for (auto const& tree : model.trees) checksum = ChecksumOfSplits(tree, checksum);
  return checksum;
}

std::string SeenText(Model const& model) {
  JsonWriter writer;
  writer.BeginObject();
  writer.Key("seen");
  WriteSeenCategories(model.categories, &writer);
  writer.Key("trees");
  writer.Integer(ChecksumOfTrees(model));
  writer.EndObject();
  return writer.Take();
}

std::string OrderedText(Model const& model) {
  JsonWriter writer;
  WriteOrderedTables(*model.categories.ordered, &writer);
  return writer.Take();
}

std::string RowCountsText(Model const& model) {
  JsonWriter writer;
  std::vector<std::int64_t> checksums;
  writer.BeginObject();
  writer.Key("counts");
  writer.BeginArray(model.trees.size());
  for (auto const& tree : model.trees) {
    writer.Numbers(Span<std::int64_t const>(tree.row_count));
    checksums.push_back(ChecksumOfSplits(tree, 0));
  }
  writer.EndArray();
  writer.Key("trees");
  writer.Numbers(Span<std::int64_t const>(checksums));
  writer.EndObject();
  return writer.Take();
}

bool HasRowCounts(Model const& model) {
  return std::any_of(model.trees.begin(), model.trees.end(), [](Tree const& tree) { return !tree.row_count.empty(); });
}

void ReadSeen(ObjectReader const& attribute, Model* model) {
  ReadSeenCategories(attribute.Child("seen"), model);
  auto const checksum = attribute.IntegerIn("trees", 0, std::numeric_limits<std::uint32_t>::max());
  if (checksum != ChecksumOfTrees(*model)) model->categories.seen.clear();  // the policy stays
}

/// Reads the row counts of the trees whose checksums match. XGBoost may have added or removed trees, so the attribute
/// and the model may have different numbers of them.
void ReadRowCounts(ObjectReader const& attribute, Model* model) {
  auto* const counts = attribute.Elements("counts");
  auto const checksums = attribute.TakeInt64("trees");
  if (checksums.size() != counts->size()) {
    attribute.FailAt("trees", "has ", checksums.size(), " elements; expected ", counts->size(), ", one per tree");
  }
  for (std::size_t index = 0; index < std::min(counts->size(), model->trees.size()); ++index) {
    auto& tree = model->trees[index];
    if (checksums[index] != ChecksumOfSplits(tree, 0)) continue;
    Value element{Object{}};
    std::get<Object>(element.data).push_back({kOfTree, std::move((*counts)[index])});
    ObjectReader const of_tree(&element, attribute.PathOf("counts[" + std::to_string(index) + "]"));
    tree.row_count = of_tree.TakeInt64(kOfTree);
    auto const fits = tree.row_count.empty() || tree.row_count.size() == tree.left.size();
    auto const is_negative = [](std::int64_t count) { return count < 0; };
    if (fits && std::none_of(tree.row_count.begin(), tree.row_count.end(), is_negative)) continue;
    attribute.FailAt("counts", "of tree ", index, " are ", tree.row_count.size(), " numbers; expected none, or ",
                     tree.left.size(), " of 0 or more, one per node");
  }
}

/// Removes the attribute `name`. \returns its text, or nothing if there is no such attribute.
std::optional<std::string> TakeText(char const* name, Model* model) {
  auto const found = model->attributes.find(name);
  if (found == model->attributes.end()) return {};
  auto text = std::move(found->second);
  model->attributes.erase(found);
  return text;
}

/// Takes the booster from the attribute. The file's own booster remains if another library has continued the training
/// with another booster or objective.
void TakeBooster(Model* model) {
  auto const text = TakeText(kBooster, model);
  if (!text.has_value()) return;
  auto const& boosters = GetRegistries().boosters_in_attributes;
  auto const* const booster = boosters.TryFind(*text);
  if (booster == nullptr) {
    std::string known;
    for (auto const& name : boosters.Names()) known += (known.empty() ? "'" : "' or '") + name;
    Fail(ErrorKind::kModel, "model: the attribute '", kBooster, "' is damaged; remove it to do without. It is ",
         Quoted(*text), "; expected ", known, "'.");
  }
  if (model->booster == "gbtree" && booster->make(*model)) model->booster = *text;
}

/// Removes the attribute `name` and parses it. read(reader, model) receives its members.
template <typename Read>
void Take(char const* name, Model* model, Read&& read) {
  auto const found = TakeText(name, model);
  if (!found.has_value() || model->IsLinear()) return;
  auto const& text = *found;
  try {
    auto document = ParseJson({text.data(), text.size()});
    read(ObjectReader(&document, ""), model);
  } catch (Error const& error) {
    Fail(ErrorKind::kModel, "model: the attribute '", name, "' is damaged; remove it to do without. ", error.what());
  }
}

}  // namespace

bool IsOwnAttribute(std::string const& name) {
  return name == kSeen || name == kOrdered || name == kRowCounts || name == kLinearLeaves || name == kBooster ||
         name == kDistribution;
}

std::map<std::string, std::string> AttributesOf(Model const& model) {
  auto attributes = model.attributes;
  if (model.IsLinear()) return attributes;
  if (KnowsSeenCategories(model.categories)) attributes[kSeen] = SeenText(model);
  if (model.categories.ordered != nullptr) attributes[kOrdered] = OrderedText(model);
  if (HasRowCounts(model)) attributes[kRowCounts] = RowCountsText(model);
  if (model.HasLinearLeaves()) attributes[kLinearLeaves] = LinearLeavesText(model);
  if (IsDistribution(model)) attributes[kDistribution] = DistributionText(model);
  auto const* const booster = GetRegistries().boosters_in_attributes.TryFind(model.booster);
  if (booster != nullptr && booster->make(model)) attributes[kBooster] = model.booster;
  return attributes;
}

void TakeOwnAttributes(Model* model) {
  Take(kSeen, model, ReadSeen);
  Take(kOrdered, model, ReadOrderedTables);
  Take(kRowCounts, model, ReadRowCounts);
  Take(kLinearLeaves, model, ReadLinearLeaves);
  Take(kDistribution, model, ReadDistribution);
  TakeBooster(model);
}

}  // namespace kauri::model_io
