#include "search/space/written_axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace opledger {
namespace {

/// Splits an entry `{NAME: DOMAIN, symmetry: CONDITION, stop: infeasible}` of the list of axes. The first key is the name of the
/// axis; the other keys are optional hints. An unknown key is reported, and the axis is returned without it. Returns nothing if
/// the entry is no map or is empty.
std::optional<WrittenAxis> written_axis(const Datum& item, Diagnostics& diagnostics) {
  if (item.entries().empty()) return std::nullopt;
  const auto& [name, value] = item.entries()[0];
  WrittenAxis out{&name, &value, nullptr, nullptr};
  for (std::size_t i = 1; i < item.entries().size(); ++i) {
    const auto& [key, hint] = item.entries()[i];
    if (key.text() == "symmetry")
      out.symmetry = &hint;
    else if (key.text() == "stop")
      out.stop = &hint;
    else
      diagnostics.error(key.span(),
                        fmt::format("unknown key `{}` of axis `{}`{}", key.text(), name.text(), known_names(key.text(), "keys", {"symmetry", "stop"})));
  }
  return out;
}

bool refuse_axis(const Datum& found, Diagnostics& diagnostics) {
  diagnostics.error(found.span(),
                    "an axis is one name and its values: `- NAME: VALUE, VALUE where CONDITION`, then perhaps `symmetry: CONDITION` or `stop: infeasible`");
  return false;
}

/// Splits `system: NAME, NAME` at commas; names of documents are no formulas.
std::vector<std::string> documents_of(const Datum& value) {
  std::vector<std::string> out;
  for (const Datum& item : value.all()) {
    for (std::string& name : split(item.text(), ',')) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

std::vector<WrittenAxis> written_axes(const Datum& root, Diagnostics& diagnostics) {
  // Reads the list `axes` of the document and reports every error: malformed entries, repeated names, hints with wrong values. A
  // malformed entry is left out. A condition `symmetry` is parsed here only to report its errors; axes with a value from the
  // request are never linked, and their errors would stay unnoticed.
  std::vector<WrittenAxis> out;
  const Datum* axes = root.find("axes");
  if (axes == nullptr || axes->items().empty()) {
    diagnostics.error(axes != nullptr ? axes->span() : root.span(), "a search needs `axes`: a list of names and their values, outermost first");
    return out;
  }
  std::set<std::string> names;
  for (const Datum& item : axes->items()) {
    const std::optional<WrittenAxis> axis = written_axis(item, diagnostics);
    if (!axis) {
      refuse_axis(item, diagnostics);
      continue;
    }
    if (!names.insert(axis->name->text()).second) diagnostics.error(axis->name->span(), fmt::format("axis `{}` appears twice", axis->name->text()));
    if (axis->stop != nullptr && axis->stop->text() != "infeasible")
      diagnostics.error(axis->stop->span(), "an axis stops where nothing is feasible: `stop: infeasible`");
    if (axis->symmetry != nullptr) parse_expression(axis->symmetry->text(), axis->symmetry->span(), diagnostics);
    out.push_back(*axis);
  }
  return out;
}

bool parse_axis(const Datum& value, Diagnostics& diagnostics, Domain& out) {
  if (!value.is_scalar() && !value.is_list()) return refuse_axis(value, diagnostics);
  for (const Datum& item : value.all()) {
    if (!item.is_scalar()) return refuse_axis(item, diagnostics);
    if (!parse_domain(item.text(), item.span(), diagnostics, out)) return false;
  }
  return true;
}

bool choose_systems(const Document& space, const Datum& value, Library& library, RunRequest& run, Diagnostics& diagnostics) {
  // Loads the systems that the axis `system` names. A system of the request takes precedence: an override of the axis, else the
  // system of the run; the axis then has this value only. The override is removed, because it is resolved here. Names in the
  // space are relative to its document. The first system becomes the system of the run, which linking needs.
  std::string requested = run.system;
  for (const auto& [key, name] : run.overrides) {
    if (key == kSystemAxis) requested = name;
  }
  run.overrides.erase(std::remove_if(run.overrides.begin(), run.overrides.end(), [](const auto& o) { return o.first == kSystemAxis; }), run.overrides.end());
  for (const std::string& name : requested.empty() ? documents_of(value) : std::vector<std::string>{requested}) {
    const Document* system = library.load(name, {"system", kNoKind}, diagnostics, value.span(), requested.empty() ? space.path : "");
    if (system == nullptr) return false;
    const auto is_it = [&](const auto& other) { return other.first == name; };
    if (std::any_of(run.systems.begin(), run.systems.end(), is_it)) {
      diagnostics.error(value.span(), fmt::format("system `{}` appears twice", name));
      return false;
    }
    run.systems.emplace_back(name, system);
  }
  if (run.systems.empty()) {
    diagnostics.error(value.span(), "no system is named");
    return false;
  }
  run.system = run.systems[0].second->path;
  return true;
}

}  // namespace opledger
