#include "measured/measured_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/lists.h"
#include "base/text.h"
#include "formulas/link/types.h"
#include "models/model.h"
#include "questions/linked_accounting.h"
#include "schemas/field_path.h"

namespace opledger {
namespace {

/// Returns whether a step of a path matches any field: `*` or `{COLUMN}`.
bool is_open(const std::string& step) { return step.find_first_of("*{") != std::string::npos; }

/// Returns the type that the first `count` steps of a path lead to, beginning with step `from` in `type`; null if no
/// field has the path. With a name in `with`, the type must have a field of this name. In a record, a step is the
/// name of a field, or `*` or `{COLUMN}` for any field. In a list or table, any step is an element. `*` may match
/// several levels, so the search backtracks.
const Type* type_at(const Type& type, const std::vector<std::string>& steps, std::size_t count, const std::string& with = {}, std::size_t from = 0) {
  if (from == count) return with.empty() || contains(names_of(type.fields), with) ? &type : nullptr;
  const auto below = [&](const Type& inner) {
    const Type* const found = type_at(inner, steps, count, with, from + 1);
    return found == nullptr && steps[from] == "*" ? type_at(inner, steps, count, with, from) : found;
  };
  if (type.of != nullptr) return below(*type.of);
  for (const auto& [name, field] : type.fields) {
    if (name != steps[from] && !is_open(steps[from])) continue;
    if (const Type* const found = below(field)) return found;
  }
  return nullptr;
}

/// Checks names of one merged document against the inputs of an accounting.
class MeasuredNames {
 public:
  MeasuredNames(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {
    for (const auto& [input, _] : program.inputs) known_.push_back(input->name);
  }

  void add_parameters(const Model& model) {
    for (const Definition& parameter : model.parameters) known_.push_back(parameter.name);
  }

  /// Checks every name in a merged document, section by section. The columns of a table are declared by `columns`,
  /// `seconds` and `where`; rows and conditions may name no others. `set` and `fits` name inputs, parameters or fields
  /// of the system, and lists and records under `set` must have the type of their input (a run checks scalars).
  /// `fits_inputs` says that constants of a stack are fitted: they have no record, so the fields next to them
  /// (`also_set`) are not checked.
  void check(const Datum& root, bool fits_inputs) {
    for (const char* section : {"columns", "seconds", "where"}) {
      for (const auto& [column, _] : entries(root, section)) columns_.push_back(column.text());
    }
    if (const Datum* rows = root.find("rows")) {
      for (const Datum& row : rows->items()) check_columns(row);
    }
    for (const auto& [name, value] : entries(root, "set")) {
      if (check_path(name)) check_value(name.text(), value);
    }
    for (const auto& [name, _] : entries(root, "fits")) {
      check_path(name);
      if (!fits_inputs) check_companions(name.text(), entries(root, "also_set"));
    }
    const Datum* const corrects = root.find("corrects");
    for (const Datum& entry : corrects != nullptr ? corrects->items() : std::vector<Datum>{}) {
      if (const Datum* where = entry.find("where")) check_columns(*where);
      check_path(*entry.find("field"));
      check_companions(entry.find("field")->text(), entries(entry, "also_set"));
    }
  }

 private:
  static const std::vector<Datum::Entry>& entries(const Datum& map, std::string_view key) {
    static const std::vector<Datum::Entry> kNone;
    const Datum* const found = map.find(key);
    return found != nullptr ? found->entries() : kNone;
  }

  void check_columns(const Datum& map) {
    for (const auto& [column, _] : map.entries()) {
      if (!contains(columns_, column.text()))
        diagnostics_.error(column.span(), fmt::format("unknown column `{}`{}", column.text(), known_names(column.text(), "columns", columns_)));
    }
  }

  /// Returns true for an input, a parameter or the path of a field of the system. Reports any other name. An unknown
  /// path is reported at its first unknown step, with the fields that are known there.
  bool check_path(const Datum& name) {
    if (contains(known_, name.text()) && name.text() != "system") return true;
    const Type* const system = system_type();
    const std::vector<std::string> steps = steps_of(name.text());
    if (system == nullptr || steps.empty() || name.text().rfind("system.", 0) != 0) {
      diagnostics_.error(name.span(), fmt::format("unknown input `{}`{}", name.text(), known_names(name.text(), "inputs", known_)));
      return false;
    }
    for (std::size_t count = 1; count <= steps.size(); ++count) {
      if (type_at(*system, steps, count) != nullptr) continue;
      report_field(name, steps[count - 1], *type_at(*system, steps, count - 1));
      return false;
    }
    return true;
  }

  /// Checks a list or record for an input by reading it as the input's type. Scalars are checked when a run reads
  /// them.
  void check_value(const std::string& name, const Datum& value) {
    const Name* const input = program_.find_input(name);
    const std::vector<std::string> steps = steps_of(name);
    const Type* const type = input != nullptr ? &input->type : steps.empty() ? nullptr : type_at(*system_type(), steps, steps.size());
    if (type == nullptr || scalar_type(*type)) return;
    Formulas unused;
    Linker linker(program_, unused, diagnostics_);
    read_value(program_, linker, *type, value, name, diagnostics_);
  }

  /// Reports fields that the record around the field of `path` lacks. Each field is reported once, because several
  /// paths may share the fields.
  void check_companions(const std::string& path, const std::vector<Datum::Entry>& fields) {
    const Type* const system = system_type();
    std::vector<std::string> steps = steps_of(path);
    if (system == nullptr || steps.empty()) return;
    const Type* const around = type_at(*system, steps, steps.size() - 1, steps.back());
    for (const auto& [field, _] : fields) {
      if (around != nullptr && !contains(names_of(around->fields), field.text()) && !contains(reported_, &field)) {
        reported_.push_back(&field);
        report_field(field, field.text(), *around);
      }
    }
  }

  void report_field(const Datum& at, const std::string& field, const Type& around) {
    diagnostics_.error(at.span(), fmt::format("the system has no field `{}` here{}", field, known_names(field, "fields", names_of(around.fields))));
  }

  const Type* system_type() const {
    const Name* const system = program_.find("system");
    return system != nullptr && system->input ? &system->type : nullptr;
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_;    ///< Names of inputs and parameters.
  std::vector<std::string> columns_;  ///< Columns of rows.
  std::vector<const Datum*> reported_;
};

}  // namespace

/// Names are checked against the document's accounting and model, because no system or table is known here. The document
/// is first merged over the documents that it extends. With the key `runs`, it measures whole runs and fits
/// inputs of a stack; otherwise it fits fields of a system.
void check_measured_names(const Document& document, Library& library, Diagnostics& diagnostics) {
  Datum root;
  for (const Document* d : library.closure(document, {"extends"}, {"measurements"}, diagnostics)) {
    root = root.is_null() ? d->root : root;
    for (const auto& [key, value] : d->root.entries()) root = with_field(root, {key.text()}, value);
  }
  LinkedAccounting linked;
  const Datum* const accounting = root.find("accounting");
  if (!link_accounting(accounting != nullptr ? accounting->text() : "", library, linked, diagnostics)) return;
  MeasuredNames names(*linked.program, diagnostics);
  if (const Datum* model = root.find("model")) {
    const Document* const named = library.load(model->text(), {"model"}, diagnostics, model->span(), document.path);
    if (const auto loaded = named != nullptr ? load_model(*named, library, diagnostics) : std::nullopt) names.add_parameters(*loaded);
  }
  names.check(root, root.find("runs") != nullptr);
}

}  // namespace opledger
