#include "collective/ranks.h"
#include "collective/row_ranges.h"
#include "data/batches/chain.h"
#include "data/copies/slice.h"
#include "data/data_test_support.h"
#include "data/meta_info.h"

namespace kauri {
namespace {

using Ranges = std::vector<RowRange>;

MetaInfo InfoOf(Ranges const& ranges, std::int64_t n_rows) {
  MetaInfo info;
  info.n_rows = n_rows;
  info.global_rows = ranges;
  return info;
}

Context Of(Collective* collective) {
  Context ctx;
  ctx.collective = collective;
  return ctx;
}

template <typename T>
std::string Refusal(std::vector<T> const& values, std::int64_t n_rows) {
  auto info = InfoOf({}, n_rows);
  auto message = MessageOf(
      [&] { SetInfo(&info, "global_rows", TableView(values, static_cast<std::int64_t>(values.size()) / 2, 2)); });
  EXPECT_TRUE(message == "no error" || info.global_rows.empty()) << "a failed call set something";
  return message;
}

TEST(GlobalRows, AreSetAndReadBack) {
  auto info = InfoOf({}, 9);
  std::vector<std::int64_t> const ranges{4, 2, 6, 3, 9, 0, 0, 4};
  SetInfo(&info, "global_rows", TableView(ranges, 4, 2));
  EXPECT_EQ(info.global_rows, (Ranges{{4, 5}, {0, 4}}));
  EXPECT_EQ(GetUintInfo(info, "global_rows"), (std::vector<std::uint32_t>{4, 5, 0, 4}));
  EXPECT_EQ(MessageOf([&] { ValidateInfo(info); }), "no error");
  info.n_rows = 8;
  ExpectParts(MessageOf([&] { ValidateInfo(info); }), {"global_rows cover 9 rows", "the data have 8"});
  SetInfo(&info, "global_rows", VectorView(std::vector<int>()));
  EXPECT_TRUE(info.global_rows.empty());
  auto unknown = InfoOfUnknownRows();
  SetInfo(&unknown, "global_rows", TableView(ranges, 4, 2));  // the batch itself comes later
  EXPECT_EQ(unknown.global_rows, (Ranges{{4, 5}, {0, 4}}));
}

TEST(GlobalRows, RefusesWhatIsNoSetOfRows) {
  EXPECT_EQ(Refusal<std::int32_t>({7, 3}, 3), "no error");
  EXPECT_EQ(Refusal<double>({7, 3}, 3), "no error");
  ExpectParts(Refusal<double>({7.5, 3}, 3), {"global_rows[0] is 7.5", "integers"});
  ExpectParts(Refusal<std::int32_t>({7, 2}, 3), {"global_rows cover 2 rows", "the data have 3"});
  ExpectParts(Refusal<std::int32_t>({-1, 3}, 3), {"begins at row -1 and has 3 rows", "0 to 4294967295"});
  ExpectParts(Refusal<std::int32_t>({4, -3}, 3), {"begins at row 4 and has -3 rows"});
  ExpectParts(Refusal<std::int64_t>({INT64_MAX, 1}, 1), {"begins at row 9223372036854775807"});
  ExpectParts(Refusal<std::int64_t>({INT64_C(4294967293), 3}, 3), {"begins at row 4294967293 and has 3 rows"});
  EXPECT_EQ(Refusal<std::int64_t>({INT64_C(4294967292), 3}, 3), "no error");
  ExpectParts(Refusal<std::int32_t>({5, 2, 3, 1, 6, 2}, 5), {"row 6 is given twice"});
  ExpectParts(Refusal<std::int32_t>({5, 2, 5, 2}, 4), {"row 5 is given twice"});
  auto info = InfoOf({}, 3);
  std::vector<std::int32_t> const flat{0, 3};
  ExpectParts(MessageOf([&] { SetInfo(&info, "global_rows", VectorView(flat)); }), {"[2, 1]", "[n_ranges, 2]"});
}

TEST(GlobalRows, BatchesJoinTheirsAndSlicesHaveNone) {
  auto const first = InfoOf({{6, 2}}, 2);
  auto const second = InfoOf({{8, 1}, {0, 1}}, 2);
  EXPECT_EQ(JoinInfo({&first, &second}).global_rows, (Ranges{{6, 3}, {0, 1}}));
  auto const without = InfoOf({}, 2);
  ExpectParts(MessageOf([&] { JoinInfo({&first, &without}); }), {"global_rows: batch 1"});
  auto const again = InfoOf({{7, 1}}, 1);
  ExpectParts(MessageOf([&] { JoinInfo({&first, &again}); }), {"row 7 is given twice"});
  auto const matrix = DataMatrix::FromDense({{1, 2, 3}}, 3, 1);
  matrix->MutableInfo()->global_rows = {{3, 3}};
  std::vector<std::int32_t> const rows{2, 0};
  EXPECT_TRUE(Slice({}, *matrix, rows, false)->Info().global_rows.empty());
}

TEST(GlobalRows, OfOneProcessAreAllItsRows) {
  EXPECT_EQ(MessageOf([] { RequirePartition({}, InfoOf({{5, 3}}, 3)); }), "no error");
  EXPECT_EQ(CountGlobalRows({}, 3), 3);
}

/// Returns the common error of all ranks for inconsistent ranges; a rank without ranges has row i as row i.
std::string GroupRefusal(std::vector<Ranges> const& ranges, std::vector<std::int64_t> const& n_rows) {
  auto const errors = RunRanks(static_cast<int>(ranges.size()), [&](Collective* collective) {
    auto const rank = static_cast<std::size_t>(collective->Rank());
    RequirePartition(Of(collective), InfoOf(ranges[rank], n_rows[rank]));
  });
  for (auto const& error : errors) EXPECT_EQ(error, errors[0]);
  return errors[0];
}

/// One of two ranks; the other one sends `words`.
class ToldRank : public Collective {
 public:
  explicit ToldRank(std::vector<std::int64_t> words) : words_(std::move(words)) {}
  int Rank() const override { return 0; }
  int Size() const override { return 2; }
  void Sum(Span<std::int64_t>) override {}
  void Max(Span<std::uint64_t>) override {}
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    auto const* bytes = reinterpret_cast<std::byte const*>(words_.data());
    return {{mine.begin(), mine.end()}, {bytes, bytes + words_.size() * sizeof(words_[0])}};
  }
  void Abort(std::string const&) noexcept override {}

 private:
  std::vector<std::int64_t> words_;
};

TEST(GlobalRows, ReadsWhatComesFromRanksWithCare) {
  auto const refusal = [](std::vector<std::int64_t> const& words) {
    ToldRank told(words);
    return MessageOf([&] { RequirePartition(Of(&told), InfoOf({}, 2)); });
  };
  EXPECT_EQ(refusal({3, 2, 3}), "no error");
  ExpectParts(refusal({}), {"rank 1 describes its rows by 0 numbers; expected an odd count"});
  ExpectParts(refusal({3, 2}), {"by 2 numbers"});
  ExpectParts(refusal({3, 2, INT64_MAX, 4, INT64_MAX}), {"begins at row 2 and has 9223372036854775807 rows"});
  ExpectParts(refusal({3, INT64_MIN, 3}), {"begins at row -9223372036854775808"});
}

TEST(GlobalRows, EachRowIsOnOneRank) {
  EXPECT_EQ(GroupRefusal({{{0, 2}}, {{2, 3}}}, {2, 3}), "");
  EXPECT_EQ(GroupRefusal({{}, {}}, {0, 0}), "");
  EXPECT_EQ(GroupRefusal({{}, {}}, {4, 0}), "");
  ExpectParts(GroupRefusal({{{0, 2}}, {{1, 3}}}, {2, 3}), {"row 1 of all ranks is on rank 0 and on rank 1"});
  ExpectParts(GroupRefusal({{}, {}}, {3, 2}), {"row 0 of all ranks is on rank 0 and on rank 1", "set global_rows"});
  ExpectParts(GroupRefusal({{{0, 2}}, {{3, 3}}}, {2, 3}), {"row 2 of all ranks is on no rank, but row 3 is on rank 1"});
  ExpectParts(GroupRefusal({{{0, 2}}, {{2, 3}}}, {2, 4}), {"rank 1 has 4 rows, but its global_rows cover 3"});
  ExpectParts(GroupRefusal({{{0, INT64_C(4294967295)}}, {{INT64_C(4294967295), 1}}}, {INT64_C(4294967295), 1}),
              {"begins at row 4294967295 and has 1 rows", "4294967295, the most rows of all ranks"});
}

}  // namespace
}  // namespace kauri
