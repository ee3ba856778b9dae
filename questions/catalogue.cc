#include "questions/catalogue.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/printer.h"
#include "formulas/link/published.h"
#include "questions/linked_accounting.h"

namespace opledger {
namespace {

/// Returns a documentation text as one line: trimmed, with blanks in place of line ends.
std::string in_a_line(const std::string& doc) {
  std::string out(trim(doc));
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

/// Lists published metrics.
Catalogue metrics(const Program& program) {
  Catalogue out{"Metrics", "metric", {"unit"}, {}};
  for (const Published& p : program.published) {
    const Def* def = p.metric->described();
    out.rows.push_back({p.name, {declared_unit(*p.metric)}, def != nullptr ? in_a_line(def->doc) : ""});
  }
  return out;
}

/// Lists inputs; a record is listed field by field (`system.memory.capacity`), since users set fields.
class Inputs {
 public:
  explicit Inputs(const Program& program) : program_(program) {}

  /// Adds a row per scalar below `path`. `default_value`: default of the input; null if the user must set it.
  void add(const std::string& path, const Type& type, const Datum* default_value) {
    if (type.optional) default_value = &type.fallback;
    if (type.kind == Type::Kind::record) {
      for (const auto& [field, inner] : type.fields) add(path + "." + field, inner, default_value != nullptr ? default_value->find(field) : nullptr);
    } else if (type.kind == Type::Kind::list && type.of->kind == Type::Kind::record) {
      add(path + "[]", *type.of, nullptr);
    } else if (type.kind == Type::Kind::per && type.of->kind == Type::Kind::record) {
      add(path + ".<" + set_of(type) + ">", *type.of, nullptr);
    } else {
      const Type& element = type.of != nullptr ? *type.of : type;  // element type of a list or mapping
      const bool none = default_value == nullptr || (&element != &type && default_value->is_map() && default_value->entries().empty());
      if (none && element.optional) default_value = &element.fallback;
      add_row(path, {kind_of(type), element.unit_text, default_value != nullptr ? flow(*default_value) : ""}, type.doc.empty() ? element.doc : type.doc);
    }
  }

  void add_row(const std::string& path, std::vector<std::string> facts, const std::string& doc) {
    out_.rows.push_back({path, std::move(facts), in_a_line(doc)});
  }

  Catalogue take() { return std::move(out_); }

 private:
  std::string set_of(const Type& type) const { return !type.set ? "axis" : program_.set(type.set).name; }

  /// Returns the type of an input as text for a listing, such as `list of integer`, `number by phase` or `[size:
  /// integer]`. Element types are written recursively. A type of words lists the words of its set; every type without a
  /// case of its own is a number.
  std::string kind_of(const Type& type) const {
    switch (type.kind) {
      case Type::Kind::integer:
        return "integer";
      case Type::Kind::boolean:
        return "boolean";
      case Type::Kind::text:
        return "text";
      case Type::Kind::words:
        return join(program_.set(type.set).words, ", ");
      case Type::Kind::list:
        return "list of " + kind_of(*type.of);
      case Type::Kind::per:
        return kind_of(*type.of) + " by " + set_of(type);
      case Type::Kind::steps:
        return "steps";
      case Type::Kind::points:
        return "points";
      case Type::Kind::tuple: {
        std::vector<std::string> fields;
        for (const auto& [field, inner] : type.fields) fields.push_back(field + ": " + kind_of(inner));
        return "[" + join(fields, ", ") + "]";
      }
      default:
        return "number";
    }
  }

  const Program& program_;
  Catalogue out_{"Inputs", "input", {"type", "unit", "default"}, {}};
};

/// Lists the inputs that an accounting declares, then the documents that it reads by role (`documents`). A record has
/// one row for each scalar field, which `Inputs::add` finds recursively. An axis of the mesh is an input too; its row
/// has the default degree. `listed` holds the names so far, because a role may also be an input.
Catalogue inputs(const Program& program, const Sources& sources) {
  Inputs out(program);
  std::vector<std::string> listed;
  for (const auto& [input, _] : program.inputs) {
    listed.push_back(input->name);
    const auto axis = std::find_if(sources.program.axes.begin(), sources.program.axes.end(), [&](const auto& a) { return a.first == listed.back(); });
    if (axis == sources.program.axes.end())
      out.add(input->name, input->type, nullptr);
    else
      out.add_row(input->name, {"integer", "", flow(axis->second)}, "ranks along this axis of the mesh");
  }
  for (const Document* document : sources.documents) {
    const Datum* declared = document->kind == "accounting" ? document->root.find("documents") : nullptr;
    for (const auto& [role, _] : declared != nullptr ? declared->entries() : std::vector<Datum::Entry>{}) {
      const Name* name = program.find(role.text());
      if (name == nullptr || contains(listed, role.text())) continue;
      listed.push_back(role.text());
      out.add(role.text(), name->type, nullptr);
    }
  }
  return out.take();
}

/// Returns the default of a quantity: `0`, `by phase`, `by phase, else 0`.
std::string default_formula(const Def& def, const Program& program) {
  const std::string otherwise = def.otherwise == nullptr || def.otherwise->source == nullptr ? "" : to_source(*def.otherwise->source);
  if (def.cases.empty()) return otherwise;
  const std::string by = "by " + program.set(def.set).name;
  return otherwise.empty() ? by : by + ", else " + otherwise;
}

Catalogue quantities(const Program& program) {
  Catalogue out{"Quantities", "quantity", {"of", "unit", "default"}, {}};
  for (const auto& name : program.names) {
    if (!name->at_node && !name->of) continue;
    const Def* def = name->described();
    if (def == nullptr) continue;
    out.rows.push_back({name->name, {!name->of ? "node" : program.set(name->of).name, def->unit_text, default_formula(*def, program)}, in_a_line(def->doc)});
  }
  return out;
}

std::vector<std::string> keys_of(const Datum* section) {
  std::vector<std::string> out;
  if (section == nullptr) return out;
  for (const auto& [key, _] : section->entries()) out.push_back(key.text());
  return out;
}

std::string text_under(const Datum& value, const char* key) {
  const Datum* found = value.find(key);
  return found == nullptr ? "" : in_a_line(found->text());
}

/// Lists the attributes of an operator: `over, window = 0`. A node must set an attribute without a default.
std::string attributes_of(const Datum& value) {
  std::vector<std::string> out;
  const Datum* section = value.find("attributes");
  for (const auto& [key, attribute] : section != nullptr ? section->entries() : std::vector<Datum::Entry>{}) {
    const Datum* default_value = attribute.find("value") != nullptr ? attribute.find("value") : attribute.find("dims");
    out.push_back(key.text() + (default_value != nullptr ? " = " + flow(*default_value) : ""));
  }
  return join(out, ", ");
}

void add_operators(const Document& document, Catalogue& out) {
  const Datum* section = document.root.find("ops");
  for (const auto& [key, value] : section != nullptr ? section->entries() : std::vector<Datum::Entry>{})
    out.rows.push_back({key.text(),
                        {join(value.texts("extends"), ", "), join(keys_of(value.find("in")), ", "), join(keys_of(value.find("weights")), ", "),
                         join(keys_of(value.find("out")), ", "), attributes_of(value), document.name},
                        text_under(value, "doc")});
}

void add_blocks(const Document& document, Catalogue& out) {
  const Datum* section = document.root.find("blocks");
  for (const auto& [key, value] : section != nullptr ? section->entries() : std::vector<Datum::Entry>{})
    out.rows.push_back({key.text(), {join(keys_of(value.find("inputs")), ", "), document.name}, text_under(value, "doc")});
}

/// Fills the table `out` with `add` from the documents of a kind: from the document `named`, or from all on the search
/// path if `named` is empty. Returns nothing, with errors, if the document `named` can't be read.
std::optional<Catalogue> of_documents(const std::string& kind, const std::string& named, Catalogue out, void (*add)(const Document&, Catalogue&),
                                      Library& library, Diagnostics& diagnostics) {
  for (const std::string& name : named.empty() ? library.names(kind) : std::vector<std::string>{named}) {
    Diagnostics own;
    const Document* document = library.load(name, {kind}, own);
    if (document != nullptr) {
      add(*document, out);
    } else if (named.empty()) {
      diagnostics.warning({}, fmt::format("`{}` can't be read and is left out", name));  // One bad document must not hide the others.
    } else {
      diagnostics.append(std::move(own));
      return std::nullopt;
    }
  }
  return out;
}

/// Adds the inputs of every space on the search path that evaluates candidates by this accounting; each description
/// begins with the space. Unreadable spaces are left out.
void add_spaces(const std::string& accounting, Library& library, Catalogue& out) {
  for (const std::string& name : library.names("search")) {
    Diagnostics ignored;
    const Document* const space = library.load(name, {"search"}, ignored);
    if (space == nullptr || !contains(space->root.texts("accounting"), accounting)) continue;
    for (Catalogue::Row& row : space_inputs(*space).rows) {
      row.doc = fmt::format("search {}: {}", space->name, row.doc);
      out.rows.push_back(std::move(row));
    }
  }
}

constexpr const char* kWords[] = {"metrics", "inputs", "quantities", "operators", "block-definitions"};

}  // namespace

Catalogue space_inputs(const Document& space) {
  Catalogue out{"Inputs", "input", {"type", "unit", "default"}, {}};
  const Datum* const declared = space.root.find("inputs");
  for (const auto& [name, type] : declared != nullptr ? declared->entries() : std::vector<Datum::Entry>{}) {
    const Datum *kind = type.is_map() ? type.find("type") : &type, *fallback = type.find("default");
    const std::string words = kind == nullptr ? "number" : kind->is_list() ? join(names_of(kind->items()), ", ") : flow(*kind);
    out.rows.push_back({name.text(), {words, "", fallback != nullptr ? flow(*fallback) : ""}, text_under(type, "doc")});
  }
  return out;
}

std::vector<std::string> catalogue_names() { return {std::begin(kWords), std::end(kWords)}; }

bool is_catalogue(const std::string& word) { return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords); }

std::optional<Catalogue> catalogue(const std::string& word, const std::string& document, Library& library, Diagnostics& diagnostics) {
  if (word == "operators") {
    const Catalogue empty{"Operators", "operator", {"extends", "in", "weights", "out", "attributes", "document"}, {}};
    return of_documents("ops", document, empty, add_operators, library, diagnostics);
  }
  if (word == "block-definitions") {
    const Catalogue empty{"Blocks", "block", {"inputs", "document"}, {}};
    return of_documents("blocks", document, empty, add_blocks, library, diagnostics);
  }
  LinkedAccounting accounting;
  if (!link_accounting(document, library, accounting, diagnostics)) return std::nullopt;
  if (word == "metrics") return metrics(*accounting.program);
  if (word == "quantities") return quantities(*accounting.program);
  Catalogue out = inputs(*accounting.program, accounting.sources);
  add_spaces(accounting.name, library, out);
  return out;
}

}  // namespace opledger
