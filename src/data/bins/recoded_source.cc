#include "data/bins/recoded_source.h"

#include <utility>

#include "data/categories/category_names.h"
#include "data/categories/category_view.h"

namespace kauri {
namespace {

/// A batch together with the target numbering of its categories.
struct RecodedBatch {
  ModelCategories target;
  std::unique_ptr<DataView> rows;
  std::shared_ptr<void const> keep;
};

class RecodedSource : public RowSource {
 public:
  RecodedSource(CategoryNameTable const& known, RowSource* source) : known_(known), source_(source) {}
  void Restart() override { source_->Restart(); }
  bool Next(Context const& ctx, RowBatch* batch) override {
    if (!source_->Next(ctx, batch)) return false;
    auto& names = batch->info.category_names;
    if (AgreeOnTables(names, known_)) return true;
    auto recoded = std::make_shared<RecodedBatch>();
    recoded->target.names = JoinTables(known_, names);
    recoded->rows = std::move(batch->rows);
    recoded->keep = std::move(batch->keep);
    batch->rows = std::make_unique<CategoryView>(recoded->target, *recoded->rows);
    names = recoded->target.names;
    batch->keep = std::move(recoded);
    return true;
  }

 private:
  CategoryNameTable const& known_;
  RowSource* source_;
};

}  // namespace

std::unique_ptr<RowSource> InCategoriesOf(CategoryNameTable const& known, RowSource* source) {
  return known.empty() ? nullptr : std::make_unique<RecodedSource>(known, source);
}

}  // namespace kauri
