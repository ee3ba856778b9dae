#include "accounting/layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "accounting/pipeline.h"
#include "accounting/sizes.h"
#include "base/limits.h"
#include "base/text.h"
#include "expr/kernel.h"

/// This file enumerates the layouts of all candidates if the number of stages is a symbol:
/// 1. Find the inputs that decide a layout. The tape shows the inputs of stages, layers and rounds. The accounting's
/// functions of chunks can read more inputs; each new one restarts the enumeration.
/// 2. Number the combinations of their values in mixed base. One run of a kernel computes the depth (stages, layers,
/// rounds) of all combinations; equal depths are split into stages once.
/// 3. Pad the layouts that resemble the sample's to equal numbers of classes and parts. A number of a layout becomes a
/// look-up in a table by layout number, which the tape computes from the inputs.
/// Candidates of other layouts need another tape: a guard checks that the table has an entry.
namespace opledger {
namespace {

constexpr std::size_t kMostLayouts = 4096;  // Limit of layouts of one tape.
constexpr std::size_t kMostClasses = 8, kMostParts = 32;
constexpr double kLargestPosition = 65536;  // Limit of values that index a table directly.

/// Returns the layers of each segment as `split_stages` reads them. `turns`: groups of segments take turns in rounds;
/// with a single stage the order of layers does not matter.
std::vector<SegmentLayers> segments_of(const GraphRun& run, const IdVector<SegmentId, double>& layers, const IdVector<SegmentId, double>& rounds, bool turns) {
  std::vector<SegmentLayers> out;
  int whole = -1;
  const auto& segments = run.graph->segments;
  for (const SegmentId s : segments.ids()) {
    if (s == SegmentId(0) || segments[s].whole != segments[s - 1].whole) ++whole;
    const bool group = turns && run.rounds[s] != nullptr;
    out.push_back({layers[s], run.repeats[s] != nullptr, group ? segments[s].group : -1, group ? rounds[s] : 1, segments[s].even, whole});
  }
  return out;
}

/// Returns the number of layers of all repeated segments.
long long repeated_layers(const std::vector<SegmentLayers>& segments) {
  long long out = 0;
  for (const SegmentLayers& s : segments) out += s.repeated ? static_cast<long long>(s.layers) : 0;
  return out;
}

/// Splits the layers over `stages` pipeline stages and returns the classes of stages with equal content. Nothing, with
/// an error, if the stages exceed kMaxStages or the accounting's chunks don't fit the layers.
std::optional<StageClasses> classes_of(Inquiry& inquiry, const std::vector<SegmentLayers>& segments, double stages, const Span& span,
                                       const RecordedChunks* recorded = nullptr) {
  if (stages > static_cast<double>(kMaxStages)) {
    inquiry.error(span, fmt::format("a pipeline of {} stages: {} is the limit", exact(stages), kMaxStages));
    return std::nullopt;
  }
  const long long total = repeated_layers(segments);
  const long long n = static_cast<long long>(stages);
  const std::optional<Pipeline> pipeline = n == 1 ? even_pipeline(total, n) : read_pipeline(inquiry, total, n, span, recorded);
  return pipeline ? std::optional(split_stages(segments, *pipeline)) : std::nullopt;
}

std::size_t most_parts(const StageClasses& classes) {
  std::size_t most = 0;
  for (const StageClass& c : classes) most = std::max(most, c.parts.size());
  return most;
}

/// Returns the kind of a layout; layouts of one kind are padded to their common size. It is (0, 0) for ordinary
/// layouts. Layouts with many classes or parts are grouped by their exact size, as padding would make all others large.
std::pair<std::size_t, std::size_t> kind_of(const StageClasses& classes) {
  const std::size_t parts = most_parts(classes);
  if (classes.size() > kMostClasses || parts > kMostParts) return {classes.size(), parts};
  return {0, 0};
}

/// Returns the same layout with `absent` classes inserted before the last class (after a single class), and with empty
/// parts. First and last class keep their positions from both ends, so formulas about the ends read the right classes.
std::shared_ptr<const StageClasses> padded(const StageClasses& classes, std::size_t count, std::size_t parts) {
  auto out = std::make_shared<StageClasses>(classes);
  if (out->size() < count) {
    const bool single = out->size() == 1;
    StageClass none = (*out)[single ? 0 : out->size() - 2];
    none.absent = true;
    out->insert(single ? out->end() : out->end() - 1, count - out->size(), none);
  }
  for (StageClass& c : *out) {
    StageClass::Part empty = c.parts.back();
    std::fill(empty.layers.begin(), empty.layers.end(), 0);
    c.parts.resize(std::max(parts, c.parts.size()), empty);
  }
  return out;
}

/// Returns the layouts of the same kind as the one at `at`, padded to their common size.
LayoutGroup group_of(const std::vector<std::shared_ptr<const StageClasses>>& all, std::size_t at) {
  const auto near = [&](const auto& layout) { return layout != nullptr && kind_of(*layout) == kind_of(*all[at]); };
  std::size_t classes = 0, parts = 0;
  for (const auto& layout : all) {
    if (!near(layout)) continue;
    classes = std::max(classes, layout->size());
    parts = std::max(parts, most_parts(*layout));
  }
  auto out = std::make_shared<std::vector<std::shared_ptr<const StageClasses>>>();
  for (const auto& layout : all) out->push_back(near(layout) ? padded(*layout, classes, parts) : nullptr);
  return out;
}

}  // namespace

class Layouts::Reader {
 public:
  Reader(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers)
      : inquiry_(inquiry), evaluator_(inquiry.evaluator()), run_(run), depth_{{}, layers, {}} {
    const Annotations& notes = *run.annotations;
    Sizes sizes(inquiry, run);
    depth_.stages = sizes.degrees(notes.layers);
    if (notes.layer_rule) span_ = notes.rules[notes.layer_rule].span;
  }

  std::optional<Layouts> read() {
    Layouts out;
    out.one_stage_ = depth_.stages.constant() && depth_.stages.value == 1;
    if (!out.one_stage_ && !read_rounds()) return std::nullopt;
    // Runs at other case words have a single layout each, in which a stage of several layouts could not be found.
    const bool has_cases = !evaluator_.program().cases.empty();
    if (!depth_.stages.constant() && depth_.stages.value != 1 && evaluator_.candidates() != nullptr && !has_cases) {
      if (const std::optional<Layouts> all = read_all()) return all;
    }
    return read_one(out.one_stage_);
  }

  std::optional<StageClasses> single_layers() {
    if (!read_rounds()) return std::nullopt;
    IdVector<SegmentId, double> layers, rounds;
    for (const Scalar& s : depth_.layers) layers.push_back(s.value);
    for (const Scalar& s : depth_.rounds) rounds.push_back(s.value);
    const std::vector<SegmentLayers> segments = segments_of(run_, layers, rounds, true);
    const long long total = repeated_layers(segments);
    return split_stages(segments, even_pipeline(total, total));
  }

 private:
  /// The scalars that determine a layout, besides the functions of chunks.
  struct Depth {
    Scalar stages;
    IdVector<SegmentId, Scalar> layers, rounds;

    std::vector<Scalar> scalars() const {
      std::vector<Scalar> out = {stages};
      out.insert(out.end(), layers.begin(), layers.end());
      out.insert(out.end(), rounds.begin(), rounds.end());
      return out;
    }
  };

  /// Returns the number of a scalar that determines the layout, under a guard.
  double structural(const Scalar& s) { return specialize(inquiry_.tape(), s); }

  bool read_rounds() {
    for (const SegmentId s : depth_.layers.ids()) depth_.rounds.push_back(run_.rounds[s] != nullptr ? inquiry_.ask(*run_.rounds[s]).scalar : integer(1));
    return !inquiry_.stopped();
  }

  /// Reads the layout of the current candidate only; guards limit the recording to candidates with this layout. A
  /// single stage holds all layers, so their number may stay a symbol. A number of 0 is guarded, because it leaves the
  /// segment out.
  std::optional<Layouts> read_one(bool one_stage) {
    const double stages = structural(depth_.stages);
    IdVector<SegmentId, double> layers, rounds;
    for (const Scalar& s : depth_.layers) layers.push_back(one_stage && s.value != 0 ? s.value : structural(s));
    for (const Scalar& s : depth_.rounds) rounds.push_back(structural(s));
    const std::optional<StageClasses> classes = classes_of(inquiry_, segments_of(run_, layers, rounds, !one_stage), stages, span_);
    if (!classes) return std::nullopt;
    Layouts out;
    out.one_stage_ = one_stage;
    out.all_ = std::make_shared<std::vector<std::shared_ptr<const StageClasses>>>(1, std::make_shared<StageClasses>(*classes));
    return out;
  }

  // Enumeration of the layouts of all candidates.

  /// An input that decides layouts: its symbol on the tape and the values of all candidates, ascending.
  struct Axis {
    const Name* input;
    Scalar symbol;
    const std::vector<double>* values;
  };

  /// Reads the layouts of all candidates. An accounting's functions of chunks can read inputs that the tape does not
  /// show; `find_layouts` adds them to `deciding`, and the enumeration restarts with these inputs, until no new input
  /// appears. Returns nothing if the layouts exceed the limit, the values of an input are unknown, or the sample has no
  /// layout.
  std::optional<Layouts> read_all() {
    Candidates& candidates = *evaluator_.candidates();
    for (bool complete = false; !complete;) {
      if (!find_axes()) return std::nullopt;
      const std::size_t before = candidates.deciding.size();
      find_layouts();
      complete = candidates.deciding.size() == before;
      if (!complete) candidates.layouts.clear();
    }
    const std::size_t at = sample();
    return at < count_ && found_[at] != nullptr ? std::optional(group_layouts(at)) : std::nullopt;
  }

  /// Finds the inputs that decide layouts and stores them in `axes_`: inputs that earlier enumerations found, and
  /// inputs from which the tape computes stages, layers or rounds (`depth_`). Each layout is one combination of their
  /// values. The layout number is written in mixed base with one digit per input. So `count_`, the number of layouts,
  /// is the product of the numbers of values. Returns false if `count_` exceeds kMostLayouts or the values of an input
  /// are unknown.
  bool find_axes() {
    axes_.clear();
    const Tape& tape = *inquiry_.tape();
    const std::vector<bool> reached = tape.reached(depth_.scalars());
    std::size_t count = 1;
    for (const Name* input : evaluator_.symbols()) {
      const Scalar symbol = inquiry_.ask(*input).scalar;
      const auto& deciding = evaluator_.candidates()->deciding;
      const bool reads = contains(deciding, input);
      if (symbol.constant() || (!reads && !reached[symbol.symbol])) continue;
      const auto values = evaluator_.candidates()->values.find(input);
      if (values == evaluator_.candidates()->values.end() || values->second.empty()) return false;
      axes_.push_back({input, symbol, &values->second});
      count *= values->second.size();
      if (count > kMostLayouts) return false;
    }
    count_ = count;
    return true;
  }

  /// Returns the value of one input in a combination: a digit of the layout number, the last axis being the lowest.
  double value(std::size_t layout, std::size_t axis) const {
    for (std::size_t a = axes_.size(); --a > axis;) layout /= axes_[a].values->size();
    return (*axes_[axis].values)[layout % axes_[axis].values->size()];
  }

  /// Fills `found_` with the layout of each combination of input values, by layout number; null if the split is
  /// impossible. One run of a kernel computes stages, layers and rounds of all `count_` combinations: a column per
  /// input goes in, a column per number comes out. `layout` then splits the layers, once for each distinct result. The
  /// kernel's cost is linear in the combinations.
  void find_layouts() {
    const std::vector<Scalar> required = depth_.scalars();
    const Tape& tape = *inquiry_.tape();
    const Kernel kernel(tape, required);
    std::vector<std::vector<double>> inputs(tape.inputs().size(), std::vector<double>(count_)), results(required.size(), std::vector<double>(count_));
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      // `extra` is the number of the input on the tape; columns of other inputs stay 0, as no result reads them.
      std::vector<double>& column = inputs[tape.instructions()[axes_[a].symbol.symbol].extra];
      for (std::size_t i = 0; i < count_; ++i) column[i] = value(i, a);
    }
    std::vector<const double*> in;
    std::vector<double*> out;
    for (const auto& column : inputs) in.push_back(column.data());
    for (auto& column : results) out.push_back(column.data());
    kernel.run(in, out, count_);
    found_.assign(count_, nullptr);
    std::vector<double> depth(required.size());
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t w = 0; w < required.size(); ++w) depth[w] = results[w][i];
      found_[i] = layout(i, depth);
    }
  }

  /// Returns the layout of combination `i`; null if it is impossible or has a single stage. `depth` has stages, layers
  /// and rounds, in this order. Results are cached by all values that decide a layout: the depth, and the inputs that
  /// functions of chunks read.
  std::shared_ptr<const StageClasses> layout(std::size_t i, const std::vector<double>& depth) {
    if (depth[0] == 1) return nullptr;  // One stage needs no layout number: it has a tape of its own.
    Candidates& candidates = *evaluator_.candidates();
    const auto layers = depth.begin() + 1, rounds = layers + static_cast<std::ptrdiff_t>(depth_.layers.size());
    const std::vector<SegmentLayers> segments = segments_of(run_, {layers, rounds}, {rounds, depth.end()}, true);
    std::vector<double> key = {depth[0]};
    for (const SegmentLayers& s : segments) key.insert(key.end(), {s.layers, s.repeated ? 1.0 : 0, s.group + 0.0, s.rounds, s.even ? 1.0 : 0, s.whole + 0.0});
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const auto& deciding = candidates.deciding;
      if (contains(deciding, axes_[a].input)) key.push_back(value(i, a));
    }
    const auto [known, fresh] = candidates.layouts.try_emplace(std::move(key));
    if (fresh) known->second = split_layers(i, segments, depth[0]);
    return known->second;
  }

  /// Splits the layers of combination `i` with an evaluator of numbers. Inputs that the evaluation reads are added to
  /// `deciding`.
  std::shared_ptr<const StageClasses> split_layers(std::size_t i, const std::vector<SegmentLayers>& segments, double stages) {
    Candidates& candidates = *evaluator_.candidates();
    std::vector<std::pair<const Name*, double>> values;
    for (std::size_t a = 0; a < axes_.size(); ++a) values.emplace_back(axes_[a].input, value(i, a));
    Evaluator numbers = evaluator_.for_candidate(values);
    Inquiry inquiry(numbers);
    auto& deciding = candidates.deciding;
    const RecordedChunks recorded{candidates.chunks, values, deciding};
    const std::optional<StageClasses> classes = classes_of(inquiry, segments, stages, span_, &recorded);
    for (const Name* input : numbers.read()) {
      if (!contains(deciding, input)) deciding.push_back(input);
    }
    return classes && inquiry.good() ? std::make_shared<StageClasses>(*classes) : nullptr;
  }

  /// Position of the sample among the layouts; count_ if the sample's value of an input is not among the known values.
  std::size_t sample() const {
    std::size_t out = 0;
    for (const Axis& axis : axes_) {
      const auto at = std::find(axis.values->begin(), axis.values->end(), axis.symbol.value);
      if (at == axis.values->end()) return count_;
      out = out * axis.values->size() + static_cast<std::size_t>(at - axis.values->begin());
    }
    return out;
  }

  /// Position of an input's value among its values: a table look-up for small whole numbers, else a count of the
  /// smaller values.
  Scalar position(const Axis& axis) {
    Tape* const tape = inquiry_.tape();
    const auto whole = [](double v) { return v >= 0 && v <= kLargestPosition && v == std::floor(v); };
    if (!std::all_of(axis.values->begin(), axis.values->end(), whole)) {
      Scalar out = integer(0);
      for (std::size_t v = 1; v < axis.values->size(); ++v)
        out = apply(tape, Op::add, out, apply(tape, Op::greater_equal, axis.symbol, real((*axis.values)[v])));
      return out;
    }
    std::vector<double> table(static_cast<std::size_t>(axis.values->back()) + 1, 0);
    for (std::size_t v = 0; v < axis.values->size(); ++v) table[static_cast<std::size_t>((*axis.values)[v])] = static_cast<double>(v);
    return tape->gather(table, axis.symbol);
  }

  /// Returns the layouts that share a tape with the sample's layout, which has number `at`. The layouts of similar size
  /// are padded to one shape (`group_of`). `index_` computes the layout number of a candidate on the tape. The
  /// positions of the input values are the digits of a number in mixed base, evaluated by Horner's method. A guard with
  /// a table by layout number excludes candidates whose layout is in another group. Groups are kept for later
  /// recordings of the same enumeration.
  Layouts group_layouts(std::size_t at) {
    Layouts out;
    out.tape_ = inquiry_.tape();
    out.sample_ = at;
    std::vector<LayoutGroup>& groups = evaluator_.candidates()->groups[found_];
    const auto holds = [&](const LayoutGroup& group) { return (*group)[at] != nullptr; };
    auto group = std::find_if(groups.begin(), groups.end(), holds);
    if (group == groups.end()) group = groups.insert(group, group_of(found_, at));
    out.all_ = *group;
    out.index_ = integer(0);
    for (const Axis& axis : axes_) {
      const Scalar size = integer(static_cast<double>(axis.values->size()));
      out.index_ = apply(out.tape_, Op::add, apply(out.tape_, Op::multiply, out.index_, size), position(axis));
    }
    std::vector<double> table;
    for (const auto& layout : *out.all_) table.push_back(layout != nullptr ? 1 : 0);
    out.tape_->guard(out.tape_->gather(table, out.index_));
    return out;
  }

  Inquiry& inquiry_;
  Evaluator& evaluator_;
  const GraphRun& run_;
  Depth depth_;
  Span span_;
  std::vector<Axis> axes_;
  std::size_t count_ = 1;
  std::vector<std::shared_ptr<const StageClasses>> found_;
};

std::optional<Layouts> Layouts::read(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers) {
  return Reader(inquiry, run, layers).read();
}

std::optional<StageClasses> Layouts::single_layers(Inquiry& inquiry, const GraphRun& run, const IdVector<SegmentId, Scalar>& layers) {
  return Reader(inquiry, run, layers).single_layers();
}

std::string Layouts::name(std::size_t stage) const { return tape_ == nullptr ? sample()[stage].name() : fmt::format("class {}", stage); }

bool Layouts::any(FunctionRef<bool(const StageClasses&)> holds) const {
  return std::any_of(all_->begin(), all_->end(), [&](const auto& layout) { return layout != nullptr && holds(*layout); });
}

void Layouts::each(FunctionRef<void(const StageClasses&)> visit) const {
  for (const auto& layout : *all_) {
    if (layout != nullptr) visit(*layout);
  }
}

Scalar Layouts::number(FunctionRef<double(const StageClasses&)> of) const {
  const double own = of(sample());
  if (tape_ == nullptr) return integer(own);
  std::vector<double> table;
  for (const auto& layout : *all_) table.push_back(layout != nullptr ? of(*layout) : own);
  return tape_->gather(table, index_);
}

Scalar Layouts::condition(FunctionRef<bool(const StageClasses&)> holds) const {
  const bool own = holds(sample());
  const auto same = [&](const auto& layout) { return layout == nullptr || holds(*layout) == own; };
  if (std::all_of(all_->begin(), all_->end(), same)) return truth(own);
  return apply(tape_, Op::not_equal, number([&](const StageClasses& classes) { return holds(classes) ? 1.0 : 0.0; }), integer(0));
}

Value Layouts::text(Value of_sample) const {
  if (tape_ != nullptr) of_sample.scalar = index_;
  return of_sample;
}

}  // namespace opledger
