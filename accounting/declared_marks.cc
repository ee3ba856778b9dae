#include "accounting/declared_marks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/types.h"

namespace opledger {
namespace {

constexpr SetId kMarkedSets[] = {kMessageSet, kSavedSet, kWeightSet, kNodeSet, kCachedSet};  ///< The marked sets, in the order of Marked.

/// Returns the sets whose elements carry a mark of the set `of`: the set itself and sets of its parts. The transfers of
/// a message, for example, carry the message's marks.
std::vector<SetId> family(SetId of) {
  if (of == kMessageSet) return {kMessageSet, kTransferSet, kMessageNodeSet, kStageMessageSet};
  if (of == kWeightSet) return {kWeightSet, kStageWeightsSet};
  return {of};
}

/// Returns whether the value of a mark is a word, as opposed to a formula. Marks that define a set of their own
/// (`joins`) have only words. Marks with words of an existing set also accept formulas: a text that is neither a word
/// nor a known name counts as a misspelled word.
bool is_word(const Program& program, const MarkType& mark, const std::string& text) {
  if (mark.type.kind != Type::Kind::words) return false;
  const bool name = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return mark.joins || program.set(mark.type.set).index.count(text) != 0 || (name && program.find(text) == nullptr);
}

/// Returns a name for one formula of the mark's type; the formula is checked like the value of an input.
Name& value_name(Linker& linker, const MarkType& mark) {
  Name& n = linker.name(mark.name);
  n.input = true;
  n.type = mark.type;
  return n;
}

/// Parses the text of a mark's value as the definition of its name.
Definition value_definition(const MarkType& mark, const std::string& text, const Span& span, Diagnostics& diagnostics) {
  Definition definition;
  definition.name = mark.name;
  definition.span = span;
  definition.otherwise = parse_expression(text, span, diagnostics);
  return definition;
}

/// Returns the names of the marks of a set; of all marks without a set.
std::vector<std::string> names(const Program& program, SetId of) {
  std::vector<std::string> out;
  for (const MarkType& mark : program.marks) {
    if (!of || mark.of == of) out.push_back(mark.name);
  }
  return out;
}

/// Adds declarations of marks to a program: to `Program::marks`, and to the sets of marked elements.
class Declarer {
 public:
  Declarer(Program& program, Linker& linker, Diagnostics& diagnostics) : program_(program), linker_(linker), diagnostics_(diagnostics) {}

  /// Declares the mark with the name `key` for elements of the set `of`. `value` has the keys `type` and `default`.
  /// Three steps: read the type, turn the type into a set or a field of the marked sets, resolve the default. A list of
  /// words becomes a set of the mark's name, of which the elements are members. Any other type becomes a field. The
  /// default becomes a word or a formula. `redeclares`: the document extends another and may replace a declaration; the
  /// new one takes the old position, since other tables refer to marks by position. Errors leave the mark undeclared,
  /// except errors of the default.
  void declare(SetId of, const Datum& key, const Datum& value, bool redeclares) {
    const auto same = [&](const MarkType& m) { return m.of == of && m.name == key.text(); };
    auto old = std::find_if(program_.marks.begin(), program_.marks.end(), same);
    if (old != program_.marks.end() && !redeclares) {
      diagnostics_.error(key.span(), fmt::format("mark `{}` is declared twice", key.text()));
      return;
    }
    const Datum* type = value.find("type");
    const Datum* fallback = value.find("default");
    if (type == nullptr || fallback == nullptr) {
      diagnostics_.error(value.span(), fmt::format("mark `{}` needs a `type` and a `default`", key.text()));
      return;
    }
    if (!check_type_keys(value, diagnostics_)) return;
    MarkType mark;
    mark.of = of;
    mark.name = key.text();
    mark.span = key.span();
    if (type->is_list() ? !words(mark, *type, old != program_.marks.end()) : !number(mark, value)) return;
    if (is_word(program_, mark, fallback->text())) {
      const auto& index = program_.set(mark.type.set).index;
      const auto word = index.find(fallback->text());
      if (word == index.end())
        diagnostics_.error(fallback->span(), fmt::format("`{}` is no word of `{}`{}", fallback->text(), mark.name,
                                                         suggestion(fallback->text(), program_.set(mark.type.set).words)));
      else
        mark.word = word->second;
    } else {
      mark.fallback = &value_name(linker_, mark);
      mark.usual = value_definition(mark, fallback->text(), fallback->span(), diagnostics_);
    }
    if (old != program_.marks.end())
      *old = std::move(mark);
    else
      program_.marks.push_back(std::move(mark));
  }

 private:
  Set& set(SetId id) { return *program_.sets[id]; }

  /// Adds the set of words of a mark whose `type` is a list, and makes the marked sets belong to it. Marks of different
  /// elements may share one set if their words are equal; a redeclaration replaces the words. Returns false, with an
  /// error, if the name belongs to something else or the words differ.
  bool words(MarkType& mark, const Datum& type, bool redeclares) {
    mark.type.kind = Type::Kind::words;
    mark.joins = true;
    mark.type.set = program_.find_set(mark.name);
    const auto shares = [&](const MarkType& m) { return m.joins && m.type.set == mark.type.set; };
    // `known`: another mark, or an earlier declaration of this mark, created the set.
    const bool known = mark.type.set && std::any_of(program_.marks.begin(), program_.marks.end(), shares);
    if ((mark.type.set && !known) || program_.find(mark.name) != nullptr) {
      diagnostics_.error(mark.span, fmt::format("`{}` is already the name of an input, a formula or a set", mark.name));
      return false;
    }
    std::vector<std::string> all = names_of(type.items());
    if (!known) {
      auto created = std::make_unique<Set>();
      created->name = mark.name;
      created->span = mark.span;
      mark.type.set = program_.add(std::move(created)).id;
    } else if (!redeclares && set(mark.type.set).words != all) {
      diagnostics_.error(type.span(), fmt::format("`{}` has other words elsewhere: {}", mark.name, join(set(mark.type.set).words, ", ")));
      return false;
    }
    fill(set(mark.type.set), std::move(all));
    for (const SetId member : family(mark.of)) {
      std::vector<SetId>& to = set(member).belongs_to;
      if (!contains(to, mark.type.set)) to.push_back(mark.type.set);
    }
    return true;
  }

  static void fill(Set& set, std::vector<std::string> words) {
    set.index.clear();
    for (const std::string& word : words) set.index.emplace(word, static_cast<WordId>(set.index.size()));
    set.words = set.texts = std::move(words);
  }

  /// Adds a field for a mark that is a number, a boolean, or a word of an existing set. Returns false, with an error,
  /// for other types. Three sets get no field: each of their elements belongs to a message or weight, and formulas read
  /// the field of that message or weight.
  bool number(MarkType& mark, const Datum& value) {
    std::optional<Type> type = parse_type(program_, linker_, mark.name, value, diagnostics_);
    if (!type) return false;
    mark.type = std::move(*type);
    const Type::Kind kind = mark.type.kind;
    if (kind != Type::Kind::boolean && kind != Type::Kind::words && kind != Type::Kind::number && kind != Type::Kind::integer) {
      diagnostics_.error(mark.type.span, fmt::format("mark `{}` must be a number, a boolean or a word of a list", mark.name));
      return false;
    }
    const Value::Kind field = kind == Type::Kind::boolean ? Value::Kind::truth : kind == Type::Kind::words ? Value::Kind::word : Value::Kind::number;
    for (const SetId member : family(mark.of)) {
      if (member != kMessageNodeSet && member != kStageWeightsSet && member != kStageMessageSet)
        set(member).fields[mark.name] = {field, mark.type.unit.dimension};
    }
    return true;
  }

  Program& program_;
  Linker& linker_;
  Diagnostics& diagnostics_;
};

}  // namespace

void declare_marks(Program& program, Linker& linker, const Document& document, Diagnostics& diagnostics) {
  const Datum* all = document.root.find("marks");
  if (all == nullptr) return;
  Declarer declarer(program, linker, diagnostics);
  const bool redeclares = document.root.find("extends") != nullptr;
  for (const auto& [kind, marks] : all->entries()) {
    for (std::size_t k = 0; k < std::size(kMarkedSets); ++k) {
      if (kind.text() != to_string(static_cast<Marked>(k))) continue;
      for (const auto& [name, value] : marks.entries()) declarer.declare(kMarkedSets[k], name, value, redeclares);
    }
  }
}

std::set<MarkId> marks_in(const Annotations& annotations) {
  std::set<MarkId> out;
  const auto add = [&](const auto& marked) {
    for (const auto& element : marked) out.insert(element.marks.begin(), element.marks.end());
  };
  add(annotations.nodes);
  add(annotations.transfers);
  add(annotations.saved);
  add(annotations.weights);
  add(annotations.cached);
  return out;
}

/// Binds each mark of the graph to the declaration of the same name and element kind. A value that is a word becomes
/// the word's index. Any other value becomes a formula with the unit of the mark's type, linked in `scope`. Every mark
/// gets an entry, also after an error, so positions of the result follow `marks`. Each mark is searched among the
/// declarations, which are few.
IdVector<MarkId, BoundMark> bind_marks(const Program& program, const NameScope& scope, Formulas& into, const IdVector<MarkId, Mark>& marks,
                                       Diagnostics& diagnostics, const std::set<MarkId>* used) {
  Linker linker(program, into, diagnostics);
  IdVector<MarkId, BoundMark> out;
  for (const MarkId id : marks.ids()) {
    const Mark& mark = marks[id];
    const SetId of = kMarkedSets[static_cast<std::size_t>(mark.of)];
    const auto found = std::find_if(program.marks.begin(), program.marks.end(), [&](const MarkType& m) { return m.of == of && m.name == mark.name; });
    BoundMark& bound = out.emplace_back();
    if (found == program.marks.end()) {
      diagnostics.error(mark.span, fmt::format("the accounting knows no mark `{}` of a {}{}", mark.name, to_string(mark.of),
                                               known_names(mark.name, "marks", names(program, of))));
      continue;
    }
    bound.type = static_cast<std::size_t>(found - program.marks.begin());
    if (!is_word(program, *found, mark.value)) {
      // No element has the mark, and the model may lack the formula's names.
      if (used != nullptr && used->count(id) == 0) continue;
      Name& value = value_name(linker, *found);
      const Definition definition = value_definition(*found, mark.value, mark.value_span, diagnostics);
      if (const Def* def = definition.otherwise ? linker.define(definition, scope) : nullptr) value.defs.push_back(def);
      bound.value = &value;
      continue;
    }
    const Set& set = program.set(found->type.set);
    const auto word = set.index.find(mark.value);
    if (word != set.index.end())
      bound.word = word->second;
    else
      diagnostics.error(mark.value_span,
                        fmt::format("`{}` is {}, found `{}`{}", mark.name, join(set.words, ", "), mark.value, suggestion(mark.value, set.words)));
  }
  return out;
}

namespace {

/// Returns a word of a set as a value with its text.
Value word_of(const Program& program, SetId set, WordId word) {
  Value v;
  v.kind = Value::Kind::word;
  v.set = set;
  v.word = word;
  v.text = &program.set(set).words[word];
  return v;
}

}  // namespace

/// Visits the declared marks of the set `of`, not the marks of the element, because every row of a table needs the same
/// fields. A mark that the element lacks has its default.
void add_marks(ElementTable& table, SetId of, bool fields, const MarkList& marks, const IdVector<MarkId, BoundMark>& bound, Inquiry& inquiry) {
  const std::vector<MarkType>& types = inquiry.program().marks;
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (types[t].of != of) continue;
    const auto own = std::find_if(marks.begin(), marks.end(), [&](MarkId id) { return bound[id].type == t; });
    const BoundMark value = own == marks.end() ? BoundMark{t, types[t].word, types[t].fallback} : bound[*own];
    if (types[t].joins)
      table.belongs(types[t].type.set, value.word);
    else if (fields)
      table.field(types[t].name.c_str(), value.value != nullptr ? inquiry.ask(*value.value) : word_of(inquiry.program(), types[t].type.set, value.word));
  }
}

}  // namespace opledger
