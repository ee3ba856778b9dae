#include "formulas/evaluate/combined_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "formulas/evaluate/interpreter.h"

namespace opledger {
namespace {

/// Returns whether two runs have one value for all candidates of a tape.
bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  if (a.is_number() || a.kind == Value::Kind::truth) return a.unit == b.unit && a.scalar.value == b.scalar.value && a.scalar.symbol == b.scalar.symbol;
  if (a.text != nullptr && b.text != nullptr) return *a.text == *b.text;
  return a.word == b.word && a.record == b.record && a.curve == b.curve;
}

/// Returns whether two runs have one value for the sample. A guard restricts the recording to candidates with the same
/// answer.
bool same_for_sample(Tape* tape, const Value& a, const Value& b) {
  const bool symbols = a.kind == b.kind && a.unit == b.unit && (!a.scalar.constant() || !b.scalar.constant());
  if (!symbols || !(a.is_number() || a.kind == Value::Kind::truth)) return same(a, b);
  return specialize(tape, apply(tape, Op::equal, a.scalar, b.scalar)) != 0;
}

/// Returns the first run that has the element.
std::size_t first(const std::vector<WordId>& places) {
  return static_cast<std::size_t>(std::find_if(places.begin(), places.end(), [](WordId w) { return w >= 0; }) - places.begin());
}

}  // namespace

Value agreed_value(const std::vector<Answer>& answers, const std::string& subject, const Span& span, Tape* tape, QueryError& error) {
  for (const Answer& answer : answers) {
    if (!answer.known()) return error.take(answer);
    if (!same_for_sample(tape, answer.value, answers.front().value))
      return error.fail(span, fmt::format("`{}` differs between the words that are combined here: choose one word, or define a value", subject));
  }
  return answers.empty() ? Value{} : answers.front().value;
}

CombinedRun::CombinedRun(Interpreter& whole, const std::vector<Interpreter*>& parts) : whole_(whole), parts_(parts), sets_(whole.program_.sets.size()) {}

void CombinedRun::make() {
  for (Interpreter* part : parts_) {
    const Answer filled = part->answer([&] { return part->fill(), Value{}; });
    if (!filled.known()) return static_cast<void>(whole_.error_.take(filled));
  }
  for (const SetId s : whole_.program_.sets.ids()) {
    if (is_filled(s)) add_names(s);
  }
  set_nodes();  // operators tell nodes of several candidates apart
  for (const SetId s : whole_.program_.sets.ids()) {
    if (is_filled(s)) set(s);
  }
}

void CombinedRun::set(SetId s) {
  if (std::exchange(sets_[s].is_set, true)) return;
  Elements all = elements(s);
  for (const auto& [other, _] : all.belongs) {
    if (is_filled(other)) set(other);
  }
  whole_.set_elements(s, std::move(all));
}

bool CombinedRun::is_filled(SetId s) const {
  return whole_.program_.set(s).elements && std::all_of(parts_.begin(), parts_.end(), [&](const Interpreter* part) { return part->tables_[s].known; });
}

void CombinedRun::add_names(SetId s) {
  // Collects the union of a set's elements over all combined runs. Elements with equal keys (`element_keys`) are one
  // element. The union is numbered in the order of first occurrence; `places` maps an element to its position in each
  // run, and `of_part` maps a run's position back.
  Members& members = sets_[s];
  std::unordered_map<std::string, WordId> known;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Elements& elements = parts_[p]->tables_[s];
    auto& here = members.of_part.emplace_back(elements.names.size(), kNoWord);
    const std::vector<WordId> all = parts_[p]->tables_.of_candidate(s);
    const std::vector<std::string> keys = parts_[p]->tables_.identifying_keys(s);
    for (std::size_t e = 0; e < keys.size(); ++e) {
      const auto [found, fresh] = known.emplace(keys[e], static_cast<WordId>(members.names.size()));
      if (fresh) {
        members.names.push_back(elements.names[all[e]]);
        if (!elements.kinds.empty()) members.kinds.push_back(elements.kinds[all[e]]);
        members.places.emplace_back(parts_.size(), kNoWord);
      }
      members.places[found->second][p] = all[e];
      here[all[e]] = found->second;
    }
  }
}

Elements CombinedRun::elements(SetId s) const {
  // Builds the columns of a combined run's set from the union of the runs' elements (`sets_`, filled by `add_names`).
  // Each field of some run becomes a column: its value is the runs' common value, or `nothing` if they differ.
  // Memberships come from the first run with the element, and an element is present if it is present in some run.
  const Members& members = sets_[s];
  Elements out;
  out.names = members.names;
  out.kinds = members.kinds;
  std::set<std::string> fields;
  for (const Interpreter* part : parts_) {
    for (const auto& [name, _] : part->tables_[s].fields) fields.insert(name);
  }
  for (std::size_t e = 0; e < members.names.size(); ++e) {
    for (const std::string& field : fields) out.fields[field].push_back(value(s, members.places[e], field));
    add_memberships(s, members.places[e], out);
    add_presence(s, members.places[e], static_cast<WordId>(e), out);
  }
  return out;
}

Value CombinedRun::value(SetId s, const Places& places, const std::string& field) const {
  std::optional<Value> all;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto column = parts_[p]->tables_[s].fields.find(field);
    if (places[p] < 0 || column == parts_[p]->tables_[s].fields.end()) continue;
    const Value own = column->second[static_cast<std::size_t>(places[p])];
    if (all && !same(*all, own)) return {};
    all = own;
  }
  return all.value_or(Value{});
}

void CombinedRun::add_memberships(SetId s, const Places& places, Elements& out) const {
  const std::size_t p = first(places);
  for (const auto& [other, words] : parts_[p]->tables_[s].belongs) {
    const WordId word = words[places[p]];
    out.belongs[other].push_back(word < 0 || !whole_.program_.set(other).elements ? word : sets_[other].of_part[p][word]);
  }
}

void CombinedRun::add_presence(SetId s, const Places& places, WordId element, Elements& out) const {
  Scalar there = truth(false);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (places[p] >= 0) there = apply(whole_.tape_, Op::logical_or, there, parts_[p]->tables_.presence(s, places[p]));
  }
  if (!there.constant() || there.value == 0) out.sometimes.emplace(element, there);
}

void CombinedRun::set_nodes() {
  // Sets the nodes of the combined run. A node takes its operator and its own definitions from the first run that has
  // the node. A value of a node, such as the bytes of an output, is requested from all runs that have the node;
  // different values are an error. `places` has each node's position in every run. The callback shares it, because
  // the callback outlives this builder.
  const SetId nodes = whole_.program_.engine->nodes;
  const auto places = std::make_shared<std::vector<Places>>(sets_[nodes].places);
  NodeFormulas formulas;
  for (const Places& place : *places) {
    const std::size_t p = first(place);
    const auto own = static_cast<std::size_t>(parts_[p]->tables_.place_of(nodes, place[p]));
    formulas.operators.push_back(parts_[p]->definitions_.nodes().operators[own]);
    formulas.quantities.push_back(parts_[p]->definitions_.nodes().quantities[own]);
  }
  for (const Interpreter* part : parts_) formulas.widened.insert(part->definitions_.nodes().widened.begin(), part->definitions_.nodes().widened.end());
  Interpreter& whole = whole_;
  whole_.set_nodes(
      [places, nodes, &whole, parts = parts_](WordId node, const std::string& name, WordId extent) -> std::optional<Answer> {
        std::vector<Answer> all;
        for (std::size_t p = 0; p < parts.size(); ++p) {
          const WordId own = (*places)[static_cast<std::size_t>(node)][p];
          std::optional<Answer> answer = own < 0 ? std::nullopt : parts[p]->definitions_.node_value(parts[p]->tables_.place_of(nodes, own), name, extent);
          if (answer) all.push_back(std::move(*answer));
        }
        if (all.empty()) return std::nullopt;
        return whole.answer([&] { return agreed_value(all, name, {}, whole.tape_, whole.error_); });
      },
      std::move(formulas));
}

}  // namespace opledger
