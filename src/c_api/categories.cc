#include "c_api/categories.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "c_api/arrays.h"
#include "c_api/guard.h"
#include "common/text/json_text.h"
#include "data/adapters/columnar.h"
#include "data/categories/category_view.h"

namespace kauri::c_api {
namespace {

/// Concatenated texts, in Arrow's layout.
struct TextBytes {
  std::vector<std::int32_t> offsets{0};
  std::string bytes;
};

struct CategoriesObject;

/// The existing containers. Documents refer to them by number, and any number must be safe to look up.
class LiveCategories {
 public:
  void Add(CategoriesObject const* object) {
    std::lock_guard<std::mutex> const lock(mutex_);
    objects_.insert(object);
  }
  void Remove(CategoriesObject const* object) {
    std::lock_guard<std::mutex> const lock(mutex_);
    objects_.erase(object);
  }
  /// Returns the names of a container. \throws Error(kParameter) unless `handle` is one of them.
  CategoryNameTable NamesOf(std::uintptr_t handle) const;

 private:
  mutable std::mutex mutex_;
  std::set<CategoriesObject const*> objects_;
};

LiveCategories& Live() {
  static auto* const kLive = new LiveCategories;  // never freed, so it outlives containers in static objects
  return *kLive;
}

/// A copy of the names, and the memory that JSON documents about them point to.
struct CategoriesObject : HandleBase {
  explicit CategoriesObject(CategoryNameTable table) : HandleBase(HandleKind::kCategories), names(std::move(table)) {
    Live().Add(this);
  }
  ~CategoriesObject() { Live().Remove(this); }

  CategoryNameTable names;
  std::vector<std::unique_ptr<TextBytes>> texts;
  std::string document;
};

CategoryNameTable LiveCategories::NamesOf(std::uintptr_t handle) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = objects_.find(reinterpret_cast<CategoriesObject const*>(handle));
  if (found != objects_.end()) return (*found)->names;
  Fail(ErrorKind::kParameter, "columns: ref_categories is ", handle,
       ", which is no container of categories: it was freed already, or is another object's handle.");
}

CategoriesObject& CategoriesOf(CategoriesHandle handle) {
  return static_cast<CategoriesObject&>(CheckedHandle(handle, HandleKind::kCategories, "container of categories"));
}

char const* TypestrOf(CategoryNames::Type type) {
  using Type = CategoryNames::Type;
  switch (type) {
    case Type::kI8:
      return "|i1";
    case Type::kU8:
      return "|u1";
    case Type::kI16:
      return "<i2";
    case Type::kU16:
      return "<u2";
    case Type::kI32:
      return "<i4";
    case Type::kU32:
      return "<u4";
    case Type::kU64:
      return "<u8";
    case Type::kI64:
      break;
  }
  return "<i8";
}

/// Exports the names of a feature as JSON. Integers keep their type: they are the low bytes of the int64s.
std::string Export(CategoryNames const& names, CategoriesObject* object) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes come first");
  if (names.Size() == 0) return "null";
  if (!names.numbers.empty()) {
    return InterfaceOf(names.numbers.data(), {names.Size()}, TypestrOf(names.number_type), sizeof(std::int64_t));
  }
  object->texts.push_back(std::make_unique<TextBytes>());
  auto& text = *object->texts.back();
  for (auto const& name : names.texts) {
    text.bytes += name;
    text.offsets.push_back(static_cast<std::int32_t>(text.bytes.size()));
  }
  return JsonObject({{"offsets", InterfaceOf(text.offsets.data(), {text.offsets.size()}, "<i4", sizeof(std::int32_t))},
                     {"values", InterfaceOf(text.bytes.data(), {text.bytes.size()}, "|i1", 1)}});
}

/// Creates a container; null if no category has a name.
CategoriesObject* MakeObject(CategoryNameTable const& names) {
  return names.empty() ? nullptr : new CategoriesObject(names);
}

void ReturnNames(CategoryNameTable const& names, CategoriesHandle* out) { *NotNull(out, "out") = MakeObject(names); }

void ReturnExported(CategoryNameTable const& names, CategoriesHandle* out, char const** export_out) {
  NotNull(out, "out");
  *NotNull(export_out, "export_out") = nullptr;
  std::unique_ptr<CategoriesObject> object(MakeObject(names));
  if (object != nullptr) {
    std::vector<std::string> columns;
    for (auto const& of_feature : object->names) columns.push_back(Export(of_feature, object.get()));
    object->document = JsonArray(columns);
    *export_out = object->document.c_str();
  }
  *out = object.release();
}

CategoryNameTable NamesOf(BoosterHandle handle) {
  BoosterRead const booster(handle);
  auto const& model = booster->learner->GetModel();
  auto names = model.categories.names;
  if (!names.empty()) names.resize(model.n_features);
  return names;
}

/// A view of rows whose categories have the numbers of another table of names.
class RecodedView : public DataView {
 public:
  RecodedView(std::unique_ptr<DataView> rows, CategoryNameTable names)
      : rows_(std::move(rows)), reference_{std::move(names), {}, UnseenCategory::kXGBoost}, view_(reference_, *rows_) {
    SetCategories(reference_.names);
  }
  std::int64_t NumRows() const override { return rows_->NumRows(); }
  std::int64_t NumCols() const override { return rows_->NumCols(); }
  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    view_.CopyRows(begin, end, n_cols, tile);
  }

 private:
  std::unique_ptr<DataView> rows_;
  ModelCategories reference_;
  CategoryView view_;
};

}  // namespace

std::unique_ptr<DataView> ColumnarViewOf(char const* columns, float missing, Infinities infinities,
                                         ModelCategories const* known) {
  auto const parsed = ParseJsonText(columns, ErrorKind::kData);
  auto const& document = parsed.Root();
  if (!document.is_object()) return MakeColumnarView(columns, missing, infinities, known);
  auto view = MakeColumnarView(JsonMember(document, "columns").dump(), missing, infinities);
  auto const& reference = JsonMember(document, "ref_categories");
  if (reference.is_null()) return view;
  if (!reference.is_number_unsigned()) {
    Fail(ErrorKind::kData, "columns: ref_categories is ", reference.dump(), "; expected a handle as an integer.");
  }
  auto names = Live().NamesOf(reference.get<std::uintptr_t>());
  names.resize(view->NumCols());
  return std::make_unique<RecodedView>(std::move(view), std::move(names));
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGDMatrixGetCategories(DMatrixHandle handle, char const* /*config*/, CategoriesHandle* out) {
  return Guard([&] { ReturnNames(DataRead(handle)->Info().category_names, out); });
}

int XGBoosterGetCategories(BoosterHandle handle, char const* /*config*/, CategoriesHandle* out) {
  return Guard([&] { ReturnNames(NamesOf(handle), out); });
}

int XGDMatrixGetCategoriesExportToArrow(DMatrixHandle handle, char const* /*config*/, CategoriesHandle* out,
                                        char const** export_out) {
  return Guard([&] { ReturnExported(DataRead(handle)->Info().category_names, out, export_out); });
}

int XGBoosterGetCategoriesExportToArrow(BoosterHandle handle, char const* /*config*/, CategoriesHandle* out,
                                        char const** export_out) {
  return Guard([&] { ReturnExported(NamesOf(handle), out, export_out); });
}

int XGBCategoriesFree(CategoriesHandle handle) {
  return Guard([&] {
    if (handle != nullptr) delete &CategoriesOf(handle);
  });
}
