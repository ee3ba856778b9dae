#include "search/written_execution.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>

#include "accounting/sizes.h"
#include "formulas/link/linker.h"
#include "formulas/read/reader.h"
#include "run/run.h"
#include "run/sources.h"
#include "search/candidate_run.h"
#include "search/space/written_axes.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

Datum plain(const std::string& text) { return Datum::scalar(text, false, {}); }

bool same_bits(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  if (a.text != nullptr && b.text != nullptr) return *a.text == *b.text;
  return std::bit_cast<std::uint64_t>(a.scalar.value) == std::bit_cast<std::uint64_t>(b.scalar.value);
}

bool has(const std::vector<std::string>& names, const std::string& name) { return contains(names, name); }

/// A writer of one candidate. It collects mesh, rules, stack and fields from the documents of the run. Inputs that only
/// the space declares are omitted, because their effect is already resolved: chosen rules, degrees, derived values. At
/// the end it verifies that the document reproduces the run.
class ExecutionWriter {
 public:
  ExecutionWriter(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate, fs::path path, Library& library,
                  Diagnostics& diagnostics)
      : request_(request), answer_(answer), candidate_(candidate), path_(std::move(path)), library_(library), diagnostics_(diagnostics) {}

  /// Returns the execution with its settings. Nothing, with errors, if a condition of a rule has no value, a document
  /// is missing, or the execution does not reproduce the run.
  std::optional<WrittenExecution> write() {
    if (!run_candidate()) return std::nullopt;
    // Rules whose options all have their defaults often have no effect, although the space needs them for other
    // candidates. They are left out if the execution reproduces the run without them.
    leaves_out_defaults_ = true;
    Diagnostics earlier;
    std::swap(diagnostics_, earlier);
    const bool is_done = write_entries();
    if (is_done || left_out_) std::swap(diagnostics_, earlier);  // Messages of an attempt without some rules are ignored.
    if (is_done) return std::move(out_);
    if (!left_out_) {
      earlier.append(std::move(diagnostics_));
      diagnostics_ = std::move(earlier);
      return std::nullopt;
    }
    leaves_out_defaults_ = false;
    axes_.clear(), rules_.clear(), cases_.clear(), out_.settings.clear();
    return write_entries() ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  /// Collects the entries of the execution and compares its run with that of the candidate.
  bool write_entries() {
    std::vector<Datum::Entry> entries = {{plain("kind"), plain("execution")}, {plain("accounting"), plain(name_of(*run_->accounting_document()))}};
    if (Datum mesh = mesh_of_run(); !mesh.entries().empty()) entries.emplace_back(plain("mesh"), std::move(mesh));
    if (orders_ != nullptr) entries.emplace_back(plain("mesh_orders"), *orders_);
    std::optional<Datum> rules = rules_of_run();
    if (!rules) return false;
    if (!rules->items().empty()) entries.emplace_back(plain("rules"), std::move(*rules));
    if (const Document* stack = run_->stack_document()) entries.emplace_back(plain(kStack), plain(name_of(*stack)));
    if (!add_fields(entries)) return false;
    out_.root = Datum::map(std::move(entries), {});
    return reproduces_run();
  }

  bool run_candidate() {
    const RunRequest run = candidate_run(request_, answer_, candidate_);
    out_.system = run.system;
    fields_ = run.fields;
    if ((run_ = prepared(run)) == nullptr) return false;
    const Document& naming = *run_->space_document();
    orders_ = naming.root.find("mesh") != nullptr ? naming.root.find("mesh_orders") : nullptr;
    return true;
  }

  /// Prepares a run. Diagnostics are reported only if it fails; metrics without a value are compared later.
  std::unique_ptr<Run> prepared(const RunRequest& request) {
    std::unique_ptr<Run> run = Run::prepare(request, library_, ignored_);
    if (run == nullptr) diagnostics_.append(std::move(ignored_));
    return run;
  }

  /// Returns the name of a document if the library finds it by name, else its path relative to the folder of the file.
  std::string name_of(const Document& document) {
    Diagnostics ignored;
    if (library_.load(document.name, {document.kind}, ignored) == &document) return document.name;
    std::error_code error;
    const fs::path from_there = fs::relative(document.path, path_.parent_path(), error);
    return error ? document.path.string() : "./" + from_there.string();
  }

  /// Returns the degree of a mesh axis in the run, and notes the axis as written.
  Datum degree(const std::string& axis) {
    axes_.push_back(axis);
    const std::optional<Value> value = run_->value(axis, ignored_);
    return plain(value ? as_written(*value) : "1");
  }

  /// Returns a mesh with the degree of every axis, in order; groups of axes are kept.
  Datum with_degrees(const Datum& mesh) {
    std::vector<Datum::Entry> out;
    for (const auto& [axis, inner] : mesh.entries()) out.emplace_back(axis, inner.is_map() ? with_degrees(inner) : degree(axis.text()));
    return Datum::map(std::move(out), {});
  }

  /// Returns the mesh of the run: axes of the accounting with a value in the candidate or an override, outermost, then
  /// the axes of the space.
  Datum mesh_of_run() {
    const Datum* written = run_->space_document()->root.find("mesh");
    Datum own = written != nullptr ? with_degrees(*written) : Datum::map({}, {});
    std::vector<Datum::Entry> out;
    for (const Document* document : run_->documents()) {
      const Datum* mesh = document->kind == "accounting" ? document->root.find("mesh") : nullptr;
      for (const auto& [axis, _] : mesh != nullptr ? mesh->entries() : std::vector<Datum::Entry>{}) {
        if (!has(axes_, axis.text()) && has_value(axis.text())) out.emplace_back(axis, degree(axis.text()));
      }
    }
    out.insert(out.end(), own.entries().begin(), own.entries().end());
    return Datum::map(std::move(out), {});
  }

  /// Returns whether the candidate or an override sets an input.
  bool has_value(const std::string& name) const {
    return std::any_of(fields_.begin(), fields_.end(), [&](const FieldAssignment& field) { return field.name == name; }) ||
           std::any_of(request_.run.overrides.begin(), request_.run.overrides.end(), [&](const auto& setting) { return setting.first == name; });
  }

  /// Returns the list `rules` of the written execution: names of the rules of execution and space that apply to the
  /// run. An item of the list in a document is a name, or a map from a name to a condition. Conditions are evaluated in
  /// the run and not written, because the candidate is fixed. `rules_` keeps the documents for `link_without_space`.
  /// Returns nothing, with errors, if a condition has no value or a document can't be loaded.
  std::optional<Datum> rules_of_run() {
    std::vector<Datum> names;
    for (const Document* naming : {run_->execution_document(), run_->space_document()}) {
      const Datum* list = naming != nullptr && !naming->kind.empty() ? naming->root.find("rules") : nullptr;
      const bool is_requested = naming == run_->execution_document() && request_.run.rules;  // Paths are relative to the working folder.
      if (is_requested) list = &*request_.run.rules;
      if (list == nullptr) continue;
      for (const Datum& item : list->all()) {
        const std::optional<bool> holds = item.is_map() ? condition_holds(item.entries()[0].second, item.entries()[0].first.text()) : true;
        if (!holds) return std::nullopt;
        if (!*holds) continue;
        const Datum& name = item.is_map() ? item.entries()[0].first : item;
        const Document* document = library_.load(name.text(), {"rules"}, diagnostics_, name.span(), is_requested ? fs::path() : naming->path);
        if (document == nullptr) return std::nullopt;
        if (leaves_out_defaults_ && item.is_map() && has_default_options(*document)) {
          left_out_ = true;
          continue;
        }
        rules_.push_back(document);
        names.push_back(plain(name_of(*document)));
      }
    }
    return Datum::list(std::move(names), {});
  }

  /// Returns whether a rule has options, and every option is false in the run as by default.
  bool has_default_options(const Document& rule) {
    const Datum* const options = rule.root.find("options");
    if (options == nullptr || options->entries().empty()) return false;
    return std::all_of(options->entries().begin(), options->entries().end(), [&](const auto& option) {
      const Datum* const usual = option.second.find("default");
      const std::optional<Value> value = run_->value(option.first.text(), ignored_);
      return usual != nullptr && usual->boolean() == false && value && value->kind == Value::Kind::truth && value->scalar.value == 0;
    });
  }

  /// Evaluates the condition of a rule. Returns nothing, with errors, if it has no value.
  std::optional<bool> condition_holds(const Datum& condition, const std::string& name) {
    const ExprPtr expr = parse_formula(condition, name, diagnostics_);
    Linker linker(run_->program(), run_->evaluator().queries(), diagnostics_);
    const Formula* formula = expr == nullptr ? nullptr : linker.link(expr, *run_->program().graph);
    if (formula == nullptr) return std::nullopt;
    const Answer answer = run_->evaluator().ask(*formula);
    return answer.report(diagnostics_) ? std::optional(as_truth(answer.value).scalar.value != 0) : std::nullopt;
  }

  /// Adds the values of the run's inputs to the execution's `entries`. Values come from overrides (`--set`), then from
  /// the candidate (`fields_`); later values replace earlier ones. Mesh axes are skipped, because `mesh` has their
  /// degrees. Fields of a case, such as `decode.tp`, go to the section `cases`. Paths into a document, such as
  /// `system.memory.capacity`, go to `settings`, because an execution can't contain them. Other names are written if
  /// they exist without the space: inputs of the accounting, parameters of the model, the order of the mesh. Inputs
  /// that the space alone declares have no effect later.
  bool add_fields(std::vector<Datum::Entry>& entries) {
    Sources sources;
    std::optional<Program> without_space;
    if (!link_without_space(entries, sources, without_space)) return false;
    std::vector<std::pair<std::string, std::string>> settings = request_.run.overrides;
    std::erase_if(settings, [&](const auto& setting) { return has(answer_.axes, setting.first) || setting.first == kStack || is_setting(setting.first); });
    sources.add_overrides(settings, diagnostics_);
    std::vector<FieldAssignment> inputs = std::move(sources.program.overrides);
    inputs.insert(inputs.end(), fields_.begin(), fields_.end());
    for (const FieldAssignment& field : inputs) {
      if (has(axes_, field.name)) continue;
      if (is_case_field(field.name)) {
        set_case(field);
        continue;
      }
      const bool order = field.name == kMeshOrder && orders_ != nullptr;
      const bool parameter = run_->program().find_input(field.name) == nullptr || run_->program().model->names.count(field.name) != 0;
      if (order || parameter || without_space->find_input(field.name) != nullptr) set(plain(field.name), field.value, entries);
    }
    for (const auto& setting : request_.run.overrides) {
      if (is_setting(setting.first)) out_.settings.push_back(setting);
    }
    std::vector<Datum::Entry> cases;
    for (auto& [word, values] : cases_) cases.emplace_back(plain(word), Datum::map(std::move(values), {}));
    if (!cases.empty()) entries.emplace_back(plain("cases"), Datum::map(std::move(cases), {}));
    return !diagnostics_.has_errors();
  }

  /// Returns whether a key is a path into a document, such as `system.memory.capacity`; an execution can't contain it.
  bool is_setting(const std::string& key) const { return key.find_first_of(".[") != std::string::npos && !is_case_field(key); }

  /// Returns whether a key is a field of a case, such as `decode.tp`.
  bool is_case_field(const std::string& key) const {
    const std::string word = key.substr(0, key.find('.'));
    const std::vector<CaseSet>& all = run_->program().cases;
    return word != key && std::any_of(all.begin(), all.end(), [&](const CaseSet& cases) { return run_->program().set(cases.set).index.contains(word); });
  }

  /// Sets a field of a case; documents get names that are valid from the folder of the file.
  void set_case(const FieldAssignment& field) {
    const std::size_t dot = field.name.find('.');
    const std::string word = field.name.substr(0, dot), name = field.name.substr(dot + 1);
    Datum value = field.value;
    for (const NamedDocument& named : run_->case_documents()) {
      if (named.word == word && named.role == name) value = plain(name_of(*named.document));
    }
    set(plain(name), value, cases_[word]);
  }

  /// Appends an entry, and removes an earlier entry of the same key.
  static void set(const Datum& key, const Datum& value, std::vector<Datum::Entry>& entries) {
    std::erase_if(entries, [&](const Datum::Entry& entry) { return entry.first.text() == key.text(); });
    entries.emplace_back(key, value);
  }

  /// Links the accounting with mesh and rules of the execution, to learn which inputs exist without the space.
  bool link_without_space(const std::vector<Datum::Entry>& entries, Sources& sources, std::optional<Program>& out) {
    if (!sources.add_accounting(*run_->accounting_document(), library_, diagnostics_)) return false;
    const Datum written = Datum::map(entries, {});
    if (const Datum* mesh = written.find("mesh"); mesh != nullptr && !sources.add_mesh(*mesh, diagnostics_)) return false;
    sources.add_options(rules_);
    out = link_program(sources.program, diagnostics_);
    return out.has_value();
  }

  /// Runs the execution and compares every published metric with the run of the candidate.
  bool reproduces_run() {
    const std::string name = fmt::format("{} (candidate{})", path_.filename().string(), leaves_out_defaults_ ? " without rules" : "");
    const Document* document = library_.provide(name, path_, out_.root, diagnostics_);
    if (document == nullptr) return false;
    RunRequest request;
    request.model = request_.run.model, request.execution = name, request.system = out_.system;
    request.overrides = out_.settings;
    const std::unique_ptr<Run> separate = prepared(request);
    if (separate == nullptr) return false;
    for (const Published& p : separate->program().published) {
      if (!reproduces_metric(*separate, p.name)) return false;
    }
    return true;
  }

  /// Returns whether a metric agrees bit for bit with the run of the candidate and with the reported value, or has no
  /// value in both runs; reports an error if not.
  bool reproduces_metric(Run& separate, const std::string& metric) {
    const std::optional<Value> value = separate.value(metric, ignored_), searched = run_->value(metric, ignored_);
    if (!value && !searched) return true;
    const auto shown = std::find(answer_.metrics.begin(), answer_.metrics.end(), metric);
    const Value* reported = shown == answer_.metrics.end() ? nullptr : &candidate_.metrics[shown - answer_.metrics.begin()];
    const bool as_reported = reported == nullptr || (value && (reported->kind == Value::Kind::nothing || same_bits(*value, *reported)));
    if (value && searched && same_bits(*value, *searched) && as_reported) return true;
    diagnostics_.error({}, fmt::format("the candidate can't be written as an execution: `{}` would be {} and not {}", metric, value ? human(*value) : "unknown",
                                       searched ? human(*searched) : "unknown"));
    return false;
  }

  const SearchRequest& request_;
  const SearchAnswer& answer_;
  const SearchAnswer::Candidate& candidate_;
  const fs::path path_;
  Library& library_;
  Diagnostics& diagnostics_;
  Diagnostics ignored_;  ///< Diagnostics of both runs, not reported.
  std::unique_ptr<Run> run_;
  std::vector<FieldAssignment> fields_;
  std::vector<std::string> axes_;  ///< Mesh axes that are written.
  std::vector<const Document*> rules_;
  std::map<std::string, std::vector<Datum::Entry>> cases_;  ///< Entries of each case.
  const Datum* orders_ = nullptr;
  bool leaves_out_defaults_ = false;  ///< Leave out rules whose options have their defaults.
  bool left_out_ = false;             ///< A rule was left out.
  WrittenExecution out_;
};

}  // namespace

std::optional<WrittenExecution> written_execution(const SearchRequest& request, const SearchAnswer& answer, const SearchAnswer::Candidate& candidate,
                                                  const fs::path& path, Library& library, Diagnostics& diagnostics) {
  return ExecutionWriter(request, answer, candidate, path, library, diagnostics).write();
}

}  // namespace opledger
