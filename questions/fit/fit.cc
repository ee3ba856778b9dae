#include "questions/fit/fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "questions/fit/fit_search.h"

namespace opledger {
namespace {

constexpr double kLargest = 1099511627776.0;  // 2^40
constexpr double kMostProcessors = 4096;

/// The base run, and checks of the keys against it.
class Setup {
 public:
  Setup(const FitRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), diagnostics_(diagnostics) {
    run_ = Run::prepare(request.run, library, diagnostics);
  }

  bool good() {
    if (!run_) return false;
    return declares(*run_, {std::begin(kFitRoles), std::end(kFitRoles)}, diagnostics_) && !diagnostics_.has_errors();
  }

  const Run& run() const { return *run_; }

  std::vector<std::string> axes() const {
    std::vector<std::string> out;
    for (const auto& [input, _] : run_->program().inputs) {
      if (is_axis(input->name)) out.push_back(input->name);
    }
    return out;
  }

  std::vector<std::string> keys() const {
    const bool all = request_.vary.size() == 1 && request_.vary[0] == run_->program().find_role(kFitCommand, "ranks")->name;
    return all ? axes() : request_.vary;
  }

  bool are_axes(const std::vector<std::string>& keys) const {
    return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return is_axis(key); });
  }

  /// Returns whether all keys are read by formulas only, so that one compiled program serves many values. Sizes of the
  /// model and translated inputs also affect the graph.
  bool are_inputs(const std::vector<std::string>& keys) const {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return run_->program().model->names.count(key) == 0 && !run_->is_translated(key); });
  }

  /// Reports each key that is repeated, or that names a group of mesh axes: such a degree is a product of others and
  /// can't be set. Returns true without errors.
  bool can_vary(const std::vector<std::string>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]) != keys.begin() + static_cast<std::ptrdiff_t>(i))
        diagnostics_.error({}, fmt::format("`--vary`: `{}` is given twice", keys[i]));
      const std::vector<std::string> parts = members(keys[i]);
      if (!parts.empty())
        diagnostics_.error({}, fmt::format("`--vary {}`: the execution's mesh makes it of {}: vary {}", keys[i], quoted(parts),
                                           parts.size() == 1 ? "that" : "one of these, or `--vary " + join(parts, ",") + "`"));
    }
    return !diagnostics_.has_errors();
  }

  /// Returns the value of a key in the base run: of a parameter of the model, else of an input of the accounting. A
  /// solved input, which the run computes from its constraints, is rounded down and is at least 1. Any other value must
  /// be a whole number without unit, at least 1. Returns nothing, with an error, for other values and for unknown keys.
  std::optional<double> present(const std::string& key) {
    const Program& program = run_->program();
    const auto parameter = program.model->names.find(key);
    const Name* name = parameter != program.model->names.end() ? parameter->second : program.find(key);
    if (name == nullptr || (parameter == program.model->names.end() && !name->input)) {
      diagnostics_.error({}, fmt::format("`--vary {}`: there is no parameter, field or axis of that name{}", key, suggestion(key, known())));
      return std::nullopt;
    }
    const Answer answer = run_->evaluator().ask(*name);
    const Value& v = answer.value;
    if (run_->solved() && run_->solved()->name == key) return std::max(1.0, std::floor(v.scalar.value));  // Solved for this run.
    const bool whole = answer.report(diagnostics_) && v.is_number() && v.unit.plain() && v.scalar.value >= 1 && v.scalar.value == std::floor(v.scalar.value);
    if (whole) return v.scalar.value;
    diagnostics_.error({}, fmt::format("`--vary {}`: only whole numbers can be searched, and it is {}", key, describe(v)));
    return std::nullopt;
  }

 private:
  /// Returns whether a name is an axis of the mesh, or a default axis of the accounting.
  bool is_axis(const std::string& name) const {
    for (const Document* document : run_->documents()) {
      const Datum* mesh = document->kind == "accounting" ? document->root.find("mesh") : nullptr;
      if (mesh != nullptr && mesh->find(name) != nullptr) return true;
    }
    if (!run_->has_graph()) return false;
    const Mesh& mesh = run_->annotations().mesh;
    return std::any_of(mesh.axes.begin(), mesh.axes.end(), [&](const Axis& a) { return a.name == name && a.part == Axis::Part::whole; });
  }

  /// Returns the members of a group of axes; empty for a single axis. An axis that was split for a dimension is still a
  /// single axis for users.
  std::vector<std::string> members(const std::string& key) const {
    if (!run_->has_graph() || run_->annotations().mesh.find(key)) return {};
    for (const auto& [name, parts] : run_->annotations().mesh.groups) {
      if (name == key) return parts;
    }
    return {};
  }

  static std::string quoted(std::vector<std::string> names) {
    for (std::string& name : names) name = "`" + name + "`";
    return join(names, " and ");
  }

  std::vector<std::string> known() const {
    std::vector<std::string> out = names_of(run_->program().model->names);
    for (const auto& [input, _] : run_->program().inputs) out.push_back(input->name);
    std::sort(out.begin(), out.end());
    return out;
  }

  const FitRequest& request_;
  Diagnostics& diagnostics_;
  std::unique_ptr<Run> run_;
};

}  // namespace

/// Searches for the fewest processors if all keys are axes of the mesh, else for the largest value of the only key. The
/// keys are checked on the base run first; `present` is the product of their values there. In a search over axes, `all
/// / present` is the product of the degrees that stay fixed. If the key requests a solved input, and less than the
/// answer is served at once, the answer becomes the amount served. Reported candidates are finally evaluated as
/// complete runs, because a compiled program gives only the first reason.
std::optional<Fit> find_fit(const FitRequest& request, Library& library, Diagnostics& diagnostics) {
  Setup setup(request, library, diagnostics);
  if (!setup.good()) return std::nullopt;
  Fit out;
  out.accounting = setup.run().accounting();
  out.execution = setup.run().execution_name();
  out.keys = setup.keys();
  if (out.keys.empty()) {
    diagnostics.error({}, fmt::format("`--vary {}`: the accounting `{}` has no mesh whose axes could vary; say how many there are by `--set`", request.vary[0],
                                      out.accounting));
    return std::nullopt;
  }
  if (!setup.can_vary(out.keys)) return std::nullopt;
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
  FitProber prober(request, out.keys, setup.are_inputs(out.keys), library);
  if (out.axes) {
    double all = 1;
    for (const std::string& axis : setup.axes()) all *= setup.present(axis).value_or(1);
    find_fewest(prober, all / present, request.step, request.most > 0 ? request.most : kMostProcessors, out);
  } else {
    find_largest(prober, present, request.step, request.most > 0 ? request.most : kLargest, out);
  }
  std::stable_sort(out.refused.begin(), out.refused.end(), [](const FitRefusals& a, const FitRefusals& b) { return a.count > b.count; });
  out.any = out.any && request.most <= 0;
  if (const std::optional<SolvedInput> solved = setup.run().solved(); solved && solved->requested_by == out.keys[0] && !solved->served.empty() && out.answer) {
    const std::optional<double> served = prober.number(out.answer->values[0], solved->served);
    if (served && *served >= 1 && *served < out.answer->values[0]) {
      out.served = served;
      out.rest = solved->rest;
      out.answer->values[0] = *served;
    }
  }
  for (std::optional<FitPoint>* shown : {&out.answer, &out.next, &out.beyond}) {
    if (*shown) **shown = prober.whole((*shown)->values);
  }
  out.tried = prober.tried();
  return out;
}

}  // namespace opledger
