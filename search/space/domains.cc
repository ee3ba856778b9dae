#include "search/space/domains.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "base/text.h"
#include "base/units.h"
#include "formulas/evaluate/inquiry.h"

namespace opledger {
namespace {

constexpr double kMostValues = 1'000'000;
constexpr double kMostWhole = 9e15;  // smaller whole numbers are exact in a double

/// Evaluates the formulas of domain items and appends one scalar for each, in the order in which `expand` consumes
/// them: a value, a dividend, two bounds of a range, a condition. Formulas of both outcomes of a choice are evaluated,
/// so the number of scalars does not depend on conditions. A word becomes its number, a list its length. The scalars
/// may be symbols of a tape that the inquiry records. Returns false if a formula can't be evaluated.
bool bounds_of(Inquiry& inquiry, const std::vector<DomainItem>& items, std::vector<Scalar>& out) {
  const auto add = [&](const Formula* formula) {
    const Value value = as_truth(inquiry.ask(*formula));
    if (inquiry.stopped()) return false;
    out.push_back(value.kind == Value::Kind::word && value.scalar.constant() ? integer(value.word)
                  : value.kind == Value::Kind::list                          ? integer(static_cast<double>(value.record->fields.size()))
                                                                             : value.scalar);
    return true;
  };
  for (const DomainItem& item : items) {
    if (item.first != nullptr && !add(item.first)) return false;
    if (item.kind == DomainItem::Kind::range && !add(item.second)) return false;
    if (!bounds_of(inquiry, item.then, out) || !bounds_of(inquiry, item.otherwise, out)) return false;
  }
  return true;
}

/// Appends the divisors of a whole number below 2^53 in ascending order; none for numbers below 1. Trial division finds
/// the prime factors, with O(√n) divisions. Each power of a prime factor multiplies the divisors of the smaller
/// factors. `rest` is the number without the factors found so far; a rest above 1 is the last prime.
void add_divisors(double n, std::vector<double>& out) {
  if (n < 1) return;
  std::vector<double> divisors = {1};
  auto rest = static_cast<std::uint64_t>(n);
  const auto add_factor = [&](std::uint64_t prime) {
    const std::size_t before = divisors.size();
    double power = 1;
    while (rest % prime == 0) {
      rest /= prime;
      power *= static_cast<double>(prime);
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
    }
  };
  add_factor(2);
  for (std::uint64_t prime = 3; prime * prime <= rest; prime += 2) add_factor(prime);
  if (rest > 1) add_factor(rest);
  std::sort(divisors.begin(), divisors.end());
  out.insert(out.end(), divisors.begin(), divisors.end());
}

}  // namespace

double any_value(const SpaceAxis& axis) {
  const Type::Kind kind = axis.input->type.kind;
  return kind == Type::Kind::words || kind == Type::Kind::boolean ? 0 : 1;
}

std::size_t Domains::HashValues::operator()(const std::vector<double>& values) const {
  std::uint64_t hash = 0;
  for (const double value : values) hash = (hash ^ std::bit_cast<std::uint64_t>(value + 0.0)) * 0x9e3779b97f4a7c15u;  // -0 equals 0
  return hash ^ hash >> 32;
}

/// Returns the values of the axes that the domain of `axis` reads: the key of its caches.
const std::vector<double>& Domains::key(std::size_t axis, const std::vector<double>& values) {
  Axis& a = axes_[axis];
  for (std::size_t other = 0; other < axis && !a.prepared; ++other) {
    if ((space_.axes[axis].reads >> other & 1u) != 0) a.reads.push_back(other);
  }
  a.prepared = true;
  key_.clear();
  for (const std::size_t other : a.reads) key_.push_back(values[other]);
  return key_;
}

const std::vector<double>* Domains::symmetric_values(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) {
  return of(axis, values, diagnostics) != nullptr ? &axes_[axis].symmetric[key(axis, values)] : nullptr;
}

const std::vector<double>* Domains::of(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) {
  // Returns the domain of an axis for fixed values of the axes that its formulas read. Domains are cached by these
  // values (`key`). A miss computes the domain in five steps: run the compiled formulas, expand the items to values,
  // drop duplicates, filter by `where` and `symmetry`, and check the remaining values against the type. The first
  // domain that `where` empties is noted in `refused`, to explain a space without candidates. `rising` notes ascending
  // domains: the order of their values is the order of numbers. The cache owns the result; its address stays valid.
  Axis& a = axes_[axis];
  if (const auto found = a.known.find(key(axis, values)); found != a.known.end()) return &found->second;
  const CompiledDomain* compiled = find(axis, values, diagnostics);
  if (compiled == nullptr) return nullptr;
  std::vector<double> out;
  std::size_t next = 0;
  if (!expand(space_.axes[axis].items, compiled->bounds.run(values), next, axis, out, diagnostics)) return nullptr;
  if (static_cast<double>(out.size()) > kMostValues) {
    diagnostics.error(space_.axes[axis].span, fmt::format("`{}` has more than {} values", space_.axes[axis].input->name, kMostValues));
    return nullptr;
  }
  std::vector<double> once;
  std::unordered_set<double> seen;
  for (const double value : out) {
    if (seen.insert(value).second) once.push_back(value);
  }
  std::vector<double> symmetric, before = once;
  if (!filter(axis, values, once, symmetric, diagnostics) || !check(axis, once, diagnostics)) return nullptr;
  if (once.empty() && !before.empty() && a.refused.empty()) {
    a.refused = values;
    a.refused[axis] = before[0];
  }
  if (!symmetric.empty()) a.symmetric.emplace(key(axis, values), std::move(symmetric));
  const std::vector<double>& domain = a.known.emplace(key(axis, values), std::move(once)).first->second;
  if (std::is_sorted(domain.begin(), domain.end())) a.rising.insert(&domain);
  return &domain;
}

/// Reports the first value that the type of the axis's input doesn't allow, and returns false. A word is stored as its
/// number, a whole number from 0 below the number of words. Numbers must be finite and within the declared bounds, if
/// these are constants. Integers must be whole and below 9e15, so that doubles represent them exactly. Truths need no
/// check.
bool Domains::check(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) const {
  const SpaceAxis& a = space_.axes[axis];
  const Type& type = a.input->type;
  const auto bad = [&](const std::string& expected, double value) {
    const std::string found = std::isfinite(value) ? human(number_value(real(value), type.unit.dimension)) : "beyond the range of numbers";
    diagnostics.error(a.span, fmt::format("`{}` must be {}, not {}", a.input->name, expected, found));
    return false;
  };
  if (type.kind == Type::Kind::words) {
    const std::vector<std::string>& words = space_.run->program().set(type.set).words;
    const auto is_word = [&](double value) { return value >= 0 && value < static_cast<double>(words.size()) && value == std::floor(value); };
    const auto wrong = std::find_if_not(values.begin(), values.end(), is_word);
    return wrong == values.end() || bad("one of " + join(words, ", "), *wrong);
  }
  if (type.kind != Type::Kind::number && type.kind != Type::Kind::integer) return true;
  for (const double value : values) {
    if (!std::isfinite(value)) return bad("a number", value);
    if (type.kind == Type::Kind::integer && (value != std::floor(value) || std::fabs(value) >= kMostWhole)) return bad("a whole number below 9e15", value);
    if (type.minimum && type.minimum->kind == Expr::Kind::number && value < type.minimum->number) return bad("at least " + type.minimum->text, value);
    if (type.maximum && type.maximum->kind == Expr::Kind::number && value > type.maximum->number) return bad("at most " + type.maximum->text, value);
  }
  return true;
}

bool Domains::always_empty(std::size_t axis) const {
  const auto& known = axes_[axis].known;
  return !known.empty() && std::all_of(known.begin(), known.end(), [](const auto& entry) { return entry.second.empty(); });
}

const Domains::CompiledDomain* Domains::find(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) {
  Axis& a = axes_[axis];
  for (const CompiledDomain& compiled : a.compiled) {
    if (compiled.guards.hold(values)) return &compiled;
  }
  std::optional<CompiledDomain> compiled = compile(axis, values, diagnostics);
  if (!compiled) return nullptr;
  return &a.compiled.emplace_back(std::move(*compiled));
}

std::optional<Domains::CompiledDomain> Domains::compile(std::size_t axis, const std::vector<double>& values, Diagnostics& diagnostics) {
  // Compiles the formulas of an axis by tracing. They are evaluated once, with the numbers of the sample `values`, and
  // every axis is a symbol: each operation is recorded on a tape. A branch that depends on a symbol follows the sample
  // and becomes a guard. The tape is valid for all values that satisfy the guards; `find` compiles again for others.
  // The result has one kernel for the scalars of the domain items (`bounds_of`), one for the condition `where`, and one
  // for `symmetry`; the kernel of an absent condition has no result. Returns nothing, with errors, if a formula can't
  // be evaluated.
  Tape tape;
  Evaluator evaluator(space_.run->program(), Evaluator::Mode::numbers, &tape);
  Inquiry inquiry(evaluator);
  for (std::size_t a = 0; a < space_.axes.size(); ++a) evaluator.make_symbolic(*space_.axes[a].input, values[a]);
  for (const SpaceAxis& a : space_.axes) {  // numbers the tape's inputs in the order of the axes
    if (!evaluator.base_value(*a.input).report(diagnostics)) return std::nullopt;
  }
  std::vector<Scalar> bounds, where, symmetry;
  const SpaceAxis& a = space_.axes[axis];
  bounds_of(inquiry, a.items, bounds);
  if (a.where != nullptr) where.push_back(as_truth(inquiry.ask(*a.where)).scalar);
  if (a.symmetry != nullptr) symmetry.push_back(as_truth(inquiry.ask(*a.symmetry)).scalar);
  const bool good = inquiry.good();
  diagnostics.append(std::move(inquiry.messages()));
  if (!good) return std::nullopt;
  return CompiledDomain{Guards(tape, tape.guards()), Kernel(tape, bounds), Kernel(tape, where), Kernel(tape, symmetry)};
}

bool Domains::expand(const std::vector<DomainItem>& items, const std::vector<double>& bounds, std::size_t& next, std::size_t axis, std::vector<double>& out,
                     Diagnostics& diagnostics) {
  // Appends the values of domain items to `out`. Items and `bounds` are traversed together: every formula of an item
  // has exactly one number in `bounds`, and `next` is the position of the next number. The numbers of a choice cover
  // both outcomes, so the skipped outcome is expanded as well, into a list that is dropped. Words are stored by number,
  // from 0 on. Returns false, with errors, if a bound is no whole number or a range is too long.
  const SpaceAxis& a = space_.axes[axis];
  const auto whole = [&](double n) {
    if (n == std::floor(n) && std::fabs(n) < kMostWhole) return true;
    diagnostics.error(a.span, fmt::format("`{}`: {} is no whole number", a.input->name, exact(n)));
    return false;
  };
  for (const DomainItem& item : items) {
    const double first = item.first != nullptr ? bounds[next++] : item.constant;
    std::vector<double> skipped;
    switch (item.kind) {
      case DomainItem::Kind::value:
        out.push_back(first);
        break;
      case DomainItem::Kind::divisors:
        if (!whole(first)) return false;
        add_divisors(first, out);
        break;
      case DomainItem::Kind::range: {
        const double last = bounds[next++];
        if (!whole(first) || !whole(last)) return false;
        if (last - first > kMostValues) {
          diagnostics.error(a.span, fmt::format("`{}` has more than {} values", a.input->name, human(kMostValues, {})));
          return false;
        }
        for (double n = first; n <= last; ++n) out.push_back(n);
        break;
      }
      case DomainItem::Kind::words:
        for (double w = 0; w < first; ++w) out.push_back(w);
        break;
      case DomainItem::Kind::choice:
        if (!expand(item.then, bounds, next, axis, first != 0 ? out : skipped, diagnostics) ||
            !expand(item.otherwise, bounds, next, axis, first != 0 ? skipped : out, diagnostics))
          return false;
        break;
    }
  }
  return true;
}

/// Filters the values of a domain in place. First `where` removes the values that it refuses. Then the values that
/// `symmetry` declares equivalent to the first value move from `out` to `symmetric`; order is preserved in both. Each
/// condition is a compiled kernel that reads all axes, the value in question included. A kernel is valid under guards,
/// and the value may decide the guards. The compiled form is therefore looked up for each value. Returns false, with
/// errors, if a condition can't be evaluated.
bool Domains::filter(std::size_t axis, const std::vector<double>& values, std::vector<double>& out, std::vector<double>& symmetric, Diagnostics& diagnostics) {
  std::vector<double> inputs = values;
  bool good = true;
  const auto holds = [&](double value, const Kernel CompiledDomain::*condition) {
    inputs[axis] = value;
    const CompiledDomain* compiled = good ? find(axis, inputs, diagnostics) : nullptr;
    good = compiled != nullptr;
    return good && (compiled->*condition).run(inputs)[0] != 0;
  };
  const auto refused = [&](double value) { return !holds(value, &CompiledDomain::where); };
  if (space_.axes[axis].where != nullptr) out.erase(std::remove_if(out.begin(), out.end(), refused), out.end());
  if (space_.axes[axis].symmetry == nullptr || out.empty()) return good;
  const auto distinct = [&](double value) { return !holds(value, &CompiledDomain::symmetry); };
  const auto from = std::stable_partition(out.begin() + 1, out.end(), distinct);
  symmetric.assign(from, out.end());
  out.erase(from, out.end());
  return good;
}

}  // namespace opledger
