#include "run/restated.h"

#include <fmt/core.h>

#include <algorithm>

#include "accounting/linker.h"
#include "accounting/variance.h"
#include "base/text.h"
#include "ops/definition.h"
#include "run/convention.h"

namespace opledger {
namespace {

using Documents = std::vector<const Document*>;

/// What an accounting's documents say of that of a run, each after those it uses.
std::vector<const Datum*> said_of(const Run& run, const Documents& documents) {
  std::vector<const Datum*> out;
  for (const Document* document : documents) {
    const Datum* compares = document->root.find("compares");
    if (compares == nullptr) continue;
    for (const Document* own : run.documents()) {
      const Datum* said = own->kind == "accounting" ? compares->find(own->name) : nullptr;
      if (said != nullptr) out.push_back(said);
    }
  }
  return out;
}

bool tells_inputs(const std::vector<const Datum*>& said) {
  return std::any_of(said.begin(), said.end(), [](const Datum* datum) { return datum->find("inputs") != nullptr; });
}

Documents closure_of(const std::string& accounting, Library& library, Diagnostics& diagnostics) {
  const Document* document = library.load(accounting, {"accounting"}, diagnostics);
  return document == nullptr ? Documents{} : library.closure(*document, {"uses", "extends"}, {"accounting", "ops"}, diagnostics);
}

std::string first_error(const Diagnostics& diagnostics, std::size_t from = 0) {
  for (std::size_t i = from; i < diagnostics.all().size(); ++i) {
    const Diagnostic& d = diagnostics.all()[i];
    if (d.severity != Severity::error) continue;
    return d.span.file == nullptr ? d.message : fmt::format("{} ({})", d.message, to_string(d.span));
  }
  return "it can't be computed";
}

/// `7168 byte`, `true`, `adamw`, a list of such: as an execution would have it.
Datum written(const Value& value, const Span& span) {
  if (value.is_number()) return Datum::scalar(exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit)), false, span);
  if (value.kind == Value::Kind::truth) return Datum::scalar(value.scalar.value != 0 ? "true" : "false", false, span);
  if (value.kind != Value::Kind::list || value.record == nullptr) return Datum::scalar(value.text != nullptr ? *value.text : std::string(), false, span);
  std::vector<Datum> items;
  for (const auto& [_, item] : value.record->fields) items.push_back(written(item, span));
  return Datum::list(std::move(items), span);
}

/// Formulas of an accounting, evaluated in the run of another one.
class Asker {
 public:
  Asker(Run& run, Diagnostics& messages) : run_(run), messages_(messages), scope_(run.program().model) {
    if (!run.has_system()) run.evaluator().excuse(run.program().find("system"));
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() { run_.evaluator().excuse(nullptr); }

  /// Adds values to `out`. False: `why` says what is in the way.
  bool ask(const Datum& said, std::vector<Given>& out) {
    if (const Datum* lets = said.find("let")) {
      scope_ = &Linker(run_.program(), linking_).scope_with(*lets, *scope_);
      if (linking_.failed()) return refuse(first_error(linking_));
      find_variance(run_.program());  // names at an element have a value for each
    }
    if (const Datum* constraints = said.find("constraints")) {
      for (const Datum& constraint : constraints->items()) {
        if (!check(constraint)) return false;
      }
    }
    const Datum* inputs = said.find("inputs");
    for (const auto& [name, formula] : inputs == nullptr ? std::vector<Datum::Entry>{} : inputs->entries()) {
      if (!add(name, formula, out)) return false;
    }
    return true;
  }
  const std::string& why() const { return why_; }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  /// False: it can't be told.
  bool worth(const Datum& formula, const std::string& what, Value& out) {
    const ExprPtr expression = parse_formula(formula, what, linking_);
    const Formula* linked = expression == nullptr ? nullptr : Linker(run_.program(), linking_).link(expression, *scope_);
    if (linked == nullptr) return refuse("what it asks for is not known of this run: " + first_error(linking_));
    const std::size_t before = messages_.all().size();
    out = run_.evaluator().evaluate(*linked, nowhere());
    const bool failed = run_.evaluator().failed(), excused = run_.evaluator().excused();
    run_.evaluator().recover();
    if (failed) out = {};
    return !failed || excused || refuse(first_error(messages_, before));
  }

  bool check(const Datum& constraint) {
    Value holds;
    if (!worth(*constraint.find("require"), "require", holds)) return false;
    return as_truth(holds).scalar.value != 0 || refuse(constraint.find("message")->text());
  }

  bool add(const Datum& name, const Datum& formula, std::vector<Given>& out) {
    Value value;
    if (!worth(formula, name.text(), value)) return false;
    if (value.kind != Value::Kind::nothing) out.push_back({name.text(), written(value, formula.span()), name.span(), false});
    return true;
  }

  Run& run_;
  Diagnostics& messages_;
  Diagnostics linking_;
  const NameScope* scope_;
  std::string why_;
};

/// Systems that have fields `for` the accounting, where it reads some that ordinary ones lack.
std::string systems_for(const Documents& documents, const Run& run, Library& library) {
  if (declared_fields(documents, "system") == nullptr || run.system_document() == nullptr || fields_for(*run.system_document(), documents) != nullptr)
    return {};
  std::vector<std::string> known;
  for (const std::string& name : library.names("system")) {
    Diagnostics ignored;
    const Document* system = library.load(name, {"system"}, ignored);
    if (system != nullptr && fields_for(*system, documents) != nullptr) known.push_back("`" + name + "`");
  }
  return known.empty() ? "" : fmt::format("the system has no fields `for` it; {} have", join(known, ", "));
}

}  // namespace

std::vector<std::string> restating(const Run& run, Library& library) {
  std::vector<std::string> out;
  for (const std::string& name : library.names("accounting")) {
    Diagnostics ignored;
    const Documents documents = closure_of(name, library, ignored);
    const bool whole = std::any_of(documents.begin(), documents.end(), [](const Document* d) { return d->root.find("reports") != nullptr; });
    if (whole && documents.back() != run.accounting_document() && tells_inputs(said_of(run, documents))) out.push_back(name);
  }
  return out;
}

bool restates(const std::string& accounting, const Run& run, Library& library, Diagnostics& diagnostics) {
  return tells_inputs(said_of(run, closure_of(accounting, library, diagnostics)));
}

std::unique_ptr<Restated> restate(Run& run, Diagnostics& messages, const std::string& accounting, Library& library,
                                  const std::vector<std::pair<std::string, std::string>>& changes) {
  auto out = std::make_unique<Restated>();
  out->accounting = accounting;
  const Documents documents = closure_of(accounting, library, out->messages);
  if (documents.empty() || out->messages.failed()) return out->why = first_error(out->messages), std::move(out);
  RunRequest request = run.request();
  request.accounting = accounting;
  const std::vector<const Datum*> said = said_of(run, documents);
  if (tells_inputs(said)) {
    request.overrides.clear();
    request.fields.clear();
    request.taken.emplace();
    Asker asker(run, messages);
    for (const Datum* datum : said) {
      if (!asker.ask(*datum, *request.taken)) return out->why = asker.why(), std::move(out);
    }
  }
  request.overrides.insert(request.overrides.end(), changes.begin(), changes.end());
  out->run = Run::prepare(request, library, out->messages);
  if (out->run != nullptr) return out;
  out->why = systems_for(documents, run, library);
  if (out->why.empty()) out->why = first_error(out->messages);
  return out;
}

const Comparison* comparison_with(const Run& teller, const Run& other) {
  const std::vector<const Document*>& documents = other.documents();
  for (auto document = documents.rbegin(); document != documents.rend(); ++document) {
    const auto found = teller.program().compares.find((*document)->name);
    if ((*document)->kind == "accounting" && found != teller.program().compares.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace opledger
