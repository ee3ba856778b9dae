// Writes a document with fitted constants.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "measured/calibration.h"
#include "schemas/field_path.h"

namespace opledger {
namespace {

Datum plain(const std::string& text) { return Datum::scalar(text, false, {}); }

/// Returns the fields to write into the record of a fitted constant: fields that the measurements name, and the
/// median error.
std::vector<std::pair<std::string, std::string>> companions_of(const CalibratedConstant& c) {
  auto out = c.constant.companions;
  if (!c.constant.error_field.empty() && c.errors.median) out.emplace_back(c.constant.error_field, fmt::format("{:.3f}", *c.errors.median));
  return out;
}

/// Replaces constants in a document. Constants are identified by source position, so all aliases of a value change
/// together.
class Editor {
 public:
  explicit Editor(const std::vector<CalibratedConstant>& constants) : constants_(constants) {}

  /// Returns a copy of a value with fitted constants in place of the stated ones, recursively. A scalar in a mapping is
  /// a constant if it has the constant's position in the source: aliases of a value share its position, so all of them
  /// change together. After a record's entries, the fields that accompany its last fitted constant are written into the
  /// same record.
  Datum edit(const Datum& datum) const {
    if (datum.is_list()) {
      std::vector<Datum> items;
      for (const Datum& item : datum.items()) items.push_back(edit(item));
      return Datum::list(std::move(items), datum.span());
    }
    if (!datum.is_map()) return datum;
    std::vector<Datum::Entry> entries = datum.entries();
    std::vector<std::pair<std::string, std::string>> companions;
    for (auto& [_, value] : entries) {
      const CalibratedConstant* fitted = fitted_at(value);
      if (fitted == nullptr) {
        value = edit(value);
        continue;
      }
      value = plain(fitted->written);
      const auto own = companions_of(*fitted);
      companions.insert(companions.end(), own.begin(), own.end());
    }
    Datum out = Datum::map(std::move(entries), datum.span());
    for (const auto& [key, text] : companions) out = with_field(out, {key}, plain(text));
    return out;
  }

 private:
  const CalibratedConstant* fitted_at(const Datum& value) const {
    if (!value.is_scalar()) return nullptr;
    const auto is_it = [&](const CalibratedConstant& c) {
      return c.constant.stated && c.constant.stated->file != nullptr && c.constant.stated->line == value.span().line &&
             c.constant.stated->column == value.span().column;
    };
    const auto found = std::find_if(constants_.begin(), constants_.end(), is_it);
    return found == constants_.end() ? nullptr : &*found;
  }

  const std::vector<CalibratedConstant>& constants_;
};

constexpr std::string_view kFitted = "Fitted by `opledger calibrate` to measured ";

/// Returns the document's `source` up to the text of an earlier calibration.
std::string source_before(const Document& document) {
  const Datum* source = document.root.find("source");
  if (source == nullptr) return {};
  const std::string text(trim(std::string_view(source->text()).substr(0, source->text().find(kFitted))));
  return text.empty() ? text : text + " ";
}

/// Returns the text for the key `source`: the original text, then each table with its number of rows and its error.
std::string source_of(const Document& document, const Calibration& calibration) {
  std::vector<std::string> parts;
  for (const CalibratedTable& t : calibration.tables) {
    std::string part = fmt::format("{} ({} rows", t.name, t.fitted_after.rows + t.left_out_after.rows);
    if (t.left_out_after.median) part += fmt::format(", median error of those left out {:.1f} %", *t.left_out_after.median * 100);
    parts.push_back(part + ")");
  }
  return fmt::format("{}{}{}.", source_before(document), kFitted, join(parts, ", "));
}

}  // namespace

/// Stated constants are replaced in place, with their companions. Constants that the document does not state are
/// written at all of their paths, then their companions into the same records.
Datum calibrated_document(const Calibration& calibration, const std::string& name) {
  const Document& document = *calibration.document;
  Datum out = Editor(calibration.constants).edit(document.root);
  for (const CalibratedConstant& c : calibration.constants) {
    if (c.constant.stated) continue;
    for (const std::string& path : c.constant.paths) out = with_field(out, steps_of(path), plain(c.written));
  }
  for (const CalibratedConstant& c : calibration.constants) {
    if (c.constant.stated) continue;
    for (const auto& [key, text] : companions_of(c)) out = with_field(out, steps_of(c.constant.record() + "." + key), plain(text));
  }
  if (document.root.find("name") != nullptr) out = with_field(out, {"name"}, Datum::scalar(name, true, {}));
  return with_field(out, {"source"}, Datum::scalar(source_of(document, calibration), true, {}));
}

}  // namespace opledger
