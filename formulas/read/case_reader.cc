#include "formulas/read/case_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "expr/parser.h"

namespace opledger {
namespace {

constexpr const char* kTogether = "together";
constexpr const char* kLike = "like";
constexpr const char* kMean = "mean";

/// Returns the formula of an average `{mean: FORMULA}`; null for any other value.
const Datum* mean_of(const Datum& value) { return value.is_map() && value.entries().size() == 1 ? value.find(kMean) : nullptr; }

/// Reports every other key of a mapping that has the key `mean`.
void check_mean(const Datum& value, Diagnostics& diagnostics) {
  if (!value.is_map() || value.find(kMean) == nullptr) return;
  for (const auto& [key, _] : value.entries()) {
    if (key.text() != kMean) diagnostics.error(key.span(), fmt::format("unknown key `{}`{}", key.text(), known_names(key.text(), "keys", {kMean})));
  }
}

template <class T, class Same>
void add_new(const std::vector<T>& from, std::vector<T>& into, const Same& same) {
  // Appends the items that `into` lacks. Only its original items are compared.
  const std::size_t own = into.size();
  for (const T& item : from) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(own);
    if (std::none_of(into.begin(), end, [&](const T& other) { return same(item, other); })) into.push_back(item);
  }
}

}  // namespace

void CaseReader::declare(const Document& document) {
  // Reads the section `cases` of an accounting: sets of words, each with the inputs and parameters that change at the
  // word. A set of cases is also a word set of the program, with its first word, the unchanged run, as default. A later
  // document may add words to a set that an earlier document declared. The values are only collected here; `define`
  // links them when all names are declared.
  const Datum* all = document.root.find("cases");
  if (all == nullptr || !all->is_map()) return;
  for (const auto& [name, words] : all->entries()) {
    const SetId known = program_.find_set(name.text());
    auto set = std::find_if(program_.cases.begin(), program_.cases.end(), [&](const CaseSet& s) { return s.set == known; });
    if (known && set == program_.cases.end()) {
      diagnostics_.error(name.span(), fmt::format("`{}` is a set already", name.text()));
      continue;
    }
    if (!known) {
      auto created = std::make_unique<Set>();
      created->name = name.text();
      created->span = name.span();
      created->default_word = 0;
      program_.cases.push_back({program_.add(std::move(created)).id, {}});
      set = program_.cases.end() - 1;
    }
    for (const auto& [word, values] : words.entries()) declare_word(*set, word, values);
    if (set->words.size() > kMaxCases)
      diagnostics_.error(name.span(), fmt::format("`{}` has {} words, and at most {} are possible", name.text(), set->words.size(), kMaxCases));
    if (set->words.empty()) diagnostics_.error(name.span(), fmt::format("`{}` needs a word", name.text()));
  }
}

/// Declares a word of a set of cases, if it is new, and collects its entries. These are values of inputs and
/// parameters, `together` (words whose elements the word unites) and `like` (a word whose values it inherits). All are
/// resolved by `define`.
void CaseReader::declare_word(CaseSet& cases, const Datum& word, const Datum& values) {
  Set& set = *program_.sets[cases.set];
  if (set.index.emplace(word.text(), static_cast<WordId>(set.words.size())).second) {
    set.words.push_back(word.text());
    set.texts.push_back(word.text());
    cases.words.emplace_back().values.resize(program_.models.size());
  }
  for (const auto& [name, value] : values.entries()) {
    if (name.text() == kTogether)
      together_.emplace_back(word.text(), &value);
    else if (name.text() == kLike)
      inheritances_.push_back({word.text(), value.text(), value.span()});
    else if (name.text() != "doc")
      set_value({word.text(), name.text(), value, name.span(), false});
  }
}

/// Adds an assignment or replaces an earlier one of the same word and name.
void CaseReader::set_value(CaseAssignment assignment) {
  const auto same = [&](const CaseAssignment& other) { return other.word == assignment.word && other.name == assignment.name; };
  const auto old = std::find_if(assignments_.begin(), assignments_.end(), same);
  if (old == assignments_.end())
    assignments_.push_back(std::move(assignment));
  else
    *old = std::move(assignment);
}

/// Returns the case word in front of the first dot; empty if the name does not begin with a case word.
std::string CaseReader::word_of(const std::string& name) const {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  std::string word = name.substr(0, dot);
  const bool known = std::any_of(program_.cases.begin(), program_.cases.end(), [&](const CaseSet& s) { return program_.set(s.set).index.contains(word); });
  return known ? word : std::string();
}

bool CaseReader::add(const FieldAssignment& value) {
  const std::string word = word_of(value.name);
  if (word.empty()) return false;
  set_value({word, value.name.substr(word.size() + 1), value.value, value.span, !value.assumed});
  return true;
}

bool CaseReader::open(const std::string& name, const Span& span) {
  const std::string word = word_of(name);
  if (word.empty()) return false;
  open_.insert(name);
  const std::string of = name.substr(word.size() + 1);
  if (std::none_of(assignments_.begin(), assignments_.end(), [&](const CaseAssignment& s) { return s.word == word && s.name == of; }))
    assignments_.push_back({word, of, {}, span, true});
  return true;
}

std::vector<std::string> CaseReader::fields_of(const std::string& document) const {
  std::vector<std::string> out;
  for (const CaseAssignment& s : assignments_) {
    if (s.name.size() > document.size() && s.name.compare(0, document.size(), document) == 0 &&
        (s.name[document.size()] == '.' || s.name[document.size()] == '['))
      out.push_back(s.name);
  }
  return out;
}

/// Returns the settings of a word, or null.
CaseWord* CaseReader::case_word(const std::string& word) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    if (const auto found = set.index.find(word); found != set.index.end()) return &cases.words[found->second];
  }
  return nullptr;
}

void CaseReader::add_document(const CaseDocument& document, const Name& of, const Name& own) {
  CaseWord* const word = case_word(document.word);
  if (word == nullptr) return;
  for (auto& values : word->values) values.push_back({&of, &own});
}

void CaseReader::name_models(const std::vector<CaseDocument>& documents) {
  for (const CaseDocument& document : documents) {
    CaseWord* const word = case_word(document.word);
    if (word == nullptr) continue;
    word->documents.emplace_back(document.role, document.name);
    if (document.model != 0) word->model = document.model;
  }
}

void CaseReader::define(const std::vector<CaseDocument>& documents) {
  // Defines the collected values of all case words. Models of words come first, because they decide which models an
  // assignment is linked for. Inherited values follow the own ones, which win, and combined words come last, because a
  // combined word may have no values, own or inherited. An assignment that replaces a whole document (`system: NAME`)
  // has been read already; its name is defined only if it is a text input, which formulas may read.
  name_models(documents);
  for (const CaseAssignment& assignment : assignments_) {
    const auto is_it = [&](const CaseDocument& document) { return document.word == assignment.word && document.role == assignment.name; };
    const bool document = std::any_of(documents.begin(), documents.end(), is_it);
    const Name* const input = program_.find(assignment.name);  // the name of a document is a text input that formulas may read
    if (!document || (input != nullptr && input->input && input->type.kind == Type::Kind::text)) define(assignment);
  }
  for (const Inheritance& inheritance : inheritances_) inherit_values(inheritance);
  for (const auto& [word, others] : together_) combine(word, *others);
}

/// Makes a case word a combined word: `together` lists other words of its set, whose elements (nodes, messages, …) the
/// word unites. Reports listed words that are unknown, combined by an earlier call, or the word itself. The word may not be
/// the first of its set, which is the run without changes, and may not change values of its own.
void CaseReader::combine(const std::string& word, const Datum& others) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    const auto at = set.index.find(word);
    if (at == set.index.end()) continue;
    CaseWord& combined = cases.words[at->second];
    combined.together.clear();
    for (const Datum& other : others.all()) {
      const auto found = set.index.find(other.text());
      const bool plain = found != set.index.end() && cases.words[found->second].together.empty() && found->second != at->second;
      if (plain)
        combined.together.push_back(found->second);
      else
        diagnostics_.error(
            other.span(), fmt::format("`{}` is no other word of `{}` with elements of its own{}", other.text(), set.name, suggestion(other.text(), set.words)));
    }
    if (at->second == 0) diagnostics_.error(others.span(), fmt::format("the first word of `{}` is the run itself: it can't be several together", set.name));
    const bool has_own = std::any_of(combined.values.begin(), combined.values.end(), [](const auto& values) { return !values.empty(); });
    if (has_own) diagnostics_.error(others.span(), fmt::format("`{}` has the values of others, and none of its own", word));
  }
}

/// Copies values, documents and model of an earlier word of the same set to a word with `like`, except those that the
/// word defines itself. Only earlier words are allowed, so chains of `like` have no cycles. Values are kept separately
/// for each counted model (index m).
void CaseReader::inherit_values(const Inheritance& inheritance) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    const auto word = set.index.find(inheritance.word), other = set.index.find(inheritance.other);
    if (word == set.index.end()) continue;
    if (other == set.index.end() || other->second >= word->second) {
      diagnostics_.error(inheritance.span,
                         fmt::format("`{}` is no earlier word of `{}`{}", inheritance.other, set.name, suggestion(inheritance.other, set.words)));
      continue;
    }
    const CaseWord& from = cases.words[other->second];
    CaseWord& into = cases.words[word->second];
    if (into.model == 0) into.model = from.model;
    add_new(from.documents, into.documents, [](const auto& a, const auto& b) { return a.first == b.first; });
    for (std::size_t m = 0; m < from.values.size(); ++m)
      add_new(from.values[m], into.values[m], [](const CaseValue& a, const CaseValue& b) { return a.of == b.of; });
  }
}

/// Returns the parameter or input of this name, or null.
Name* CaseReader::target(const CaseAssignment& assignment, const NameScope& scope) const {
  const auto parameter = scope.names.find(assignment.name);
  if (parameter != scope.names.end()) return parameter->second;
  Name* const global = program_.find(assignment.name);
  return global != nullptr && global->input ? global : nullptr;
}

/// Defines an assignment, the value of an input or parameter at a case word, for each model that may be counted at the
/// word. A word with a model of its own has only this model; other words may have any. The value is linked once for
/// each model, because its formula may use parameters of the model. Models that lack the name are skipped. If all lack
/// it, an assignment of the user is an error; one of an accounting is ignored.
void CaseReader::define(const CaseAssignment& assignment) {
  CaseWord* const word = case_word(assignment.word);
  if (word == nullptr) return;
  const std::size_t first = word->model, last = word->model != 0 ? word->model : program_.models.size() - 1;
  bool known = false;
  for (std::size_t m = first; m <= last; ++m) {
    const Name* const of = target(assignment, scope(m));
    if (of == nullptr) continue;
    known = true;
    word->values[m].push_back({of, &value_of(assignment, *of, scope(m))});
  }
  if (!known && assignment.by_user) report_unknown(assignment, first, last);  // an accounting may set parameters that this model lacks
}

void CaseReader::report_unknown(const CaseAssignment& assignment, std::size_t first, std::size_t last) {
  std::vector<std::string> known;
  for (const auto& [input, _] : program_.inputs) known.push_back(input->name);
  for (std::size_t m = first; m <= last; ++m) {
    for (const auto& [name, _] : scope(m).names) known.push_back(name);
  }
  diagnostics_.error(assignment.span, fmt::format("`{}`: there is no `{}` that could have another value{}", assignment.word, assignment.name,
                                                  known_names(assignment.name, "names", known)));
}

/// Returns the name of a value. An open value is one input that all models share; other values are linked for each
/// model.
const Name& CaseReader::value_of(const CaseAssignment& assignment, const Name& of, const NameScope& scope) {
  const std::string text = assignment.word + "." + assignment.name;
  const bool open = open_.contains(text);
  if (const auto known = opened_.find(text); open && known != opened_.end()) return *known->second;
  Name& n = linker_.name(text);
  define_value(n, assignment, of, scope);
  if (open) {
    program_.inputs.emplace_back(&n, assignment.span);
    opened_.emplace(text, &n);
  }
  return n;
}

/// Defines `n`, the value that the input or parameter `of` has at a case word. An input's value is read by the input's
/// type. A parameter's value is a formula, linked in the scope of its model. Null leaves `n` open: an input without a
/// value yet. An average `{mean: FORMULA}` is a number; a minimum of the type does not apply to it.
void CaseReader::define_value(Name& n, const CaseAssignment& assignment, const Name& of, const NameScope& scope) {
  n.input = true;
  n.type = of.type;
  check_mean(assignment.value, diagnostics_);
  const Datum* const mean = mean_of(assignment.value);
  if (mean != nullptr) {
    n.type.kind = Type::Kind::number;
    n.type.mean = true;
    n.type.minimum = nullptr;
  }
  if (assignment.value.is_null()) return;
  const Datum& value = mean != nullptr ? *mean : assignment.value;
  if (of.input) return inputs_.define(n, value, assignment.span, scope);
  n.input = mean != nullptr;  // An average has the type `number`. Any other formula decides itself between number and truth.
  Definition definition;
  definition.name = n.name;
  definition.span = assignment.span;
  definition.otherwise = parse_expression(value.text(), value.span(), diagnostics_);
  if (definition.otherwise) definitions_.add(n, std::move(definition), scope);
}

}  // namespace opledger
