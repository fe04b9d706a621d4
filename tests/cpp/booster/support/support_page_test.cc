/// The page demo/guide/support.md has tables that are made from the declarations. With KAURI_WRITE_PAGES=1 in its
/// environment, this test writes them anew instead of comparing them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "booster/support/feature_table.h"
#include "booster/support/refusals.h"
#include "cuda/capabilities.h"
#include "kauri/booster.h"
#include "kauri/registry.h"

namespace kauri::testing {
namespace {

constexpr char kPage[] = KAURI_SOURCE_DIR "/demo/guide/support.md";
constexpr char kBegin[] = "<!-- made from the declarations: begin -->\n";
constexpr char kEnd[] = "<!-- made from the declarations: end -->\n";

/// A part by its name, and what it declares.
struct Declared {
  std::string name;
  Capabilities supports;
};
using AllDeclared = std::vector<Declared>;

AllDeclared MethodsOnCpu() {
  AllDeclared all;
  for (auto const* const name : {"hist", "approx", "exact"}) {
    all.push_back({name, GetRegistries().tree_methods.Find(name).supports});
  }
  return all;
}

AllDeclared MethodsOnDevice() {
  return {
      {"hist", cuda::GpuHistSupports()}, {"approx", cuda::GpuApproxSupports()}, {"exact", cuda::GpuExactSupports()}};
}

AllDeclared Boosters() {
  AllDeclared all;
  for (auto const& entry : GetRegistries().boosters.Entries()) all.push_back({entry.name, entry.supports});
  return all;
}

/// Returns the names of the parts that support the feature, or yes for all, or no.
std::string WhichSupport(AllDeclared const& parts, Feature feature) {
  std::string names;
  std::size_t n_found = 0;
  for (auto const& part : parts) {
    if (!part.supports.features.Has(feature)) continue;
    names += (names.empty() ? "`" : ", `") + part.name + "`";
    ++n_found;
  }
  return n_found == 0 ? "no" : n_found == parts.size() ? "yes" : names;
}

bool Concerns(Feature feature, TrainingPart part) { return (InfoOf(feature).parts & static_cast<unsigned>(part)) != 0; }

/// Returns what supports the feature on one kind of device.
std::string Cell(Feature feature, Capabilities const& engine, AllDeclared const& methods) {
  if (Concerns(feature, TrainingPart::kEngine) && !engine.features.Has(feature)) return "no";
  if (Concerns(feature, TrainingPart::kLimitedMethod)) return WhichSupport(methods, feature) + "; ignored elsewhere";
  return Concerns(feature, TrainingPart::kTreeMethod) ? WhichSupport(methods, feature) : "yes";
}

/// Returns what asks for a feature, without values: `subsample` and `bagging_temperature`.
std::string AskedBy(Feature feature) {
  std::string const asked = InfoOf(feature).asked;
  std::string text;
  for (std::size_t at = 0; at < asked.size(); ++at) {
    if (asked[at] == '=' && asked.compare(at + 1, 1, "{") == 0) {
      at = asked.find('}', at);
    } else {
      text += asked[at];
    }
  }
  return text.find_first_of("_=") == std::string::npos || text.find(' ') != std::string::npos ? text : "`" + text + "`";
}

/// Returns whether the page has a row for the feature.
bool HasRow(Feature feature) {
  auto const is_place = feature == Feature::kHostMemory || feature == Feature::kDeviceMemory;
  return !is_place && InfoOf(feature).parts != 0;
}

std::string FeatureRows() {
  auto const& cpu = GetRegistries().engines.Find("cpu").supports;
  auto const device = cuda::CudaEngineSupports();
  std::string text = "| feature | asked for by | CPU | CUDA device | boosters |\n|---|---|---|---|---|\n";
  for (unsigned i = 0; i < static_cast<unsigned>(Feature::kCount); ++i) {
    auto const feature = static_cast<Feature>(i);
    if (!HasRow(feature)) continue;
    auto const of_host = feature == Feature::kSeveralDevices || feature == Feature::kSharedCache;
    text += std::string("| ") + InfoOf(feature).noun + " | " + AskedBy(feature) + " | " +
            (of_host ? "-" : Cell(feature, cpu, MethodsOnCpu())) + " | " + Cell(feature, device, MethodsOnDevice()) +
            " | " + (Concerns(feature, TrainingPart::kBooster) ? WhichSupport(Boosters(), feature) : "all of trees") +
            " |\n";
  }
  return text;
}

std::string PairRow(Feature first, Feature second, std::string const& where) {
  return std::string("| ") + InfoOf(first).noun + " | " + InfoOf(second).noun + " | " + where + " |\n";
}

std::string PairRows() {
  std::string text = "| feature | does not go with | where |\n|---|---|---|\n";
  for (auto const& pair : Exclusions()) {
    auto const where = pair.beside == Feature::kCount ? std::string("everywhere") : InfoOf(pair.beside).noun;
    text += PairRow(pair.first, pair.second, where);
  }
  for (auto const& [methods, where] : {std::pair{MethodsOnCpu(), "CPU"}, std::pair{MethodsOnDevice(), "CUDA device"}}) {
    for (auto const& method : methods) {
      for (auto const& pair : method.supports.excluded) {
        text += PairRow(pair.first, pair.second, "`" + method.name + "`, " + where);
      }
    }
  }
  return text;
}

std::string NeedRows() {
  std::string text = "| feature | needs |\n|---|---|\n";
  for (auto const& need : Needs()) {
    text += std::string("| ") + InfoOf(need.feature).noun + " | " + InfoOf(need.needed).noun + " |\n";
  }
  return text;
}

std::string ReadPage() {
  std::ifstream file(kPage);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SupportPage, IsMadeFromTheDeclarations) {
  auto const page = ReadPage();
  auto const begin = page.find(kBegin);
  auto const end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos) << kPage;
  ASSERT_NE(end, std::string::npos) << kPage;
  auto const made = kBegin + FeatureRows() + "\n" + PairRows() + "\n" + NeedRows();
  auto const* const write = std::getenv("KAURI_WRITE_PAGES");
  if (write != nullptr && std::string(write) == "1") {
    std::ofstream(kPage) << page.substr(0, begin) << made << page.substr(end);
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), made)
      << "The declarations have changed. Run this test with KAURI_WRITE_PAGES=1 in its environment.";
}

/// A row follows its declaration.
TEST(SupportPage, RowsFollowTheDeclarations) {
  auto methods = MethodsOnCpu();
  EXPECT_EQ(Cell(Feature::kSymmetricTrees, {}, methods), "`hist`");
  methods[1].supports.features.Add(Feature::kSymmetricTrees);
  EXPECT_EQ(Cell(Feature::kSymmetricTrees, {}, methods), "`hist`, `approx`");
  methods[2].supports.features.Add(Feature::kSymmetricTrees);
  EXPECT_EQ(Cell(Feature::kSymmetricTrees, {}, methods), "yes");
  EXPECT_EQ(Cell(Feature::kLinearLeaves, {}, methods), "no");
  EXPECT_EQ(Cell(Feature::kLinearLeaves, {{Feature::kLinearLeaves}}, methods), "yes");
}

}  // namespace
}  // namespace kauri::testing
