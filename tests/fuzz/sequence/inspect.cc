/// Reads dumps, importance, names and categories.
#include "sequence/world.h"

namespace kauri::fuzz {
namespace {

void SetNames(World* world, BoosterHandle booster) {
  char const* names[] = {"a", "b\"\n", "c", "", "e", "f", "g"};
  char const* types[] = {"q", "c", "q", "i", "float", "c", "x"};
  auto const form = world->Input().Next();
  auto const* field = form % 2 == 0 ? "feature_name" : "feature_type";
  auto const n = form / 2 % 8;
  world->Change(booster, [&] { return XGBoosterSetStrFeatureInfo(booster, field, form % 2 == 0 ? names : types, n); });
}

void GetCategories(World* world, BoosterHandle booster) {
  CategoriesHandle categories = nullptr;
  char const* text = nullptr;
  if (!world->Call([&] { return XGBoosterGetCategoriesExportToArrow(booster, "{}", &categories, &text); })) return;
  Require(XGBCategoriesFree(categories) == 0, "categories can be freed");
}

}  // namespace

void Inspect(World* world) {
  char const* const kFormats[] = {"text", "json", "dot", "x", R"(dot:{"rankdir": "LR"})", "dot:{"};
  char const* const kImportances[] = {R"({"importance_type": "weight"})", R"({"importance_type": "total_gain"})",
                                      R"({"importance_type": "cover"})", R"({"importance_type": "x"})"};
  auto& bytes = world->Input();
  auto* const booster = world->Booster();
  auto const* format = bytes.Of(kFormats);
  auto const* importance = bytes.Of(kImportances);
  auto const with_stats = bytes.Flag() ? 1 : 0;
  bst_ulong n = 0;
  bst_ulong dim = 0;
  bst_ulong const* shape = nullptr;
  float const* scores = nullptr;
  char const** texts = nullptr;
  world->Change(booster, [&] { return XGBoosterDumpModelEx(booster, "", with_stats, format, &n, &texts); });
  world->Change(booster, [&] { return XGBoosterFeatureScore(booster, importance, &n, &texts, &dim, &shape, &scores); });
  if (bytes.Flag()) SetNames(world, booster);
  GetCategories(world, booster);
}

}  // namespace kauri::fuzz
