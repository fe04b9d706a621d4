/// Refused explanations: configurations, backgrounds and null pointers.
#include <string>

#include "c_api/bad_input.h"

namespace kauri::testing {
namespace {

std::string Config(std::string const& more, int type = 2) {
  return R"({"type": )" + std::to_string(type) +
         R"(, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false)" + more + "}";
}

int Explain(World& world, std::string const& config, DMatrixHandle background = nullptr) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return KauriBoosterExplain(world.booster.get(), world.problem.data.get(), background, config.c_str(), &shape, &dim,
                             &values);
}

Act With(std::string const& more, int type = 2) {
  return [=](World& world) { return Explain(world, Config(more, type)); };
}

Act Against(std::vector<float> const& background, int type = 2) {
  return [=](World& world) { return Explain(world, Config("", type), MakeData(background, 5).get()); };
}

Act Sparse(std::string const& config, bool no_result = false) {
  return [=](World& world) {
    bst_ulong n_outputs = 0;
    int64_t const* begin = nullptr;
    uint32_t const* first = nullptr;
    uint32_t const* second = nullptr;
    float const* values = nullptr;
    return KauriBoosterExplainSparse(world.booster.get(), world.problem.data.get(), config.c_str(), &n_outputs,
                                     no_result ? nullptr : &begin, &first, &second, &values);
  };
}

Act Sets(std::string const& more, bool no_result = false) {
  auto const config = R"({"iteration_begin": 0, "iteration_end": 0)" + more + "}";
  return [=](World& world) {
    bst_ulong count = 0;
    int64_t const* begin = nullptr;
    uint32_t const* sets = nullptr;
    float const* values = nullptr;
    return KauriBoosterExplainInteractions(world.booster.get(), world.problem.data.get(), config.c_str(), &count,
                                           &count, &begin, &sets, &begin, &sets, &values,
                                           no_result ? nullptr : &values);
  };
}

int ExplainSampled(World& world, std::string const& config, DMatrixHandle background) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  double const* values = nullptr;
  double const* errors = nullptr;
  std::vector<bst_ulong> n_evals(1000);
  char const* method = nullptr;
  return KauriBoosterExplainSampled(world.booster.get(), world.problem.data.get(), background, config.c_str(), &shape,
                                    &dim, &values, &errors, n_evals.data(), &method);
}

std::string SampledConfig(std::string const& output, std::string const& more) {
  return R"({"output": ")" + output + R"(", "iteration_begin": 0, "iteration_end": 0, "method": "mc")" + more + "}";
}

Act Sampled(std::string const& output, std::string const& more = "") {
  return [=](World& world) {
    return ExplainSampled(world, SampledConfig(output, more), MakeData({1, 2, 3, 4}, 4).get());
  };
}

}  // namespace

std::vector<BadInput> BadExplanations() {
  auto const parameter = KAURI_ERROR_PARAMETER;
  return {
      {"a value is no explanation", With("", 0), {"type 0", "no explanation", "100"}, parameter},
      {"leaves are no explanation", With("", 6), {"type 6", "no explanation"}, parameter},
      {"type between ours and theirs", With("", 99), {"type 99", "100 Banzhaf"}, parameter},
      {"type past ours", With("", 103), {"type 103"}, parameter},
      {"type beyond int", With("", -2147483647), {"-2147483647"}, parameter},
      {"no feature of that number", With(R"(, "features": [0, 4])"), {"no feature 4", "4 features"}, parameter},
      {"negative feature", With(R"(, "features": [-1])"), {"no feature -1"}, parameter},
      {"feature twice", With(R"(, "features": [1, 1])"), {"feature 1", "twice"}, parameter},
      {"feature by name", With(R"(, "features": ["f1"])"), {"features", "\"f1\"", "list of integers"}, parameter},
      {"half a feature", With(R"(, "features": [0.5])"), {"features", "0.5", "list of integers"}, parameter},
      {"enormous feature", With(R"(, "features": [18446744073709551615])"), {"18446744073709551615"}, parameter},
      {"features are no list", With(R"(, "features": 3)"), {"features", "list of integers"}, parameter},
      {"unknown reduction", With(R"(, "reduce": "sum")"), {"'sum'", "mean_abs"}, parameter},
      {"reduction is no text", With(R"(, "reduce": 1)"), {"reduce", "string"}, parameter},
      {"rounds past the end",
       [](World& world) {
         return Explain(world, R"({"type": 2, "iteration_begin": 0, "iteration_end": 9, "strict_shape": false})");
       },
       {"9", "3"},
       parameter},
      {"background of an approximation",
       Against({1, 2, 3, 4}, 3),
       {"approximate contributions", "no background"},
       parameter},
      {"wide background", Against({1, 2, 3, 4, 5}), {"5 features", "model 4"}, KAURI_ERROR_DATA},
      {"background without rows",
       [](World& world) { return Explain(world, Config(""), MakeData({}, 4).get()); },
       {"background", "0 rows"},
       KAURI_ERROR_DATA},
      {"mean of no rows",
       [](World& world) {
         bst_ulong const* shape = nullptr;
         bst_ulong dim = 0;
         float const* values = nullptr;
         return KauriBoosterExplain(world.booster.get(), MakeData({}, 4).get(), nullptr,
                                    Config(R"(, "reduce": "mean_abs")").c_str(), &shape, &dim, &values);
       },
       {"0 rows", "mean"},
       KAURI_ERROR_DATA},
      {"background is a booster",
       [](World& world) { return Explain(world, Config(""), world.booster.get()); },
       {"not a DMatrix"},
       parameter},
      {"nowhere to put it",
       [](World& world) {
         return KauriBoosterExplain(world.booster.get(), world.problem.data.get(), nullptr, Config("").c_str(), nullptr,
                                    nullptr, nullptr);
       },
       {"out_shape", "null"},
       parameter},
      {"sparse without top_k", Sparse(Config("")), {"KauriBoosterExplainSparse", "top_k"}, parameter},
      {"negative top_k", Sparse(Config(R"(, "top_k": -1)")), {"top_k", "-1", "at least 1"}, parameter},
      {"sets without an order",
       Sets(R"(, "index": "SII", "top_k": 0)"),
       {"KauriBoosterExplainInteractions", "max_order"},
       parameter},
      {"sets of no index",
       Sets(R"(, "index": "sii", "max_order": 2, "top_k": 0)"),
       {"index is 'sii'", "SII, k-SII, STII, FSII or BII"},
       parameter},
      {"sets of no features",
       Sets(R"(, "index": "SII", "max_order": 0, "top_k": 0)"),
       {"max_order is 0", "at least 1"},
       parameter},
      {"negative top_k of sets",
       Sets(R"(, "index": "SII", "max_order": 2, "top_k": -1)"),
       {"top_k is -1", "at least 1"},
       parameter},
      {"sets that go nowhere",
       Sets(R"(, "index": "SII", "max_order": 2, "top_k": 0)", true),
       {"out_values", "null"},
       parameter},
      {"sampled output that is none", Sampled("probability"), {"'probability'", "margin, value or loss"}, parameter},
      {"sampled by no method", Sampled("value", R"(, "method": "best")"), {"'best'", "stratified"}, parameter},
      {"sampled features twice", Sampled("value", R"(, "players": [[0], [0]])"), {"feature 0", "twice"}, parameter},
      {"sampled feature that is none",
       Sampled("value", R"(, "players": [[4]])"),
       {"feature 4", "there are 4"},
       parameter},
      {"sampled players of text", Sampled("value", R"(, "players": ["f0"])"), {"players", "list of lists"}, parameter},
      {"sampled with too few", Sampled("value", R"(, "max_evals": 3)"), {"max_evals is 3", "4 players"}, parameter},
      {"sampled wide background",
       [](World& world) {
         return ExplainSampled(world, SampledConfig("value", ""), MakeData({1, 2, 3, 4, 5}, 5).get());
       },
       {"5 features", "model 4"},
       KAURI_ERROR_DATA},
      {"sampled empty background",
       [](World& world) { return ExplainSampled(world, SampledConfig("value", ""), MakeData({}, 4).get()); },
       {"background", "0 rows"},
       KAURI_ERROR_DATA},
      {"sampled without a background",
       [](World& world) { return ExplainSampled(world, SampledConfig("value", ""), nullptr); },
       {"null"},
       parameter},
      {"nowhere to put the sampled",
       [](World& world) {
         return KauriBoosterExplainSampled(world.booster.get(), world.problem.data.get(), world.problem.data.get(),
                                           SampledConfig("value", "").c_str(), nullptr, nullptr, nullptr, nullptr,
                                           nullptr, nullptr);
       },
       {"out_shape", "null"},
       parameter},
      {"nowhere to put the sparse", Sparse(Config(R"(, "top_k": 0)"), true), {"out_begin", "null"}, parameter},
  };
}

}  // namespace kauri::testing
