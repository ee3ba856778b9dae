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

/// `{mean: FORMULA}`: an average. Null: it is no such.
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
  const std::size_t own = into.size();
  for (const T& item : from) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(own);
    if (std::none_of(into.begin(), end, [&](const T& other) { return same(item, other); })) into.push_back(item);
  }
}

}  // namespace

void CaseReader::declare(const Document& document) {
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
      auto made = std::make_unique<Set>();
      made->name = name.text();
      made->span = name.span();
      made->default_word = 0;
      program_.cases.push_back({program_.add(std::move(made)).id, {}});
      set = program_.cases.end() - 1;
    }
    for (const auto& [word, values] : words.entries()) declare_word(*set, word, values);
    if (set->words.size() > kMostCases)
      diagnostics_.error(name.span(), fmt::format("`{}` has {} words, and at most {} are possible", name.text(), set->words.size(), kMostCases));
    if (set->words.empty()) diagnostics_.error(name.span(), fmt::format("`{}` needs a word", name.text()));
  }
}

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
      likes_.push_back({word.text(), value.text(), value.span()});
    else if (name.text() != "doc")
      say({word.text(), name.text(), value, name.span(), false});
  }
}

/// What is said later stands in for what was said before.
void CaseReader::say(Said said) {
  const auto same = [&](const Said& other) { return other.word == said.word && other.name == said.name; };
  const auto old = std::find_if(said_.begin(), said_.end(), same);
  if (old == said_.end())
    said_.push_back(std::move(said));
  else
    *old = std::move(said);
}

/// Empty: the name does not begin with one.
std::string CaseReader::word_of(const std::string& name) const {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {};
  std::string word = name.substr(0, dot);
  const bool known = std::any_of(program_.cases.begin(), program_.cases.end(), [&](const CaseSet& s) { return program_.set(s.set).index.contains(word); });
  return known ? word : std::string();
}

bool CaseReader::add(const Given& given) {
  const std::string word = word_of(given.name);
  if (word.empty()) return false;
  say({word, given.name.substr(word.size() + 1), given.value, given.span, !given.assumed});
  return true;
}

bool CaseReader::open(const std::string& name, const Span& span) {
  const std::string word = word_of(name);
  if (word.empty()) return false;
  open_.insert(name);
  const std::string of = name.substr(word.size() + 1);
  if (std::none_of(said_.begin(), said_.end(), [&](const Said& s) { return s.word == word && s.name == of; })) said_.push_back({word, of, {}, span, true});
  return true;
}

std::vector<std::string> CaseReader::fields_of(const std::string& document) const {
  std::vector<std::string> out;
  for (const Said& s : said_) {
    if (s.name.size() > document.size() && s.name.compare(0, document.size(), document) == 0 &&
        (s.name[document.size()] == '.' || s.name[document.size()] == '['))
      out.push_back(s.name);
  }
  return out;
}

/// Null: no set has it.
CaseWord* CaseReader::case_word(const std::string& word) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    if (const auto found = set.index.find(word); found != set.index.end()) return &cases.words[found->second];
  }
  return nullptr;
}

void CaseReader::give(const CaseDocument& document, const Name& of, const Name& own) {
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
  name_models(documents);
  for (const Said& said : said_) {
    const auto is_it = [&](const CaseDocument& document) { return document.word == said.word && document.role == said.name; };
    const bool document = std::any_of(documents.begin(), documents.end(), is_it);
    const Name* const told = program_.find(said.name);  // formulas may ask how it is called
    if (!document || (told != nullptr && told->input && told->type.kind == Type::Kind::text)) define(said);
  }
  for (const Like& like : likes_) take_over(like);
  for (const auto& [word, others] : together_) unite(word, *others);
}

/// A word that has the elements of others.
void CaseReader::unite(const std::string& word, const Datum& others) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    const auto at = set.index.find(word);
    if (at == set.index.end()) continue;
    CaseWord& united = cases.words[at->second];
    united.together.clear();
    for (const Datum& other : others.all()) {
      const auto found = set.index.find(other.text());
      const bool plain = found != set.index.end() && cases.words[found->second].together.empty() && found->second != at->second;
      if (plain)
        united.together.push_back(found->second);
      else
        diagnostics_.error(
            other.span(), fmt::format("`{}` is no other word of `{}` with elements of its own{}", other.text(), set.name, suggestion(other.text(), set.words)));
    }
    if (at->second == 0) diagnostics_.error(others.span(), fmt::format("the first word of `{}` is the run itself: it can't be several together", set.name));
    const bool has_own = std::any_of(united.values.begin(), united.values.end(), [](const auto& values) { return !values.empty(); });
    if (has_own) diagnostics_.error(others.span(), fmt::format("`{}` has the values of others, and none of its own", word));
  }
}

/// Values of another word, but for those that a word has itself.
void CaseReader::take_over(const Like& like) {
  for (CaseSet& cases : program_.cases) {
    const Set& set = program_.set(cases.set);
    const auto word = set.index.find(like.word), other = set.index.find(like.other);
    if (word == set.index.end()) continue;
    if (other == set.index.end() || other->second >= word->second) {
      diagnostics_.error(like.span, fmt::format("`{}` is no earlier word of `{}`{}", like.other, set.name, suggestion(like.other, set.words)));
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

/// Null: nothing that can have a value is called so.
Name* CaseReader::target(const Said& said, const NameScope& scope) const {
  const auto parameter = scope.names.find(said.name);
  if (parameter != scope.names.end()) return parameter->second;
  Name* const global = program_.find(said.name);
  return global != nullptr && global->input ? global : nullptr;
}

/// At a word that has a model, names are that model's; at others those of any that may be counted there.
void CaseReader::define(const Said& said) {
  CaseWord* const word = case_word(said.word);
  if (word == nullptr) return;
  const std::size_t first = word->model, last = word->model != 0 ? word->model : program_.models.size() - 1;
  bool known = false;
  for (std::size_t m = first; m <= last; ++m) {
    const Name* const of = target(said, scope(m));
    if (of == nullptr) continue;
    known = true;
    word->values[m].push_back({of, &value_of(said, *of, scope(m))});
  }
  if (!known && said.by_user) tell_unknown(said, first, last);  // what an accounting says is of no use to a model that lacks the parameter
}

void CaseReader::tell_unknown(const Said& said, std::size_t first, std::size_t last) {
  std::vector<std::string> known;
  for (const auto& [input, _] : program_.inputs) known.push_back(input->name);
  for (std::size_t m = first; m <= last; ++m) {
    for (const auto& [name, _] : scope(m).names) known.push_back(name);
  }
  diagnostics_.error(said.span,
                     fmt::format("`{}`: there is no `{}` that could have another value{}", said.word, said.name, known_names(said.name, "names", known)));
}

/// One for all models where it gets its value later.
const Name& CaseReader::value_of(const Said& said, const Name& of, const NameScope& scope) {
  const std::string text = said.word + "." + said.name;
  const bool open = open_.contains(text);
  if (const auto known = opened_.find(text); open && known != opened_.end()) return *known->second;
  Name& n = linker_.name(text);
  define(n, said, of, scope);
  if (open) {
    program_.inputs.emplace_back(&n, said.span);
    opened_.emplace(text, &n);
  }
  return n;
}

void CaseReader::define(Name& n, const Said& said, const Name& of, const NameScope& scope) {
  n.input = true;
  n.type = of.type;
  check_mean(said.value, diagnostics_);
  const Datum* const mean = mean_of(said.value);
  if (mean != nullptr) {
    n.type.kind = Type::Kind::number;
    n.type.mean = true;
    n.type.minimum = nullptr;
  }
  if (said.value.is_null()) return;
  const Datum& value = mean != nullptr ? *mean : said.value;
  if (of.input) return inputs_.define(n, value, said.span, scope);
  n.input = mean != nullptr;  // a parameter is what its formula is: a number, or true or false
  Definition definition;
  definition.name = n.name;
  definition.span = said.span;
  definition.otherwise = parse_expression(value.text(), value.span(), diagnostics_);
  if (definition.otherwise) definitions_.add(n, std::move(definition), scope);
}

}  // namespace opledger
