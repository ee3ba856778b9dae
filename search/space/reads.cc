#include "search/space/reads.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "base/lists.h"

namespace opledger {
namespace {

/// Computes the axes that a formula reads: a memoized walk over formulas, definitions, sets and documents. The result
/// over-approximates: every case of a definition counts, whether or not its condition holds.
class Reads {
 public:
  Reads(const Program& program, const std::vector<SpaceAxis>& axes) : program_(program), words_(program.cases.size(), 0) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      known_axes_[axes[a].input] = axis_bit(a);
      axes_.insert(axes[a].input);
    }
  }

  /// Returns the axes that a formula reads, as the union over its parts: names, definitions of a called function, the set of an
  /// aggregation, and arguments. A constant path into a document reads the axes that set the field or choose the document.
  AxisSet of(const Formula* f) {
    if (f == nullptr) return 0;
    if (f->kind == Formula::Kind::at) return at(*f);
    if (const Value* field = field_of(*f)) return of(*field) | of_choice(*f);
    AxisSet out = 0;
    if (f->name != nullptr) out |= of(*f->name);
    if (f->function != nullptr) {
      for (const Def* def : f->function->defs) out |= of(*def);
    }
    if (f->set) out |= of_set(f->set);
    for (const Formula* arg : f->args) out |= of(arg);
    return out;
  }

  /// Returns an input that a domain mentions, is no axis and depends on axis `on`; null if no input is the cause.
  const Name* through(const SpaceAxis& axis, std::size_t on) {
    const Name* found = mentioned(axis.where, on);
    if (found == nullptr) found = mentioned(axis.symmetry, on);
    for (const DomainItem& item : axis.items) {
      for (const Formula* f : {item.first, item.second}) found = found != nullptr ? found : mentioned(f, on);
    }
    return found;
  }

  AxisSet of(const std::vector<DomainItem>& items) {
    AxisSet out = 0;
    for (const DomainItem& item : items) out |= of(item.first) | of(item.second) | of(item.then) | of(item.otherwise);
    return out;
  }

 private:
  const Name* mentioned(const Formula* f, std::size_t on) {
    if (f == nullptr) return nullptr;
    if (f->name != nullptr && f->name->input && axes_.count(f->name) == 0 && (of(f) & axis_bit(on)) != 0) return f->name;
    for (const Formula* arg : f->args) {
      if (const Name* found = mentioned(arg, on)) return found;
    }
    return nullptr;
  }

  /// Returns the document's value behind a formula such as `system.networks[0].bandwidth`; null if the formula is no
  /// constant path.
  static const Value* field_of(const Formula& f) {
    if (f.kind != Formula::Kind::field && f.kind != Formula::Kind::index) return nullptr;
    const Formula& base = *f.args[0];
    const Value* inner = field_of(base);
    const Record* record = inner != nullptr ? inner->record : base.kind == Formula::Kind::name && base.name != nullptr ? base.name->constant : nullptr;
    if (record == nullptr || f.kind == Formula::Kind::field) return record != nullptr ? record->find(f.text) : nullptr;
    const double at = f.args[1]->kind == Formula::Kind::constant ? f.args[1]->value->scalar.value : -1;
    const bool there = at >= 0 && at < static_cast<double>(record->fields.size()) && at == std::floor(at);
    return there ? &record->fields[static_cast<std::size_t>(at)].second : nullptr;
  }

  /// Returns the axes that choose the document in which the field of a path is read.
  AxisSet of_choice(const Formula& f) {
    if (f.name != nullptr) return f.name->chosen_by != nullptr ? of(*f.name->chosen_by) : 0;
    return f.args.empty() ? 0 : of_choice(*f.args[0]);
  }

  /// Returns the axes that set a field or any field nested in a record.
  AxisSet of(const Value& field) {
    AxisSet out = field.input != nullptr ? of(*field.input) : 0;
    if (field.record == nullptr) return out;
    for (const auto& [_, item] : field.record->fields) out |= of(item);
    return out;
  }

  /// A formula `f at {set: word}` is read with the names' values for those words of the sets of cases.
  AxisSet at(const Formula& f) {
    const std::vector<WordId> around = words_;
    for (const auto& [set, word] : *f.bindings) {
      for (std::size_t i = 0; i < words_.size(); ++i) {
        if (program_.cases[i].set == set) words_[i] = word;
      }
    }
    const AxisSet out = of(f.args[0]);
    words_ = around;
    return out;
  }

  /// Returns the axes read by any value that replaces the name under the current words.
  AxisSet of_cases(const Name& name) {
    AxisSet out = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (const auto& values : program_.cases[i].words[words_[i]].values) {
        for (const CaseValue& value : values) out |= value.of == &name ? of(*value.value) : 0;
      }
    }
    return out;
  }

  /// Returns the axes on which the value of a name depends. An axis depends on itself, and on its values by case. Other
  /// names combine all their sources: the set whose element the name stands for, values by case, the name that chooses
  /// the document, fields of a document, and every definition. The memo `known_` gets an empty entry before the
  /// recursion, so cycles between names end. Its key includes the current word of each set of cases, because words can
  /// replace the values of names.
  AxisSet of(const Name& name) {
    if (const auto axis = known_axes_.find(&name); axis != known_axes_.end()) return axis->second | of_cases(name);
    const auto key = std::pair{words_, &name};
    const auto [found, fresh] = known_.try_emplace(key, AxisSet{0});
    if (!fresh) return found->second;
    AxisSet out = (name.of ? of_set(name.of) : 0) | of_cases(name);
    if (name.chosen_by != nullptr) out |= of(*name.chosen_by);
    if (name.constant != nullptr) {
      for (const auto& [_, field] : name.constant->fields) out |= of(field);
    }
    for (const Def* def : name.defs) out |= of(*def);
    for (const auto& [_, defs] : name.by_op) {
      for (const Def* def : defs) out |= of(*def);
    }
    return known_[key] = out;
  }

  AxisSet of(const Def& def) {
    AxisSet out = of(def.otherwise) | of(def.when);
    if (def.set) out |= of_set(def.set);
    for (const auto& [_, f] : def.cases) out |= of(f);
    return out;
  }

  AxisSet of_set(SetId set) {
    const Name* binder = program_.set(set).binder;
    return binder != nullptr ? of(*binder) : 0;
  }

  const Program& program_;
  std::map<const Name*, AxisSet> known_axes_;
  std::map<std::pair<std::vector<WordId>, const Name*>, AxisSet> known_;
  std::vector<WordId> words_;  ///< Current word of each set of cases.
  std::set<const Name*> axes_;
};

/// Reports each axis whose domain reads the axis itself or a later axis; domains are computed in order, so the value would be
/// missing. `reads` of the axes are already set. The error names the first such axis. If the dependence goes through an input
/// without a value of its own, the error names the input and suggests to set it. Returns false after an error.
bool check_order(const std::vector<SpaceAxis>& axes, Reads& reads, Diagnostics& diagnostics) {
  bool good = true;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const AxisSet late = axes[a].reads & ~(axis_bit(a) - 1);
    if (late == 0) continue;
    good = false;
    const auto first = static_cast<std::size_t>(std::countr_zero(late));
    const std::string& name = axes[first].input->name;
    const Name* through = reads.through(axes[a], first);
    const std::string how = through != nullptr ? fmt::format(" through `{0}`, which has no value of its own: give it with `--set {0}=…`", through->name) : "";
    if (first != a)
      diagnostics.error(axes[a].span,
                        fmt::format("the values of `{}` depend on `{}`, an axis that comes later{}{}", axes[a].input->name, name, how.empty() ? "" : ",", how));
    else if (!how.empty())
      diagnostics.error(axes[a].span, fmt::format("the values of `{}` depend on itself,{}", name, how));
    else
      diagnostics.error(axes[a].span, fmt::format("the values of `{}` depend on itself: in a condition, `it` is the value in question", name));
  }
  return good;
}

void add_input_names(const Formula* f, std::vector<std::string>& out) {
  if (f == nullptr) return;
  if (f->name != nullptr && f->name->input && !contains(out, f->name->name)) out.push_back(f->name->name);
  for (const Formula* arg : f->args) add_input_names(arg, out);
}

void add_input_names(const std::vector<DomainItem>& items, std::vector<std::string>& out) {
  for (const DomainItem& item : items) {
    for (const Formula* f : {item.first, item.second}) add_input_names(f, out);
    add_input_names(item.then, out);
    add_input_names(item.otherwise, out);
  }
}

}  // namespace

std::vector<std::string> input_names(const SpaceAxis& axis) {
  std::vector<std::string> out = {axis.input->name};
  add_input_names(axis.items, out);
  add_input_names(axis.where, out);
  out.erase(out.begin());
  return out;
}

bool find_reads(const Program& program, std::vector<SpaceAxis>& axes, Diagnostics& diagnostics) {
  Reads reads(program, axes);
  for (std::size_t a = 0; a < axes.size(); ++a)
    axes[a].reads = reads.of(axes[a].items) | ((reads.of(axes[a].where) | reads.of(axes[a].symmetry)) & ~axis_bit(a));
  return check_order(axes, reads, diagnostics);
}

}  // namespace opledger
