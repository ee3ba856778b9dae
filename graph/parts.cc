#include "graph/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

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

/// Returns the number of layers of a segment over all rounds.
ExprPtr in_all(const SegmentSpec& spec) {
  if (!spec.rounds || !spec.repeat) return spec.rounds ? spec.rounds : spec.repeat;
  return operation(Op::multiply, spec.rounds, spec.repeat);
}

bool fits(const std::vector<std::string>& patterns, std::initializer_list<std::string> texts) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return glob_match(pattern, text); });
         });
}

/// Cuts the list of segments repeatedly. Numbers of layers are formulas, so each cut replaces a segment by a named part
/// and a rest whose `repeat` are expressions. The named part may get 0 layers in a run. Parts of one segment stay
/// adjacent.
class Cutter {
 public:
  Cutter(std::vector<SegmentPlan> plans, Diagnostics& diagnostics) : plans_(std::move(plans)), diagnostics_(diagnostics) {}

  /// Cuts one part from all segments that match it. First each matching segment gets a number of layers, as a formula:
  /// in rows of segments, or spread evenly over all. Then each is split in two. Reports the name `rest` and a name that
  /// a part of the segment already has, and warns if no segment matches.
  void cut(const LayerPart& part) {
    std::vector<std::size_t> matched;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (matches(part, i)) matched.push_back(i);
    }
    if (matched.empty()) diagnostics_.warning(part.span, fmt::format("{} matches nothing in this model", part.rule));
    for (const std::size_t i : matched) {
      const auto same = [&](const SegmentPlan& p) { return p.spec == plans_[i].spec && p.part == part.name; };
      if (part.name != kRest && std::none_of(plans_.begin(), plans_.end(), same)) continue;
      diagnostics_.error(part.span, fmt::format("{}: segment `{}` already has a part `{}`", part.rule, plans_[i].spec->name, part.name));
      return;
    }
    const std::map<std::size_t, ExprPtr> counts = part.at == LayerPart::At::even ? spread(part, matched) : in_row(part, matched);
    for (auto cut = counts.rbegin(); cut != counts.rend(); ++cut)
      split(part, cut->first, cut->second);  // Positions before a cut stay valid when cuts run from the end.
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

  /// Segments that are cut together: one matched segment, or the matched segments of a group, whose layers take turns.
  struct Unit {
    std::vector<std::size_t> members;  ///< Indices into `plans_`.
    bool begins_stack = false;         ///< The unit is the first of its row of layers (LayerPart), in the order of the cut.
  };

  /// Groups the matched segments, given as ascending indices into `plans_`, into units: neighbors of one group
  /// (segments whose layers take turns) form a unit, every other segment its own. A row of layers ends at a segment
  /// that does not repeat, hence the search for such a segment (`gap`) since the previous unit.
  std::vector<Unit> units(const std::vector<std::size_t>& matched) const {
    std::vector<Unit> out;
    for (const std::size_t i : matched) {
      const int group = plans_[i].spec->group;
      if (group >= 0 && !out.empty() && plans_[out.back().members.back()].spec->group == group) {
        out.back().members.push_back(i);
        continue;
      }
      const std::size_t before = out.empty() ? 0 : out.back().members.back();
      const bool gap = std::any_of(plans_.begin() + static_cast<std::ptrdiff_t>(before), plans_.begin() + static_cast<std::ptrdiff_t>(i),
                                   [](const SegmentPlan& p) { return !p.repeat; });
      out.push_back({{i}, out.empty() || gap});
    }
    return out;
  }

  /// Divides the part's `layers` over the units of each row, first unit first. A unit gives min(left, all) layers, at
  /// least 0: `all` are its own, `left` are those that earlier units of the row did not give. For `last`, the last
  /// unit is first. `row` lists the units of all rows, one row after the other; `before` sums the layers of earlier
  /// units of a row. Returns the number of layers to cut, as a formula, by index of the segment in `plans_`. The cost
  /// is linear in the number of segments. After the reversal for `last`, a unit begins its row if it ended the row
  /// before. A group that can't be cut keeps its layers, with a warning; they count as given.
  std::map<std::size_t, ExprPtr> in_row(const LayerPart& part, const std::vector<std::size_t>& matched) {
    std::vector<Unit> row = units(matched);
    if (part.at == LayerPart::At::last) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i].begins_stack = i + 1 == row.size() || row[i + 1].begins_stack;
      std::reverse(row.begin(), row.end());
    }
    std::map<std::size_t, ExprPtr> counts;
    ExprPtr before;
    for (const Unit& unit : row) {
      if (unit.begins_stack) before = nullptr;
      const ExprPtr left = before ? operation(Op::subtract, part.layers, before) : part.layers;
      const ExprPtr all = layers(unit), count = call("max", {number(0, part), call("min", {left, all})});
      if (plans_[unit.members.front()].spec->group < 0) {
        counts[unit.members.front()] = count;
      } else if (!by_turns(part, unit, count, counts)) {
        diagnostics_.warning(part.span, fmt::format("{} does not cut segment `{}`: another rule cuts only a part of its group", part.rule,
                                                    plans_[unit.members.front()].spec->name));
      }
      before = plus(before, all);
    }
    return counts;
  }

  ExprPtr layers(const Unit& unit) const {
    ExprPtr all;
    for (const std::size_t i : unit.members) all = plus(all, plans_[i].repeat);
    return all;
  }

  /// Cuts `count` layers from a group of segments, whose layers take turns: each round has a fixed number of layers of
  /// each segment. Layers cut before at either end (`turns`) give the interval [from, to) of the group's layers that
  /// the new part gets. A segment has k layers in a round of p layers, from offset o on. Of the group's first x layers
  /// it has floor(x / p) k + min(k, max(0, x mod p - o)). Its layers in the interval are the difference of two such
  /// formulas. Returns false if the group was cut with other members before, because its layers then no longer
  /// alternate fully.
  bool by_turns(const LayerPart& part, const Unit& unit, const ExprPtr& count, std::map<std::size_t, ExprPtr>& counts) {
    const SegmentSpec& first = *plans_[unit.members.front()].spec;
    std::vector<const SegmentSpec*> specs;
    for (const std::size_t i : unit.members) specs.push_back(plans_[i].spec);
    Turns& turns = turns_.emplace(first.group, Turns{specs, nullptr, nullptr}).first->second;
    if (turns.specs != specs) return false;
    const auto each = [&](const SegmentSpec& spec) { return spec.repeat ? spec.repeat : number(1, part); };
    ExprPtr period;
    for (const SegmentSpec* spec : specs) period = plus(period, each(*spec));
    const bool last = part.at == LayerPart::At::last;
    ExprPtr from = turns.front ? turns.front : number(0, part), to = plus(from, count);
    if (last) {
      const ExprPtr all = operation(Op::multiply, first.rounds, period);
      to = turns.back ? operation(Op::subtract, all, turns.back) : all;
      from = operation(Op::subtract, to, count);
    }
    ExprPtr offset = number(0, part);
    for (const std::size_t i : unit.members) {
      const ExprPtr own = each(*plans_[i].spec);
      // Counts the segment's layers among the first x layers of the group: whole rounds, and the round that has begun.
      const auto count_among = [&](const ExprPtr& x) {
        const ExprPtr begun = operation(Op::subtract, operation(Op::modulo, x, period), offset);
        return operation(Op::add, operation(Op::multiply, operation(Op::floor_divide, x, period), own),
                         call("max", {number(0, part), call("min", {own, begun})}));
      };
      counts[i] = operation(Op::subtract, count_among(to), count_among(from));
      offset = operation(Op::add, offset, own);
    }
    (last ? turns.back : turns.front) = plus(last ? turns.back : turns.front, count);
    return true;
  }

  /// Spreads n layers evenly over all L layers of the matched segments: the layers from a to b of the row contain
  /// floor(b n / L) - floor(a n / L) of them. The differences telescope, so the segments get n layers in all. The
  /// maximum with 1 avoids a division by zero for models without layers. Returns formulas by index into `plans_`.
  std::map<std::size_t, ExprPtr> spread(const LayerPart& part, const std::vector<std::size_t>& matched) {
    ExprPtr all;
    for (const std::size_t i : matched) all = plus(all, plans_[i].repeat);
    std::map<std::size_t, ExprPtr> counts;
    ExprPtr before, done;
    for (const std::size_t i : matched) {
      before = plus(before, plans_[i].repeat);
      const ExprPtr count = part.every ? operation(Op::floor_divide, all, part.every) : call("max", {number(0, part), call("min", {part.layers, all})});
      const ExprPtr now =
          matched.size() == 1 ? count : operation(Op::floor_divide, operation(Op::multiply, before, count), call("max", {number(1, part), all}));
      counts[i] = done ? operation(Op::subtract, now, done) : now;
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

  /// The members of a group, and the layers cut so far from either end.
  struct Turns {
    std::vector<const SegmentSpec*> specs;
    ExprPtr front, back;
  };

  std::vector<SegmentPlan> plans_;
  std::map<int, Turns> turns_;  ///< Cuts by number of the group.
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<SegmentPlan> cut_segments(const std::vector<const SegmentSpec*>& segments, const std::vector<LayerPart>& parts, Diagnostics& diagnostics) {
  std::vector<SegmentPlan> plans;
  for (const SegmentSpec* spec : segments) plans.push_back({spec, spec->name, "", in_all(*spec), false, false});
  Cutter cutter(std::move(plans), diagnostics);
  for (const LayerPart& part : parts) cutter.cut(part);
  return cutter.take();
}

}  // namespace opledger
