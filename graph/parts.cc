#include "graph/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace opledger {

namespace {

constexpr const char* kRest = "rest";

ExprPtr build(Expr e) {
  for (const ExprPtr& arg : e.args) e.depth = std::max(e.depth, arg->depth + 1);
  return std::make_shared<Expr>(std::move(e));
}

ExprPtr leaf(Expr::Kind kind, std::string text, const Span& span, double number = 0) {
  Expr e;
  e.kind = kind;
  e.text = std::move(text);
  e.number = number;
  e.span = span;
  return build(std::move(e));
}

ExprPtr operation(Op op, ExprPtr a, ExprPtr b) {
  Expr e;
  e.kind = Expr::Kind::operation;
  e.op = op;
  e.span = a->span;
  e.args = {std::move(a), std::move(b)};
  return build(std::move(e));
}

ExprPtr call(const char* function, std::vector<ExprPtr> args) {
  Expr e;
  e.kind = Expr::Kind::call;
  e.span = args.front()->span;
  e.args = {leaf(Expr::Kind::name, function, e.span)};
  e.args.insert(e.args.end(), args.begin(), args.end());
  return build(std::move(e));
}

ExprPtr plus(const ExprPtr& a, const ExprPtr& b) { return a ? operation(Op::add, a, b) : b; }

bool fits(const std::vector<std::string>& patterns, std::initializer_list<std::string> texts) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return glob_match(pattern, text); });
         });
}

class Cutter {
 public:
  Cutter(std::vector<SegmentPlan> plans, Diagnostics& diagnostics) : plans_(std::move(plans)), diagnostics_(diagnostics) {}

  void cut(const LayerPart& part) {
    std::vector<std::size_t> matched;
    bool turns = false;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!matches(part, i)) continue;
      if (plans_[i].spec->group < 0) {
        matched.push_back(i);
      } else {
        diagnostics_.warning(part.span, fmt::format("{} leaves segment `{}` whole: it takes turns with others", part.rule, plans_[i].name));
        turns = true;
      }
    }
    if (matched.empty() && !turns) diagnostics_.warning(part.span, fmt::format("{} matches nothing in this model", part.rule));
    for (const std::size_t i : matched) {
      const auto same = [&](const SegmentPlan& p) { return p.spec == plans_[i].spec && p.part == part.name; };
      if (part.name != kRest && std::none_of(plans_.begin(), plans_.end(), same)) continue;
      diagnostics_.error(part.span, fmt::format("{}: segment `{}` already has a part `{}`", part.rule, plans_[i].spec->name, part.name));
      return;
    }
    const std::vector<ExprPtr> counts = part.at == LayerPart::At::even ? spread(part, matched) : in_row(part, matched);
    for (std::size_t m = matched.size(); m-- > 0;) split(part, matched[m], counts[m]);  // from the end, so that positions stay
  }

  std::vector<SegmentPlan> take() {
    for (std::size_t i = 1; i < plans_.size(); ++i) plans_[i].continues = plans_[i].spec == plans_[i - 1].spec;
    return std::move(plans_);
  }

 private:
  bool matches(const LayerPart& part, std::size_t i) const {
    const SegmentPlan& plan = plans_[i];
    if (!plan.repeat || !(plan.part.empty() || plan.part == kRest)) return false;
    if (i > 0 && plans_[i - 1].even && plans_[i - 1].spec == plan.spec) return false;
    return fits(part.segments, {plan.name, plan.spec->name}) && fits(part.blocks, {plan.spec->block});
  }

  /// The first of them takes as many as it has, the next what is left; from the end for the last ones.
  std::vector<ExprPtr> in_row(const LayerPart& part, std::vector<std::size_t> matched) {
    const bool from_end = part.at == LayerPart::At::last;
    if (from_end) std::reverse(matched.begin(), matched.end());
    std::vector<ExprPtr> counts;
    ExprPtr before;
    for (const std::size_t i : matched) {
      const ExprPtr left = before ? operation(Op::subtract, part.layers, before) : part.layers;
      counts.push_back(call("max", {number(0, part), call("min", {left, plans_[i].repeat})}));
      before = plus(before, plans_[i].repeat);
    }
    if (from_end) std::reverse(counts.begin(), counts.end());
    return counts;
  }

  /// Of n among all L layers, those between a and b: floor(b n / L) - floor(a n / L).
  std::vector<ExprPtr> spread(const LayerPart& part, const std::vector<std::size_t>& matched) {
    ExprPtr all;
    for (const std::size_t i : matched) all = plus(all, plans_[i].repeat);
    std::vector<ExprPtr> counts;
    ExprPtr before, done;
    for (const std::size_t i : matched) {
      before = plus(before, plans_[i].repeat);
      const ExprPtr some = part.every ? operation(Op::floor_divide, all, part.every) : call("max", {number(0, part), call("min", {part.layers, all})});
      const ExprPtr now = matched.size() == 1 ? some : operation(Op::floor_divide, operation(Op::multiply, before, some), call("max", {number(1, part), all}));
      counts.push_back(done ? operation(Op::subtract, now, done) : now);
      done = now;
    }
    return counts;
  }

  static ExprPtr number(int n, const LayerPart& part) { return leaf(Expr::Kind::number, std::to_string(n), part.span, n); }

  void split(const LayerPart& part, std::size_t i, const ExprPtr& count) {
    SegmentPlan own = plans_[i], rest = plans_[i];
    own.part = part.name;
    own.name = own.spec->name + "." + own.part;
    own.even = part.at == LayerPart::At::even;
    rest.part = kRest;
    rest.name = rest.spec->name + "." + rest.part;
    rest.repeat = operation(Op::subtract, rest.repeat, count);
    own.repeat = count;
    const bool after = part.at == LayerPart::At::last;
    plans_[i] = after ? rest : own;
    plans_.insert(plans_.begin() + static_cast<std::ptrdiff_t>(i) + 1, after ? own : rest);
  }

  std::vector<SegmentPlan> plans_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<SegmentPlan> cut_segments(const std::vector<const SegmentSpec*>& segments, const std::vector<LayerPart>& parts, Diagnostics& diagnostics) {
  std::vector<SegmentPlan> plans;
  for (const SegmentSpec* spec : segments) plans.push_back({spec, spec->name, "", spec->repeat, false, false});
  Cutter cutter(std::move(plans), diagnostics);
  for (const LayerPart& part : parts) cutter.cut(part);
  return cutter.take();
}

}  // namespace opledger
