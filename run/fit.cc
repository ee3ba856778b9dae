#include "run/fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.h"

namespace opledger {
namespace {

using State = FitPoint::State;

constexpr const char* kCommand = "fit";
constexpr double kLargest = 1099511627776.0;  // 2^40
constexpr double kMostProcessors = 4096;
constexpr double kParts = 32;  // of what lies between nothing and a size that is too large
constexpr int kNear = 8;       // neighbours that are tried where a value is impossible, and above the answer

/// Candidates to answers. Remembers them: the search comes back to some.
class Prober {
 public:
  Prober(const FitRequest& request, std::vector<std::string> keys, Library& library) : request_(request), keys_(std::move(keys)), library_(library) {}

  const FitPoint& at(const std::vector<double>& values) {
    const auto [known, fresh] = known_.try_emplace(values);
    if (fresh) known->second = evaluate(values);
    return known->second;
  }
  const FitPoint& at(double value) { return at(std::vector<double>{value}); }

  int tried() const { return static_cast<int>(known_.size()); }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  FitPoint evaluate(const std::vector<double>& values) {
    FitPoint out;
    out.values = values;
    RunRequest request = request_.run;
    for (std::size_t i = 0; i < keys_.size(); ++i) request.overrides.emplace_back(keys_[i], exact(values[i]));
    Diagnostics diagnostics;
    const std::unique_ptr<Run> run = Run::prepare(request, library_, diagnostics);
    if (run) {
      for (const Violation& v : run->violations(diagnostics)) out.reasons.push_back(v.message);
      read(*run, out, diagnostics);
    }
    for (const Diagnostic& d : diagnostics.all()) {
      if (d.severity == Severity::error) out.reasons.push_back(d.message);
    }
    const bool known = out.size.is_number() && out.capacity.is_number();
    if (known && out.size.scalar.value > out.capacity.scalar.value)
      out.state = State::too_large;
    else if (known && out.reasons.empty())
      out.state = State::fits;
    return out;
  }

  void read(Run& run, FitPoint& out, Diagnostics& diagnostics) {
    const std::pair<const char*, Value*> wanted[] = {{"size", &out.size}, {"capacity", &out.capacity}, {"ranks", &out.ranks}};
    for (const auto& [word, value] : wanted) {
      if (const std::optional<Value> v = run.value(run.program().find_role(kCommand, word)->name, diagnostics)) *value = *v;
    }
  }

  const FitRequest& request_;
  std::vector<std::string> keys_;
  Library& library_;
  std::map<std::vector<double>, FitPoint> known_;
};

/// Searches along one key. Positions are steps from the present value.
class Ascent {
 public:
  Ascent(Prober& prober, double present, double step, double most) : prober_(prober), present_(present), step_(step), most_(most) {}

  void run(Fit& out) {
    if (step_ <= 0) step_ = find_step();
    out.step = step_;
    std::optional<double> low = start();
    if (!low) {
      out.beyond = smallest();
      return;
    }
    double high = gallop(*low);
    while (high - *low > 1) {
      const double middle = std::floor((*low + high) / 2), there = possible(middle, high);
      if (there < high && fits(there))
        low = there;
      else
        high = middle;
    }
    settle(*low, out);
  }

 private:
  double value(double position) const { return present_ + position * step_; }
  const FitPoint& at(double position) { return prober_.at(value(position)); }
  bool inside(double position) const { return value(position) >= 1 && value(position) <= most_; }
  bool fits(double position) { return inside(position) && at(position).state == State::fits; }
  bool is_possible(double position) { return inside(position) && at(position).state != State::impossible; }

  /// The smallest divisor of the present value that leads to another possible one.
  double find_step() {
    for (double d = 1; d <= present_ && d <= 1 << 20; ++d) {
      if (std::fmod(present_, d) != 0) continue;
      const State up = prober_.at(present_ + d).state, down = present_ > d ? prober_.at(present_ - d).state : State::impossible;
      if (up != State::impossible || down != State::impossible) return d;
    }
    return 1;
  }

  /// The first of `position` and what follows it that is possible; `end` if none near is.
  double possible(double position, double end) {
    for (double p = position; p < std::min(position + kNear, end); ++p) {
      if (is_possible(p)) return p;
    }
    return end;
  }

  /// A position that fits: the present one, or one below it.
  std::optional<double> start() {
    if (fits(0)) return 0.0;
    double width = 1, below = 0;
    for (; inside(-width); width *= 2) {
      const double there = possible(-width, below);
      if (there < below && fits(there)) return there;
      below = -width;
    }
    const double lowest = std::ceil((1 - present_) / step_), gap = below - lowest;
    for (double parts = 1; parts <= kParts; parts *= 2) {  // what is left above nothing, ever finer
      for (double part = parts == 1 ? 0 : 1; part < parts; part += 2) {
        const double there = possible(lowest + std::floor(gap * part / parts), below);
        if (there < below && fits(there)) return there;
      }
    }
    return std::nullopt;
  }

  std::optional<FitPoint> smallest() {
    for (double p = std::ceil((1 - present_) / step_); p <= 0; ++p) {
      if (is_possible(p)) return at(p);
      if (p > std::ceil((1 - present_) / step_) + kNear) break;
    }
    return inside(0) ? std::optional<FitPoint>(at(0)) : std::nullopt;
  }

  /// A position above `low` from which on nothing fits any more, as far as doubling tells; moves `low` up.
  double gallop(double& low) {
    for (double width = 1;; width *= 2) {
      const double next = low + width;
      if (!inside(next)) return std::floor((most_ - present_) / step_) + 1;
      const double there = possible(next, next + kNear);
      if (!fits(there)) return next;
      low = there;
    }
  }

  /// Looks at the neighbours above: some may fit after all, others say what is in the way.
  void settle(double low, Fit& out) {
    std::optional<FitPoint> other;
    out.beyond.reset();
    for (double p = low + 1; p <= low + kNear; ++p) {
      if (!inside(p)) {
        out.at_limit = value(p) > most_;
        break;
      }
      const FitPoint& there = at(p);
      if (there.state == State::fits) return settle(p, out);
      if (there.state == State::too_large && !out.beyond) out.beyond = there;
      if (!other) other = there;
    }
    if (!out.beyond) out.beyond = other;
    out.answer = at(low);
  }

  Prober& prober_;
  double present_, step_, most_;
};

double number(const Value& value) { return value.is_number() ? value.scalar.value : 0; }

/// Fewest processors: totals ascending, each with all its factorisations.
void descend(Prober& prober, double others, double step, double most, Fit& out) {
  for (const double total : totals(step, most)) {
    if (std::fmod(total, others) != 0) continue;
    std::optional<FitPoint> nearest = out.beyond;
    for (const std::vector<double>& degrees : factorisations(total / others, prober.keys().size())) {
      const FitPoint& there = prober.at(degrees);
      const auto smaller = [&](const std::optional<FitPoint>& than) { return !than || number(there.size) < number(than->size); };
      if (there.state == State::fits && smaller(out.answer)) out.answer = there;
      if (there.state == State::too_large && smaller(nearest)) nearest = there;
    }
    if (out.answer) return;
    out.beyond = std::move(nearest);
  }
}

/// The base run and what it says of the keys.
class Setup {
 public:
  Setup(const FitRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), diagnostics_(diagnostics) {
    run_ = Run::prepare(request.run, library, diagnostics);
  }

  bool good() {
    if (!run_) return false;
    for (const char* word : {"size", "capacity", "ranks"}) {
      if (run_->program().find_role(kCommand, word) != nullptr) continue;
      diagnostics_.error({}, fmt::format("the accounting `{}` doesn't say what `{}` of `{}` is (`commands`)", run_->accounting(), word, kCommand));
    }
    return !diagnostics_.failed();
  }

  const std::string& accounting() const { return run_->accounting(); }

  std::vector<std::string> axes() const {
    std::vector<std::string> out;
    for (const auto& [input, _] : run_->program().inputs) {
      if (is_axis(input->name)) out.push_back(input->name);
    }
    return out;
  }

  std::vector<std::string> keys() const {
    const bool all = request_.vary.size() == 1 && request_.vary[0] == run_->program().find_role(kCommand, "ranks")->name;
    return all ? axes() : request_.vary;
  }

  bool are_axes(const std::vector<std::string>& keys) const {
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return is_axis(key); });
  }

  /// The present value of a key; empty, with an error, if it is no whole number that can be given.
  std::optional<double> present(const std::string& key) {
    const Program& program = run_->program();
    const auto parameter = program.model->names.find(key);
    const Name* name = parameter != program.model->names.end() ? parameter->second : program.find(key);
    if (name == nullptr || (parameter == program.model->names.end() && !name->input)) {
      diagnostics_.error({}, fmt::format("`--vary {}`: there is no parameter, field or axis of that name{}", key, suggestion(key, known())));
      return std::nullopt;
    }
    Evaluator& evaluator = run_->evaluator();
    const Value v = evaluator.evaluate(*name);
    const bool whole = !evaluator.failed() && v.is_number() && v.unit.plain() && v.scalar.value >= 1 && v.scalar.value == std::floor(v.scalar.value);
    evaluator.recover();
    if (whole) return v.scalar.value;
    diagnostics_.error({}, fmt::format("`--vary {}`: only whole numbers can be searched, and it is {}", key, describe(v)));
    return std::nullopt;
  }

 private:
  /// An axis of the mesh, or one that the accounting has for executions that do not name it.
  bool is_axis(const std::string& name) const {
    for (const Document* document : run_->documents()) {
      const Datum* mesh = document->kind == "accounting" ? document->root.find("mesh") : nullptr;
      if (mesh != nullptr && mesh->find(name) != nullptr) return true;
    }
    if (!run_->has_graph()) return false;
    const Mesh& mesh = run_->annotations().mesh;
    return std::any_of(mesh.axes.begin(), mesh.axes.end(), [&](const Axis& a) { return a.name == name && a.part == Axis::Part::whole; });
  }

  std::vector<std::string> known() const {
    std::vector<std::string> out;
    for (const auto& [name, _] : run_->program().model->names) out.push_back(name);
    for (const auto& [input, _] : run_->program().inputs) out.push_back(input->name);
    std::sort(out.begin(), out.end());
    return out;
  }

  const FitRequest& request_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Run> run_;
};

}  // namespace

std::vector<double> totals(double step, double most) {
  std::vector<double> out;
  if (step > 0) {
    for (double total = step; total <= most; total += step) out.push_back(total);
    return out;
  }
  for (double total = 1; total <= std::min(16.0, most); ++total) out.push_back(total);
  for (double power = 16; power <= most; power *= 2) {
    if (power > 16) out.push_back(power);
    if (power * 1.5 <= most) out.push_back(power * 1.5);
  }
  return out;
}

std::vector<std::vector<double>> factorisations(double total, std::size_t factors) {
  if (factors == 0) return {};
  if (factors == 1) return {{total}};
  std::vector<std::vector<double>> out;
  for (double first = 1; first <= total; ++first) {
    if (std::fmod(total, first) != 0) continue;
    for (std::vector<double>& rest : factorisations(total / first, factors - 1)) {
      rest.insert(rest.begin(), first);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics) {
  Setup setup(request, library, diagnostics);
  if (!setup.good()) return std::nullopt;
  Fit out;
  out.accounting = setup.accounting();
  out.keys = setup.keys();
  out.axes = setup.are_axes(out.keys);
  double present = 1;
  for (const std::string& key : out.keys) {
    const std::optional<double> own = setup.present(key);
    if (!own) return std::nullopt;
    present *= *own;
  }
  if (!out.axes && out.keys.size() != 1) {
    diagnostics.error({}, "`--vary` takes one parameter or field, or axes of the mesh: several sizes at once have no largest");
    return std::nullopt;
  }
  Prober prober(request, out.keys, library);
  if (out.axes) {
    double all = 1;
    for (const std::string& axis : setup.axes()) all *= setup.present(axis).value_or(1);
    out.step = request.step;
    descend(prober, all / present, request.step, request.most > 0 ? request.most : kMostProcessors, out);
  } else {
    Ascent(prober, present, request.step, request.most > 0 ? request.most : kLargest).run(out);
  }
  out.tried = prober.tried();
  return out;
}

}  // namespace opledger
