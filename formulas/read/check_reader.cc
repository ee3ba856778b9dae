#include "formulas/read/check_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

std::string text_of(const Datum& check, const char* key) {
  const Datum* text = check.find(key);
  return text == nullptr ? std::string() : std::string(trim(text->text()));
}

/// A reader of single checks, which links their formulas.
class CheckReader {
 public:
  CheckReader(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  Check read(const Datum& key, const Datum& value) {
    // Reads one check: two formulas that must agree, with conditions and tolerances. A parameter under `needs` may
    // exist neither in the model nor globally. Only the descriptive fields are read then, and `lacking` names the
    // parameter, because the formulas could not be linked. Formulas see the model's parameters and the check's own
    // `let`.
    Check check;
    check.name = key.text();
    check.span = key.span();
    check.doc = text_of(value, "doc");
    check.skipped = text_of(value, "skipped");
    for (const std::string& name : value.texts("needs")) {
      check.needs.push_back(name);
      if (check.lacking.empty() && program_.model->names.count(name) == 0 && program_.find(name) == nullptr) check.lacking = name;
    }
    if (!check.lacking.empty()) return check;
    if (const Datum* over = value.find("for")) check.over = linker_.set_named(over->text(), over->span());
    const Datum* lets = value.find("let");
    link(value, lets == nullptr ? *program_.model : linker_.scope_with(*lets, *program_.model), check);
    return check;
  }

 private:
  void link(const Datum& value, const NameScope& scope, Check& check) {
    const auto formula = [&](const char* key) -> const Formula* {
      const Datum* text = value.find(key);
      return text == nullptr ? nullptr : linker_.link(parse_expression(text->text(), text->span(), diagnostics_), scope);
    };
    check.when = formula("when");
    check.where = formula("where");
    check.left = formula("left");
    check.right = formula("right");
    check.tolerance = formula("tolerance");
    check.within = formula("within");
  }

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
};

template <class T, class F>
void put(std::vector<T>& all, T item, F&& is_it) {
  // Replaces the item that `is_it` selects, or appends the item.
  const auto old = std::find_if(all.begin(), all.end(), is_it);
  if (old != all.end())
    *old = std::move(item);
  else
    all.push_back(std::move(item));
}

template <class F>
void each(const std::vector<const Document*>& documents, const char* section, F&& f) {
  for (const Document* document : documents) {
    const Datum* datum = document->root.find(section);
    if (datum == nullptr || !datum->is_map()) continue;
    for (const auto& [key, value] : datum->entries()) f(key, value);
  }
}

}  // namespace

void read_checks(Program& program, Linker& linker, const std::vector<const Document*>& documents, Diagnostics& diagnostics) {
  CheckReader reader(program, linker, diagnostics);
  each(documents, "checks",
       [&](const Datum& key, const Datum& value) { put(program.checks, reader.read(key, value), [&](const Check& c) { return c.name == key.text(); }); });
}

void read_commands(Program& program, const std::vector<const Document*>& documents, Diagnostics& diagnostics) {
  std::vector<std::string> known = names_of(program.global->names);
  for (const Published& published : program.published) known.push_back(published.name);
  std::sort(known.begin(), known.end());
  each(documents, "commands", [&](const Datum& command, const Datum& roles) {
    for (const auto& [word, name] : roles.entries()) {
      if (!std::binary_search(known.begin(), known.end(), name.text()))
        diagnostics.error(name.span(), fmt::format("unknown name `{}`{}", name.text(), suggestion(name.text(), known)));
      put(program.commands[command.text()], Role{word.text(), name.text(), name.span()}, [&w = word](const Role& role) { return role.word == w.text(); });
    }
  });
}

}  // namespace opledger
