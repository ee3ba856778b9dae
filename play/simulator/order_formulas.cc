#include "play/simulator/order_formulas.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "expr/printer.h"

namespace opledger {
namespace {

constexpr const char* kLocals[] = {"stages", "microbatches", "chunks", "position", "remaining_stages", "n", "chunk", "direction"};
constexpr std::size_t kMostFormulaParts = 20'000;  // nodes of all formulas of an order
constexpr std::size_t kMostKnown = 1 << 14;        // memoized values of a formula

void collect_names(const ExprPtr& e, std::set<std::string>& out) {
  if (e->kind == Expr::Kind::name) out.insert(e->text);
  for (const ExprPtr& part : e->args) collect_names(part, out);
}

}  // namespace

OrderFormulas::OrderFormulas(const OrderDefinition& order, const StepSize& size, long long chunks, Evaluator& evaluator)
    : order_(order), size_(size), chunks_(chunks), evaluator_(evaluator) {
  Diagnostics ignored;
  Linker linker(evaluator.program(), evaluator.queries(), ignored);
  scope_ = &linker.scope(evaluator.program().global);
  for (std::size_t i = 0; i < std::size(kLocals); ++i) scope_->locals.emplace(kLocals[i], static_cast<std::int32_t>(i));
}

/// Returns a copy of a formula in which each name that the order defines under `let` is replaced by its own formula,
/// recursively, as a macro. Such a name may depend on the stage and the item, and so can't be a name of the program,
/// which has one value. Expansion can grow exponentially, so `parts_` counts the visited nodes of all formulas of the
/// order, up to a limit. Formulas without operands are not copied. Returns null, with an error, above the limit or for
/// a definition that `expand_let` rejects, such as a cyclic one.
ExprPtr OrderFormulas::expand_lets(const ExprPtr& formula, Diagnostics& diagnostics) {
  if (++parts_ > kMostFormulaParts) {
    diagnostics.error(order_.span, fmt::format("the formulas of this order are too long: more than {} parts", kMostFormulaParts));
    return nullptr;
  }
  if (formula->kind == Expr::Kind::name) {
    const auto let = std::find_if(order_.lets.begin(), order_.lets.end(), [&](const Definition& d) { return d.name == formula->text; });
    return let == order_.lets.end() ? formula : expand_let(*let, diagnostics);
  }
  if (formula->args.empty()) return formula;
  auto out = std::make_shared<Expr>(*formula);
  for (ExprPtr& part : out->args) {
    part = expand_lets(part, diagnostics);
    if (part == nullptr) return nullptr;
    out->depth = std::max(out->depth, part->depth + 1);
  }
  return out;
}

/// Returns the expanded formula of one `let`. Returns null, with an error, if the `let` has cases or a condition, depends
/// on itself, or exceeds the limit of `expand_lets`.
ExprPtr OrderFormulas::expand_let(const Definition& let, Diagnostics& diagnostics) {
  if (let.otherwise == nullptr || !let.cases.empty() || let.when != nullptr) {
    diagnostics.error(let.span, fmt::format("`{}` of an order must be a plain formula", let.name));
    return nullptr;
  }
  if (contains(open_, &let)) {
    diagnostics.error(let.span, fmt::format("`{}` depends on itself", let.name));
    return nullptr;
  }
  open_.push_back(&let);
  ExprPtr out = expand_lets(let.otherwise, diagnostics);
  open_.pop_back();
  return out;
}

/// Expands and links a formula on first use, and finds the variables that it reads, which form the key of its memo.
/// The entry of a formula that fails keeps a null `formula`. Expansion can nest formulas deeper than the parser
/// allows, hence the check of the depth. `scope_` declares the variables as local names, in the order of `kLocals`.
OrderFormulas::LinkedFormula& OrderFormulas::linked(const ExprPtr& formula, Diagnostics& diagnostics) {
  const auto [at, fresh] = linked_.try_emplace(formula.get());
  LinkedFormula& out = at->second;
  if (!fresh) return out;
  const ExprPtr whole = expand_lets(formula, diagnostics);
  if (whole == nullptr) return out;
  if (whole->depth > kMaxTreeDepth) {
    diagnostics.error(formula->span, "this formula is nested too deeply after its `let` names are expanded");
    return out;
  }
  std::set<std::string> names;
  collect_names(whole, names);
  // `remaining_stages` follows from the position: the number of stages from this stage to the last, both included.
  out.by_position = names.count("position") + names.count("remaining_stages") > 0;
  out.by_n = names.count("n") > 0;
  out.by_chunk = names.count("chunk") > 0;
  out.by_direction = names.count("direction") > 0;
  Linker linker(evaluator_.program(), evaluator_.queries(), diagnostics);
  out.formula = linker.link(whole, *scope_);
  return out;
}

/// Evaluates a linked formula; the values of the variables are passed in the order of `kLocals`.
Answer OrderFormulas::ask(const Formula& formula, const OrderPlace& place) {
  const auto number = [](auto n) { return number_value(integer(static_cast<double>(n))); };
  const std::vector<Value> locals = {
      number(size_.stages), number(size_.microbatches), number(chunks_),        number(place.position), number(size_.stages - place.position),
      number(place.n),      number(place.chunk),        number(place.direction)};
  return evaluator_.ask(formula, nowhere(), &locals);
}

std::optional<long long> OrderFormulas::whole(const ExprPtr& formula, const OrderPlace& place, Diagnostics& diagnostics) {
  // Returns the memoized value of the formula at the place, or evaluates it and checks that it is a whole number of at
  // most 10^9 without unit. `linked` prepares the formula and finds the variables that it reads. The key of the memo
  // has 0 for every variable that the formula doesn't read, so all places that differ only in such variables share a
  // value. A full memo is cleared, which bounds the memory. Failed evaluations are not memoized: an error ends the
  // unrolling.
  LinkedFormula& l = linked(formula, diagnostics);
  if (l.formula == nullptr) return std::nullopt;
  const OrderPlace key = {l.by_position ? place.position : 0, l.by_n ? place.n : 0, l.by_chunk ? place.chunk : 0, l.by_direction ? place.direction : 0};
  const auto found = l.known.find(key);
  if (found != l.known.end()) return found->second;
  const Answer answer = ask(*l.formula, place);
  if (!answer.report(diagnostics)) return std::nullopt;
  const double v = answer.value.scalar.value;
  if (!answer.value.is_number() || !answer.value.unit.plain() || std::fabs(v) > 1e9 || v != std::floor(v)) {
    diagnostics.error(formula->span,
                      fmt::format("this must be a whole number, not {}", answer.value.is_number() ? human(answer.value) : describe(answer.value)));
    return std::nullopt;
  }
  if (l.known.size() >= kMostKnown) l.known.clear();
  return l.known[key] = static_cast<long long>(v);
}

std::optional<bool> OrderFormulas::holds(const ExprPtr& formula, Diagnostics& diagnostics) {
  const LinkedFormula& l = linked(formula, diagnostics);
  if (l.formula == nullptr) return std::nullopt;
  const Answer answer = ask(*l.formula, {});
  if (!answer.report(diagnostics)) return std::nullopt;
  return as_truth(answer.value).scalar.value != 0;
}

}  // namespace opledger
