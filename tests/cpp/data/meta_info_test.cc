#include "data/meta_info.h"

#include "data/data_test_support.h"

namespace kauri {
namespace {

MetaInfo ThreeRows() {
  MetaInfo info;
  info.n_rows = 3;
  info.n_cols = 2;
  return info;
}

template <typename T>
std::string Refusal(MetaInfo info, std::string const& field, std::vector<T> const& values) {
  return MessageOf([&] { SetInfo(&info, field, VectorView(values)); });
}

TEST(MetaInfo, Labels) {
  auto info = ThreeRows();
  std::vector<std::int32_t> const labels{1, 0, 2};
  SetInfo(&info, "label", VectorView(labels));
  ExpectSame(GetFloatInfo(info, "label"), {1, 0, 2});
  std::vector<double> const two{1, 2, 3, 4, 5, 6};
  SetInfo(&info, "label", TableView(two, 3, 2));
  EXPECT_EQ(info.n_targets, 2);
  ExpectSame(info.labels, {1, 2, 3, 4, 5, 6});
  SetInfo(&info, "label", VectorView(std::vector<float>()));
  EXPECT_TRUE(info.labels.empty());
  EXPECT_EQ(info.n_targets, 1);
  ExpectParts(Refusal<float>(info, "label", {1, 2}), {"label has 2 values", "3 rows"});
  ExpectParts(Refusal<float>(info, "label", {1, kNaN, 2}),
              {"Label contains NaN, infinity", "label of row 1 is nan", "finite", "two label columns or more"});
  ExpectParts(Refusal<double>(info, "label", {1, 2, 1e300}), {"label of row 2 is inf"});
}

TEST(MetaInfo, LabelsOfTablesMayBeMissing) {
  auto info = ThreeRows();
  std::vector<double> const two{1, 2, kNaN, 4, 5, kNaN};
  SetInfo(&info, "label", TableView(two, 3, 2));
  EXPECT_EQ(info.n_targets, 2);
  ExpectSame(info.labels, {1, 2, kNaN, 4, 5, kNaN});
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  std::vector<double> const infinite{1, 2, kNaN, -kInf, 5, 6};
  ExpectParts(
      MessageOf([&] { SetInfo(&info, "label", TableView(infinite, 3, 2)); }),
      {"Label contains NaN, infinity", "label of row 1 is -inf", "finite", "or NaN where a label is not known"});
  ExpectSame(info.labels, {1, 2, kNaN, 4, 5, kNaN});  // a failed call changes nothing
  std::vector<double> const column{1, kNaN, 3};
  ExpectParts(MessageOf([&] { SetInfo(&info, "label", TableView(column, 3, 1)); }),
              {"label of row 1 is nan", "two label columns or more"});
  ExpectParts(MessageOf([&] { SetInfo(&info, "label", TableView(column, 1, 3)); }), {"is nan"});  // one for each row
  ExpectParts(Refusal<float>(info, "base_margin", {1, kNaN, 2}), {"base_margin of row 1 is nan", "drop that row."});
}

TEST(MetaInfo, WeightsBeforeOrAfterGroups) {
  auto info = ThreeRows();
  std::vector<float> const two{1, 0.5F};
  std::vector<float> const three{1, 2, 3};
  SetInfo(&info, "weight", VectorView(two));  // possibly one weight per query
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"weight has 2 values", "one sample weight per row, 3"});
  std::vector<std::uint32_t> const sizes{2, 1};
  SetInfo(&info, "group", VectorView(sizes));
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  ExpectParts(Refusal<float>(info, "weight", three),
              {"weight has 3 values", "equal to the number of query groups, 2", "one per group"});
  ExpectParts(Refusal<float>(info, "weight", {1}), {"weight has 1 values", "groups, 2"});
  info.weights = three;
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"weight has 3 values", "groups, 2", "one per group"});
  info.group_ptr.clear();
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  ExpectParts(Refusal<float>(info, "weight", {1, 1, 1, 1}), {"weight has 4 values", "one sample weight per row, 3"});
  ExpectParts(Refusal<float>(info, "weight", {1, -1, 1}),
              {"Weights must be positive", "weight of row 1 is -1", "at least 0"});
  ExpectParts(Refusal<float>(info, "weight", {kNaN, 1, 1}), {"weight of row 0 is nan"});
  ExpectParts(Refusal<float>(info, "weight", {1, 1, kInf}), {"weight of row 2 is inf"});
  EXPECT_EQ(Refusal<float>(info, "weight", {}), "no error");
}

TEST(MetaInfo, GroupsAndQueryIds) {
  auto info = ThreeRows();
  std::vector<std::int64_t> const sizes{1, 0, 2};
  SetInfo(&info, "group", VectorView(sizes));
  EXPECT_EQ(GetUintInfo(info, "group_ptr"), (std::vector<std::uint32_t>{0, 1, 1, 3}));
  std::vector<float> const ids{4, 4, 9};
  SetInfo(&info, "qid", VectorView(ids));
  EXPECT_EQ(info.group_ptr, (std::vector<std::int64_t>{0, 2, 3}));
  std::vector<std::uint64_t> const large{UINT64_C(1) << 62U, UINT64_C(1) << 62U, (UINT64_C(1) << 62U) + 1};
  SetInfo(&info, "qid", VectorView(large));
  EXPECT_EQ(info.group_ptr, (std::vector<std::int64_t>{0, 2, 3}));
  ExpectParts(Refusal<int>(info, "group", {3, -1}), {"group[1] is -1"});
  ExpectParts(Refusal<std::int64_t>(info, "group", {INT64_MAX, 1}), {"group[1] is 1"});
  ExpectParts(Refusal<float>(info, "group", {1.5F, 1.5F}), {"group[0] is 1.5", "integers"});
  ExpectParts(Refusal<float>(info, "group", {kNaN}), {"group[0] is nan"});
  ExpectParts(Refusal<int>(info, "qid", {1, 1}), {"qid has 2 values", "3 rows"});
  ExpectParts(Refusal<int>(info, "qid", {1, 2, 1}), {"qid of row 2 is 1", "less than 2", "sort"});
  ExpectParts(Refusal<std::uint64_t>(info, "qid", {1, 2, UINT64_MAX}), {"18446744073709551615", "int64"});
  SetInfo(&info, "qid", VectorView(std::vector<int>()));
  EXPECT_TRUE(GetUintInfo(info, "group_ptr").empty());
}

TEST(MetaInfo, GroupsAreReadBackAsWrittenAndCheckedBeforeUse) {
  auto info = ThreeRows();
  for (auto const& sizes : {std::vector<int>{1, 1}, {2, 2}, {0}}) {
    SetInfo(&info, "group", VectorView(sizes));
    EXPECT_EQ(GetUintInfo(info, "group_ptr").size(), sizes.size() + 1);
    ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"query groups run from 0", "number of rows, 3"});
    ExpectParts(MessageOf([&] { CheckQueries(info); }), {"query groups run from 0", "number of rows, 3"});
  }
  std::vector<int> const sizes{1, 0, 2};
  SetInfo(&info, "group", VectorView(sizes));
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
}

TEST(MetaInfo, WhatIsSaidOfUnknownRows) {
  auto info = InfoOfUnknownRows();
  std::vector<float> const five{1, 2, 3, 4, 5};
  SetInfo(&info, "label", VectorView(five));
  SetInfo(&info, "weight", VectorView(five));
  SetInfo(&info, "base_margin", VectorView(five));
  SetInfo(&info, "qid", VectorView(five));
  SetInfo(&info, "group", VectorView(std::vector<int>()));
  SetFeatureStrings(&info, "feature_name", {"a", "b"});
  info.n_rows = 4;
  info.n_cols = 2;
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"label has 5 values"});
  info.n_rows = 5;
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  auto margins_alone = InfoOfUnknownRows();
  SetInfo(&margins_alone, "base_margin", VectorView(five));
  margins_alone.n_rows = 0;
  ExpectParts(MessageOf([&] { ValidateInfo(margins_alone); }), {"base_margin has 5 values", "0 rows"});
}

TEST(MetaInfo, LabelsMayBeARowVector) {
  auto info = ThreeRows();
  std::vector<float> const labels{3, 1, 2};
  SetInfo(&info, "label", TableView(labels, 1, 3));
  ExpectSame(info.labels, labels);
  EXPECT_EQ(info.n_targets, 1);
}

TEST(MetaInfo, MarginsAndBounds) {
  auto info = ThreeRows();
  std::vector<float> const six{1, 2, 3, 4, 5, 6};
  SetInfo(&info, "base_margin", VectorView(six));
  SetInfo(&info, "base_margin", TableView(six, 3, 2));
  ExpectSame(GetFloatInfo(info, "base_margin"), six);
  ExpectParts(Refusal<float>(info, "base_margin", {1, 2, 3, 4}), {"base_margin has the shape [4, 1]", "3 rows"});
  std::vector<float> const turned{6, 5, 4, 3, 2, 1};
  SetInfo(&info, "base_margin", TableView(turned, 2, 3));  // a transposed table is read row by row
  ExpectSame(info.base_margin, turned);
  ExpectParts(Refusal<float>(info, "base_margin", {1, kInf, 3}), {"base_margin of row 1 is inf"});
  std::vector<float> const lower{1, 2, 3};
  std::vector<float> const upper{1, kInf, 4};
  SetInfo(&info, "label_lower_bound", VectorView(lower));
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"label_upper_bound is missing"});
  SetInfo(&info, "label_upper_bound", VectorView(upper));
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  ExpectSame(GetFloatInfo(info, "label_lower_bound"), lower);
  ExpectSame(GetFloatInfo(info, "label_upper_bound"), upper);
  info.label_upper_bound[2] = 2.5F;
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"row 2", "label_lower_bound 3 is above label_upper_bound 2.5"});
  ExpectParts(Refusal<float>(info, "label_lower_bound", {1, 2, kInf}), {"label_lower_bound of row 2 is inf"});
  EXPECT_EQ(Refusal<float>(info, "label_lower_bound", {1, -kInf, 2}), "no error");
  ExpectParts(Refusal<float>(info, "label_upper_bound", {1, 2, -kInf}), {"label_upper_bound of row 2 is -inf"});
  ExpectParts(Refusal<float>(info, "label_upper_bound", {1}), {"label_upper_bound has 1 values"});
  ExpectParts(MessageOf([&] { SetInfo(&info, "label_upper_bound", TableView(six, 3, 2)); }), {"[3, 2]", "vector"});
}

TEST(MetaInfo, FeatureWeightsNamesAndTypes) {
  auto info = ThreeRows();
  std::vector<float> const weights{0, 2};
  SetInfo(&info, "feature_weights", VectorView(weights));
  ExpectSame(GetFloatInfo(info, "feature_weights"), weights);
  ExpectParts(Refusal<float>(info, "feature_weights", {1, 2, 3}), {"feature_weights has 3 values", "2 columns"});
  ExpectParts(Refusal<float>(info, "feature_weights", {1, -2}), {"feature_weights of row 1 is -2"});
  SetFeatureStrings(&info, "feature_name", {"age", "height"});
  SetFeatureStrings(&info, "feature_type", {"int", "q"});
  EXPECT_EQ(GetFeatureStrings(info, "feature_name"), (std::vector<std::string>{"age", "height"}));
  EXPECT_EQ(GetFeatureStrings(info, "feature_type"), (std::vector<std::string>{"int", "q"}));
  auto const refusal = [&](std::string const& field, std::vector<std::string> const& strings) {
    return MessageOf([&] { SetFeatureStrings(&info, field, strings); });
  };
  ExpectParts(refusal("feature_name", {"a"}), {"feature_name has 1 values", "2 columns"});
  ExpectParts(refusal("feature_name", {"a", "a"}), {"'a'", "twice"});
  ExpectParts(refusal("feature_type", {"float", "x"}), {"feature 1", "'x'", "float, q, int, i, c"});
  ExpectParts(refusal("feature_names", {"a", "b"}),
              {"unknown feature field 'feature_names'", "did you mean 'feature_name'"});
  EXPECT_EQ(refusal("feature_name", {}), "no error");
  EXPECT_TRUE(info.feature_names.empty());
  ExpectParts(MessageOf([&] { GetFeatureStrings(info, "x"); }), {"unknown feature field 'x'"});
}

TEST(MetaInfo, UnknownFields) {
  auto info = ThreeRows();
  ExpectParts(Refusal<float>(info, "lable", {1}), {"unknown field 'lable'", "did you mean 'label'", "base_margin"});
  ExpectParts(MessageOf([&] { GetFloatInfo(info, "weigt"); }), {"unknown float field 'weigt'", "'weight'"});
  ExpectParts(MessageOf([&] { GetFloatInfo(info, "foo"); }), {"unknown float field 'foo'. Known: "});
  ExpectParts(MessageOf([&] { GetUintInfo(info, "group"); }), {"unknown unsigned field 'group'", "group_ptr"});
}

TEST(MetaInfo, ValidateFindsWhatDoesNotFitTheMatrix) {
  auto info = ThreeRows();
  auto const refusal = [&] { return MessageOf([&] { ValidateInfo(info); }); };
  EXPECT_EQ(refusal(), "no error");
  info.labels = {1, 2};
  ExpectParts(refusal(), {"label has 2 values", "expected 3"});
  info = ThreeRows();
  info.group_ptr = {0, 2};
  ExpectParts(refusal(), {"from 0 to 2", "3"});
  info = ThreeRows();
  info.base_margin = {1, 2};
  ExpectParts(refusal(), {"base_margin has 2 values", "3 rows"});
  info = ThreeRows();
  info.feature_names = {"a"};
  ExpectParts(refusal(), {"feature_name has 1 values", "expected 2"});
  info = ThreeRows();
  info.feature_types = {"q"};
  ExpectParts(refusal(), {"feature_type has 1 values"});
  info = ThreeRows();
  info.feature_weights = {1};
  ExpectParts(refusal(), {"feature_weights has 1 values"});
}

/// Query groups may still be set later.
TEST(MetaInfo, ANewMatrixMayLackTheGroupsOfItsWeights) {
  auto info = ThreeRows();
  auto const refusal = [&](void (*validate)(MetaInfo const&)) { return MessageOf([&] { validate(info); }); };
  info.weights = {1, 2};
  EXPECT_EQ(refusal(&ValidateNewInfo), "no error");
  ExpectParts(refusal(&ValidateInfo), {"weight has 2 values", "one sample weight per row, 3"});
  info.group_ptr = {0, 3};
  ExpectParts(refusal(&ValidateNewInfo), {"weight has 2 values", "number of query groups, 1"});
  info.group_ptr = {0, 1, 3};
  EXPECT_EQ(refusal(&ValidateInfo), "no error");
  info = ThreeRows();
  info.weights = {1, 2, 3, 4};
  ExpectParts(refusal(&ValidateNewInfo), {"weight has 4 values"});
}

TEST(MetaInfo, LabelsOfRowsWithoutColumnsAreKeptForTrainingToRefuse) {
  auto info = ThreeRows();
  info.n_cols = 0;
  EXPECT_EQ(Refusal<float>(info, "label", {1, 2}), "no error");
  SetInfo(&info, "label", VectorView(std::vector<float>{1, 2}));
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"label has 2 values", "expected 3"});
}

}  // namespace
}  // namespace kauri
