#include "data/text/text_source.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "data/batches/chain.h"
#include "data/text/text_reader.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

std::string WriteText(char const* name, std::string const& text) {
  auto const path = ::testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

/// Returns a text with more blocks than are read at once.
std::string LongCsv() {
  Random random(1);
  std::string text;
  while (text.size() < 5 * TextFile::kBlockBytes * 2) {
    for (int field = 0; field < 4; ++field) text += std::to_string(random.Below(100000)) + (field < 3 ? "," : "\n");
  }
  return text;
}

std::string LongLibsvm() {
  Random random(2);
  std::string text;
  for (int row = 0; text.size() < 5 * TextFile::kBlockBytes * 2; ++row) {
    text += std::to_string(row % 2) + " qid:" + std::to_string(row / 70);
    for (std::uint32_t feature = 1; feature < 100; feature += 1 + random.Below(60)) {
      text += ' ' + std::to_string(feature) + ':' + std::to_string(random.Below(100000));
    }
    text += '\n';
  }
  return text;
}

/// Returns all batches concatenated.
std::unique_ptr<DataMatrix> ReadAll(TextSource* source, std::size_t* n_batches) {
  Context ctx;
  ctx.threads = 2;
  std::vector<std::unique_ptr<DataMatrix>> parts;
  source->Restart();
  for (RowBatch batch; source->Next(ctx, &batch); batch = {}) {
    parts.push_back(DataMatrix::FromView(ctx, *batch.rows));
    *parts.back()->MutableInfo() = batch.info;
  }
  *n_batches = parts.size();
  return Concatenate(ctx, std::move(parts));
}

void ExpectSameAsReader(char const* format, std::string const& path, ParamMap const& params) {
  Context const ctx;
  auto const whole = std::string(format) == "csv" ? ReadCsv(ctx, path, params) : ReadLibsvm(ctx, path, params);
  auto const source = MakeTextSource(ctx, format, path, params);
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t n_batches = 0;
    auto const joined = ReadAll(source.get(), &n_batches);
    EXPECT_GT(n_batches, 1U);
    EXPECT_EQ(joined->NumCols(), whole->NumCols());
    EXPECT_EQ(joined->Csr().row_ptr, whole->Csr().row_ptr);
    EXPECT_EQ(joined->Csr().features, whole->Csr().features);
    EXPECT_EQ(joined->Csr().values, whole->Csr().values);
    EXPECT_EQ(joined->Dense().values, whole->Dense().values);
    EXPECT_EQ(joined->Info().labels, whole->Info().labels);
    EXPECT_EQ(source->GroupPtr(), whole->Info().group_ptr);
  }
}

TEST(TextSource, BatchesAreTheFile) {
  ExpectSameAsReader("csv", WriteText("long.csv", LongCsv()), {{"label_column", "1"}});
  ExpectSameAsReader("libsvm", WriteText("long.libsvm", LongLibsvm()), {{"indexing_mode", "1"}});
}

TEST(TextSource, FaultsNameTheirLine) {
  auto text = LongCsv();
  auto const n_lines = std::count(text.begin(), text.end(), '\n');
  auto const csv = WriteText("bad.csv", text + "1,2,x,4\n");
  auto const line = "line " + std::to_string(n_lines + 1);
  EXPECT_NE(MessageOf([&] {
              std::size_t n = 0;
              ReadAll(MakeTextSource(Context{}, "csv", csv, {}).get(), &n);
            }).find(line),
            std::string::npos);
  text = LongLibsvm();
  auto const n_rows = std::count(text.begin(), text.end(), '\n');
  auto const libsvm = WriteText("bad.libsvm", text + "1 qid:3 1:2\n");
  auto const message = MessageOf([&] { MakeTextSource(Context{}, "libsvm", libsvm, {}); });
  EXPECT_NE(message.find("line " + std::to_string(n_rows + 1) + ": qid:3 follows"), std::string::npos) << message;
  EXPECT_NE(MessageOf([&] { MakeTextSource(Context{}, "binary", csv, {}); }).find("it must be csv or libsvm"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] {
              MakeTextSource(Context{}, "csv", csv, {{"labels", "1"}});
            }).find("labels"),
            std::string::npos);
}

}  // namespace
}  // namespace kauri
