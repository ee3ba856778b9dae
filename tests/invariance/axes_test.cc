#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/invariance/shipped_runs.h"

/// An axis of one rank separates no ranks. Its presence, position and name change no figure. A missing axis that a
/// rule names has one rank.
namespace opledger::invariance {
namespace {

/// Axes that shipped rules name.
const std::vector<std::string> kNamed = {"pp", "dp", "cp", "tp", "ep", "edp", "ed", "etp", "fsdp", "rep", "inter", "intra", "ring", "ul", "tg", "dcp"};

std::set<std::string> names(const Axes& axes) {
  std::set<std::string> out;
  for (const WrittenAxis& axis : axes) {
    out.insert(axis.name);
    for (const auto& part : axis.parts) out.insert(part.first);
  }
  return out;
}

/// Returns the named axes that the mesh lacks, each with one rank.
Axes lacking(const Axes& axes) {
  const std::set<std::string> known = names(axes);
  Axes out;
  for (const std::string& name : kNamed) {
    if (known.count(name) == 0) out.push_back(plain(name, 1));
  }
  return out;
}

Axes joined(Axes first, const Axes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns the mesh without axes and parts of one rank. An alias without members is removed too; an axis that loses some parts keeps the others.
Axes without_one_rank(const Axes& axes) {
  std::set<std::string> gone;
  Axes out;
  for (WrittenAxis axis : axes) {
    for (const auto& [part, ranks] : axis.parts) {
      if (ranks == 1) gone.insert(part);
    }
    if (axis.alias.empty() && axis.one_rank()) {
      gone.insert(axis.name);
      continue;
    }
    std::erase_if(axis.parts, [](const auto& part) { return part.second == 1; });
    out.push_back(std::move(axis));
  }
  for (WrittenAxis& axis : out) std::erase_if(axis.alias, [&](const std::string& member) { return gone.count(member) > 0; });
  std::erase_if(out, [](const WrittenAxis& axis) { return axis.parts.empty() && axis.alias.empty(); });
  return out;
}

/// Returns the mesh with its axes of one rank at the end, in reverse order.
Axes reordered(const Axes& axes) {
  Axes ones, others;
  for (const WrittenAxis& axis : axes) (axis.one_rank() ? ones : others).push_back(axis);
  std::reverse(ones.begin(), ones.end());
  return joined(others, ones);
}

/// Returns the mesh with dp, cp and tp cut in parts: parts of one rank that rules name, followed by the axis itself.
Axes with_parts(const Axes& axes, const std::vector<std::string>& parts) {
  const std::set<std::string> known = names(axes);
  Axes out = axes;
  for (WrittenAxis& axis : out) {
    if (axis.name != "dp" && axis.name != "tp" && axis.name != "cp") continue;
    if (axis.plain()) axis.parts[0].first = "whole_" + axis.name;
    for (const std::string& part : parts) {
      if (known.count(part) == 0 && names(out).count(part) == 0) axis.parts.insert(axis.parts.begin(), {part, 1});
    }
  }
  return out;
}

std::vector<Change> axes_changes(const ShippedRun& run) {
  std::vector<Change> out;
  const auto add = [&](const std::string& name, const Axes& axes) {
    if (written(axes) != written(run.axes)) out.push_back({name + " " + written(axes), run.with_axes(axes), ""});
  };
  Axes more = lacking(run.axes);
  const Axes parts = with_parts(run.axes, {"ul", "etp", "dcp", "ep", "rep"});
  add("without axes of one rank", without_one_rank(run.axes));
  add("further axes last, and parts", joined(parts, lacking(parts)));
  std::reverse(more.begin(), more.end());
  add("further axes first, the other way round", joined(more, reordered(run.axes)));
  return out;
}

}  // namespace

TEST_CASE("defect serving S1: an axis of one rank changes no figure of any shipped execution") { check_changes("axes of one rank", axes_changes, 0); }

}  // namespace opledger::invariance
