#include <fmt/core.h>

#include "base/text.h"
#include "formulas/elements.h"
#include "formulas/link/linker.h"

/// Linking of paths with dots: chosen words, fields, and words of the sets that elements belong to.
namespace opledger {
namespace {

/// Prefix that clears all words of the point, or only the words of sets named after it. Without it, surrounding words
/// narrow the aggregates inside.
constexpr const char* kOverall = "overall";

/// Returns whether a dot after the set is followed by a field: of the current element, or of the item at the current
/// position.
bool has_fields(const Set& set) { return set.elements || set.positions; }

}  // namespace

Bindings Linker::take_bindings(std::vector<std::string>& parts, const Span& span, const NameScope& scope) {
  // Removes the words in front of a path, given as its parts between dots, and returns them as bindings. Bound words
  // become current where the rest of the path is evaluated. In `decode.forward.flops`, two words precede the name.
  // `overall` in front clears all words, so that aggregates visit everything. `set.word` binds explicitly. A bare word
  // binds if exactly one set has it; a name of an inner scope hides the word unless a global name has the same
  // spelling. The scan stops at the first part that is neither, and keeps the last part.
  Bindings out;
  if (parts.size() > 1 && parts[0] == kOverall && !visible(parts[0], scope)) {
    parts.erase(parts.begin());
    while (parts.back().empty() && parts.size() > 1) {  // `overall.node.(…)` clears only the named sets
      const SetId set = find_set(parts[0], span, scope);
      if (!set) break;
      out.emplace_back(set, kNoWord);
      for (const MarkType& mark : program_.marks) {  // clears marks of the element as well
        if (mark.of == set && mark.joins) out.emplace_back(mark.type.set, kNoWord);
      }
      parts.erase(parts.begin());
    }
    if (out.empty()) out.emplace_back(SetId(), WordId{-1});  // an entry without a set clears all words
  }
  while (parts.size() > 1) {
    const SetId named = find_set(parts[0], span, scope);  // `network.size` is a field and `precision.bf16` a word, so neither is a prefix
    if (named && parts.size() > 2 && !program_.set(named).elements && program_.set(named).index.count(parts[1]) != 0) {  // `precision.bf16.width`
      out.emplace_back(named, program_.set(named).index.at(parts[1]));
      parts.erase(parts.begin(), parts.begin() + 2);
      continue;
    }
    if (named && (has_fields(program_.set(named)) || program_.set(named).index.count(parts[1]) != 0)) break;
    SetId last;
    int sets_with_word = 0;
    for (const auto& set : program_.sets) {
      if (set->index.count(parts[0]) != 0) {
        last = set->id;
        ++sets_with_word;
      }
    }
    if (sets_with_word != 1 || (visible(parts[0], scope) && program_.find(parts[0]) == nullptr)) break;
    out.emplace_back(last, program_.set(last).index.at(parts[0]));
    parts.erase(parts.begin());
  }
  return out;
}

const Formula* Linker::bound(Bindings bindings, const Formula* inner, const ExprPtr& expr) {
  if (bindings.empty() || inner == nullptr) return inner;
  Formula& f = add(Formula::Kind::at, expr);
  f.bindings = std::make_unique<const Bindings>(std::move(bindings));
  f.args = {inner};
  return &f;
}

std::vector<std::string> Linker::flatten(const ExprPtr& expr, ExprPtr& base) {
  if (expr->kind == Expr::Kind::member) {
    std::vector<std::string> parts = flatten(expr->args[0], base);
    parts.push_back(expr->text);
    return parts;
  }
  base = expr;
  return expr->kind == Expr::Kind::name ? std::vector<std::string>{expr->text} : std::vector<std::string>{};
}

/// Returns the word set of that name that elements of a set belong to: `message.phase` is the phase of the current
/// message. Returns no set if none matches.
SetId Linker::joined(SetId elements, const std::string& name) const {
  const SetId set = program_.find_set(name);
  const std::vector<SetId>& to = program_.set(elements).belongs_to;
  return set && !program_.set(set).elements && contains(to, set) ? set : SetId();
}

/// Returns the item at the current position of a set's list: for `network.latency` with `network: system.networks`, the
/// formula of `system.networks[network]`. The caller adds the field.
const Formula* Linker::current_item(const Formula& position, const ExprPtr& expr) {
  const Formula* list = link(program_.set(position.set).positions, *program_.global);
  if (list == nullptr) return nullptr;
  Formula& f = add(Formula::Kind::index, expr);
  f.args = {list, &position};
  return &f;
}

const Formula* Linker::link_path(const ExprPtr& expr, const NameScope& scope) {
  // Links a path `a.b.c`. The words in front become bindings (`take_bindings`), under which the whole path is
  // evaluated. The first remaining part is a name, a set or `set.word`. Every further part is a field of the value so
  // far, or a word set of the current element (`message.phase`). Fields of element sets are checked here, other fields
  // during evaluation, when the record is known. A word has no fields: such a path must name the word's set. Returns
  // null after an error.
  ExprPtr base;
  std::vector<std::string> parts = flatten(expr, base);
  const Formula* head = nullptr;
  Bindings bindings;
  std::size_t next = 0;
  if (base->kind == Expr::Kind::name) {
    bindings = take_bindings(parts, base->span, scope);
    const SetId set = find_set(parts[0], base->span, scope);
    if (parts.size() > 1 && set && program_.set(set).index.count(parts[1]) != 0) {  // `set.word`
      head = word_of(parts[1], set, expr);
      next = 2;
    } else {
      head = resolve(parts[0], base, scope);
      next = 1;
    }
  } else {
    head = link(base, scope);
  }
  if (head != nullptr && head->kind == Formula::Kind::word && next < parts.size()) {
    std::vector<std::string> sets;
    for (const auto& set : program_.sets) {
      if (set->index.count(head->text) != 0) sets.push_back(set->name);
    }
    diagnostics_.error(expr->span, fmt::format("`{}` is a word of `{}`: write `{}.{}`", head->text, join(sets, "` and of `"), sets[0], join(parts, ".")));
    return nullptr;
  }
  for (; head != nullptr && next < parts.size(); ++next) {
    if (const SetId words = head->kind == Formula::Kind::set ? joined(head->set, parts[next]) : SetId(); words) {
      Formula& f = add(Formula::Kind::set, expr);
      f.set = words;
      f.text = parts[next];
      head = &f;
      continue;
    }
    // the words of such a set are positions of a list: `network.latency` is a field of the item at the current position
    if (head->kind == Formula::Kind::set && program_.set(head->set).positions) head = current_item(*head, base);
    if (head == nullptr) return nullptr;
    Formula& f = add(Formula::Kind::field, expr);
    f.text = parts[next];
    f.slot = program_.field_id(f.text);
    f.args = {head};
    if (head->kind == Formula::Kind::set) {
      const Set& set = program_.set(head->set);
      if (set.elements && set.fields.find(parts[next]) == set.fields.end()) {
        std::vector<std::string> names = names_of(set.fields);
        for (const SetId other : set.belongs_to) names.push_back(program_.set(other).name);
        diagnostics_.error(expr->span, fmt::format("`{}` has no field `{}`{}", set.name, parts[next], suggestion(parts[next], names)));
        return nullptr;
      }
    }
    head = &f;
  }
  return bound(std::move(bindings), head, expr);
}

}  // namespace opledger
