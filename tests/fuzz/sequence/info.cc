/// Sets the information of a table, correctly and wrongly, and reads it.
#include <cstdint>
#include <vector>

#include "sequence/tables.h"
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

char const* const kFields[] = {
    "label",           "weight", "base_margin", "group", "qid", "label_lower_bound", "label_upper_bound",
    "feature_weights", "label",  "nonsense"};

std::size_t LengthFor(Bytes* bytes, DMatrixHandle data) {
  bst_ulong n_rows = 0;
  bst_ulong n_cols = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0 && XGDMatrixNumCol(data, &n_cols) == 0, "a matrix has a size");
  auto const form = bytes->Next();
  bst_ulong const lengths[] = {n_rows, n_rows, n_rows,     n_cols,     0,          1,
                               2,      3,      n_rows + 1, 2 * n_rows, 3 * n_rows, n_rows > 0 ? n_rows - 1 : 0};
  return lengths[form % (sizeof(lengths) / sizeof(lengths[0]))];
}

/// Returns sizes of groups that usually add up.
std::vector<unsigned> Groups(Bytes* bytes, DMatrixHandle data) {
  bst_ulong left = 0;
  Require(XGDMatrixNumRow(data, &left) == 0, "a matrix has a size");
  auto const size = 1 + bytes->Below(12);
  std::vector<unsigned> groups;
  for (; left > size; left -= size) groups.push_back(size);
  if (bytes->Below(8) != 0) groups.push_back(static_cast<unsigned>(left));
  return groups;
}

}  // namespace

void SetInfo(World* world) {
  auto& bytes = world->Input();
  auto* const data = world->Data();
  auto const* field = bytes.Of(kFields);
  auto const form = bytes.Below(4);
  if (form == 0) {
    auto const groups = Groups(&bytes, data);
    world->Call([&] { return XGDMatrixSetUIntInfo(data, "group", groups.data(), groups.size()); });
    return;
  }
  auto const values = MakeValues(&bytes, LengthFor(&bytes, data));
  std::vector<double> const doubles(values.begin(), values.end());
  world->Call([&] {
    if (form == 1) return XGDMatrixSetDenseInfo(data, field, doubles.data(), doubles.size(), 2);
    return XGDMatrixSetFloatInfo(data, field, values.data(), values.size());
  });
}

void SetTable(World* world) {
  auto& bytes = world->Input();
  auto* const data = world->Data();
  auto const* field = bytes.Of(kFields);
  auto const width = 1 + bytes.Below(4);
  auto const n_rows = LengthFor(&bytes, data);
  auto const values = MakeValues(&bytes, n_rows * width);
  auto const array = Interface(values, "<f4", "[" + std::to_string(n_rows) + ", " + std::to_string(width) + "]");
  world->Call([&] { return XGDMatrixSetInfoFromInterface(data, field, array.c_str()); });
}

void SetStrings(World* world) {
  char const* const kTexts[] = {"q", "c", "float", "int", "i", "c", "name", "", "a b", "\"\t\n", "[<", "q"};
  auto& bytes = world->Input();
  auto* const data = world->Data();
  auto const* field = bytes.Flag() ? "feature_name" : "feature_type";
  bst_ulong n = 0;
  Require(XGDMatrixNumCol(data, &n) == 0, "a matrix has a size");
  if (bytes.Below(8) == 7) ++n;
  std::vector<char const*> texts;
  for (bst_ulong i = 0; i < n; ++i) texts.push_back(bytes.Of(kTexts));
  world->Call([&] { return XGDMatrixSetStrFeatureInfo(data, field, texts.data(), texts.size()); });
}

void InspectData(World* world) {
  auto* const data = world->Data();
  bst_ulong n = 0;
  float const* values = nullptr;
  unsigned const* integers = nullptr;
  char const* text = nullptr;
  char const* cuts = nullptr;
  char const** names = nullptr;
  auto const* field = world->Input().Of(kFields);
  if (world->Call([&] { return XGDMatrixGetFloatInfo(data, field, &n, &values); })) {
    std::vector<float> const copy(values, values + n);
  }
  if (world->Call([&] { return XGDMatrixGetUIntInfo(data, "group_ptr", &n, &integers); })) {
    std::vector<unsigned> const copy(integers, integers + n);
  }
  world->Call([&] { return XGDMatrixGetInfoRef(data, field, &text); });
  world->Call([&] { return XGDMatrixGetStrFeatureInfo(data, "feature_name", &n, &names); });
  world->Call([&] { return XGDMatrixGetQuantileCut(data, R"({"max_bin": 4})", &text, &cuts); });
  bst_ulong n_rows = 0;
  bst_ulong n_entries = 0;
  Require(XGDMatrixNumRow(data, &n_rows) == 0 && XGDMatrixNumNonMissing(data, &n_entries) == 0, "a matrix has a size");
  std::vector<bst_ulong> starts(n_rows + 1);
  std::vector<unsigned> features(n_entries);
  std::vector<float> cells(n_entries);
  world->Call([&] { return XGDMatrixGetDataAsCSR(data, "{}", starts.data(), features.data(), cells.data()); });
}

}  // namespace kauri::fuzz
