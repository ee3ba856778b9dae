#include "formulas/evaluate/case_run.h"

#include <fmt/core.h>

#include "base/limits.h"
#include "formulas/evaluate/combined_run.h"
#include "formulas/evaluate/interpreter.h"

namespace opledger {

CaseRun::CaseRun(Interpreter& run) : run_(run), has_cases_(run.mode_ == Evaluator::Mode::numbers && !run.program_.cases.empty()) {
  words_.assign(run.program_.cases.size(), 0);
  select_replacements();
}

std::optional<WordId> CaseRun::word(SetId set) const {
  for (std::size_t i = 0; has_cases_ && i < words_.size(); ++i) {
    if (run_.program_.cases[i].set == set) return words_[i];
  }
  return std::nullopt;
}

const Name* CaseRun::replacement(const Name& name) const {
  const auto found = replacements_.find(&name);
  return found == replacements_.end() ? nullptr : found->second;
}

void CaseRun::set_filler(Evaluator& root, Evaluator::Filler fill) {
  if (!run_.cache_.is_recording()) runs_.clear();
  filler_ = std::move(fill);
  evaluator_ = &root;
}

void CaseRun::begin_candidate() {
  same_elements_.clear();
  filled_ = Filled::no;
}

void CaseRun::each_run(FunctionRef<void(Interpreter& run)> visit) {
  for (const auto& [_, run] : runs_) visit(*run->interpreter_);
}

std::optional<std::pair<Evaluator*, Point>> CaseRun::at(const Point& point) {
  std::optional<Point> there;
  CaseRun* other = nullptr;
  run_.answer([&] {
    other = &run_at(point).case_;
    there = other->translate(run_, point);
    return Value{};
  });
  if (!there || other->evaluator_ == nullptr) return std::nullopt;
  return std::pair{other->evaluator_, *there};
}

void CaseRun::select_replacements() {
  // Fills `replacements_`, the names that have another definition in this run, and `model_`, the counted model. A case
  // is a word, such as `decode`, at which inputs or parameters have other values; `words_` has this run's word of each
  // set of cases. Replacements are collected in order, and later ones win. The inputs that another model determines
  // come first. Set by set, the values of the word and of the words that it combines follow.
  const Program& program = run_.program_;
  replacements_.clear();
  model_ = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (const std::size_t own = program.cases[i].words[words_[i]].model; own != 0) model_ = own;
  }
  const auto take = [&](const std::vector<CaseValue>& values) {
    for (const CaseValue& value : values) replacements_[value.of] = value.value;
  };
  if (model_ != 0) take(program.models[model_].values);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::vector<CaseWord>& all = program.cases[i].words;
    take(all[words_[i]].values[model_]);
    for (const WordId part : all[words_[i]].together) take(all[part].values[model_]);
  }
}

bool CaseRun::changes(const Point& point) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const WordId word = point[run_.program_.cases[i].set];
    if (word >= 0 && word != words_[i]) return true;
  }
  return false;
}

Interpreter& CaseRun::run_at(const Point& point) {
  std::vector<WordId> words = words_;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const WordId word = point[run_.program_.cases[i].set]; word >= 0) words[i] = word;
  }
  return run_at(words);
}

Interpreter& CaseRun::run_at(const std::vector<WordId>& words) {
  // Returns the interpreter of the run at these case words, one for each set of cases. Runs are created on first use
  // and owned by the root. A combined word unites the elements of several words: its run refers to the runs at each of
  // these words, with the other sets' words unchanged. The runs share the root's tape.
  Interpreter& root = root_ != nullptr ? *root_ : run_;
  if (words == root.case_.words_) return root;
  std::unique_ptr<Evaluator>& created = root.case_.runs_[words];
  if (created == nullptr) {
    created = std::make_unique<Evaluator>(run_.program_, run_.mode_, run_.tape_);
    Interpreter& run = *created->interpreter_;
    run.case_.root_ = &root;
    run.case_.evaluator_ = created.get();
    run.case_.words_ = words;
    run.case_.select_replacements();
    if (root.cache_.is_recording()) run.begin_candidate(root.cache_.revision());
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const WordId part : run_.program_.cases[i].words[words[i]].together) {
        std::vector<WordId> others = words;
        others[i] = part;
        run.case_.parts_.push_back(&run_at(others));
      }
    }
  }
  return *created->interpreter_;
}

Value CaseRun::ask_there(const Point& point, FunctionRef<Value(Interpreter&, const Point&)> ask) {
  // Evaluates a query in the run at the point's case words, which has its own elements. The point is translated to that
  // run, `ask` is called there, and the value is translated back. If the run lacks an element of the point, the value
  // is an absent zero. An error there becomes an error here. Runs may refer to each other, so the nesting of names and
  // formulas is limited here too.
  if (run_.depth() > kMaxEvaluationDepth * 8) return run_.error_.fail({}, "this formula is nested too deeply");
  Interpreter& there = run_at(point);
  bool absent = false;
  const Answer answer = there.answer([&] {
    const std::optional<Point> p = there.case_.translate(run_, point);
    absent = !p;
    return there.error_.failed() || absent ? Value{} : ask(there, *p);
  });
  run_.cache_.depend_on_transient();  // the other run's cache has dependencies of its own
  if (!answer.known()) return run_.error_.take(answer);
  return absent ? absent_value() : translate(there, answer.value);
}

/// Translates a point of the run `from` to this run, in which equal elements have other numbers (`same_element`). Case
/// words are cleared, because this run has them already. An element of the point may have no equal here, such as the
/// node of a transfer. The transfer, if found, may belong to another node here, which then replaces the missing node.
/// Runs may group elements differently: the kernel of a node is that of this run, whichever kernel has its name. Returns
/// nothing if an element remains missing, or after an error.
std::optional<Point> CaseRun::translate(Interpreter& from, const Point& point) {
  Point out = point;
  for (const CaseSet& cases : run_.program_.cases) out[cases.set] = kNoWord;
  std::vector<SetId> lacking, groups;
  for (const SetId s : run_.program_.sets.ids()) {
    if (point[s] < 0 || !run_.program_.set(s).elements) continue;
    out[s] = same_element(from, s, point[s]);
    if (run_.error_.failed()) return std::nullopt;
    if (out[s] < 0) {
      lacking.push_back(s);
    } else if (from.tables_.owner(s, point) == point[s]) {
      groups.push_back(s);
    }
  }
  for (const SetId s : groups) {
    if (const WordId own = run_.tables_.owner(s, out); own >= 0) out[s] = own;
  }
  for (const SetId s : lacking) {
    out[s] = run_.tables_.owner(s, out);
    if (out[s] < 0) return std::nullopt;
  }
  return out;
}

Value CaseRun::translate(Interpreter& from, Value value) {
  if (value.kind == Value::Kind::word && value.word >= 0 && value.set && run_.program_.set(value.set).elements)
    value.word = same_element(from, value.set, value.word);
  return value;
}

std::vector<Value> CaseRun::translate(Interpreter& from, const std::vector<Value>& locals) {
  std::vector<Value> out;
  for (const Value& local : locals) out.push_back(translate(from, local));
  return out;
}

WordId CaseRun::same_element(Interpreter& from, SetId set, WordId element) {
  // Returns the element of this run that equals an element of the run `from`; kNoWord if none does, or after an error.
  // The first call maps all elements of the set by their keys. The map is cached, and rebuilt if a set has another number
  // of elements: queries may come while sets are being filled.
  if (!fill()) return kNoWord;
  SameElements& same = same_elements_[{&from, set}];
  if (same.theirs != from.tables_.count(set) || same.own != run_.tables_.count(set)) {
    const std::vector<WordId> own = run_.tables_.of_candidate(set), theirs = from.tables_.of_candidate(set);
    same = {std::vector<WordId>(from.tables_[set].names.size(), kNoWord), own.size(), theirs.size()};
    std::unordered_map<std::string, WordId> by_key;
    std::vector<std::string> keys = run_.tables_.identifying_keys(set);
    for (std::size_t e = 0; e < own.size(); ++e) by_key.emplace(std::move(keys[e]), own[e]);
    keys = from.tables_.identifying_keys(set);
    for (std::size_t e = 0; e < theirs.size(); ++e) {
      const auto found = by_key.find(keys[e]);
      if (found != by_key.end()) same.here[static_cast<std::size_t>(theirs[e])] = found->second;
    }
  }
  return same.here[static_cast<std::size_t>(element)];
}

bool CaseRun::fill() {
  // A combined run unites other runs, any other run asks the filler. Queries during the filling see the sets as they are.
  if (root_ == nullptr || filled_ == Filled::busy) return true;
  if (filled_ == Filled::no) {
    filled_ = Filled::busy;
    run_.cache_.separately([&] {  // every candidate fills the sets anew
      if (is_combined())
        fill_error_ = run_.answer([&] { return CombinedRun(run_, parts_).make(), Value{}; });
      else if (root_->case_.filler_)
        fill_error_ = root_->case_.filler_(*evaluator_);
      else
        fill_error_ = {};
    });
    filled_ = Filled::yes;
  }
  if (fill_error_.known()) return true;
  run_.error_.take(fill_error_);
  return false;
}

Value CaseRun::combined_value(const Name& name, const Point& point) {
  std::vector<Answer> all;
  for (Interpreter* part : parts_) {
    all.push_back(part->answer([&] {
      const std::optional<Point> p = part->case_.translate(run_, point);
      return p ? part->evaluate(name, *p) : Value{};
    }));
  }
  run_.cache_.depend_on_transient();  // the caches of these runs have dependencies of their own
  return agreed_value(all, name.name, name.span(), run_.tape_, run_.error_);
}

}  // namespace opledger
