#include "graph/mesh.h"

#include "base/text.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

Mesh mesh(const std::string& yaml) {
  Diagnostics diagnostics;
  auto spec = parse_mesh(datum(yaml), diagnostics);
  REQUIRE_MESSAGE(spec, messages(diagnostics));
  return spec->mesh;
}

std::string names(const Mesh& mesh, const AxisList& axes) {
  std::vector<std::string> names;
  for (AxisId axis : axes) names.push_back(mesh.axes[axis].name);
  return join(names, " ");
}

std::string shown(const Mesh& mesh, const std::vector<std::string>& axes, const std::vector<std::string>& single = {}) {
  IdVector<AxisId, bool> shown(mesh.axes.size(), true);
  for (const std::string& name : single) shown[mesh.find(name)] = false;
  return mesh.describe(mesh.expand(axes), shown);
}

std::string mistakes(const std::string& yaml) {
  Diagnostics diagnostics;
  auto spec = parse_mesh(datum(yaml), diagnostics);
  CHECK_FALSE(spec);
  return messages(diagnostics);
}

}  // namespace

TEST_CASE("mesh: axes, parts and aliases") {
  const Mesh m = mesh("{pp: 8, dp: {edp: 2, ep: 8}, cp: 2, tp: 8, all: [dp, cp]}");
  CHECK(names(m, m.order) == "pp edp ep cp tp");
  CHECK(names(m, m.expand("dp")) == "edp ep");
  CHECK(names(m, m.expand("all")) == "edp ep cp");
  CHECK(names(m, m.expand("tp")) == "tp");
  CHECK(m.expand("xp").empty());
  CHECK(names(m, m.expand(std::vector<std::string>{"cp", "xp", "all"})) == "cp edp ep");
  CHECK(m.knows("all"));
  CHECK(m.knows("ep"));
  CHECK_FALSE(m.knows("xp"));
  CHECK_FALSE(m.find("dp"));
  CHECK(m.composites == std::vector<std::string>{"dp"});
}

TEST_CASE("mesh: an alias may stand before its axes") {
  const Mesh m = mesh("{ep: [cp, tp], dp: 2, cp: 4, tp: 2}");
  CHECK(names(m, m.order) == "dp cp tp");
  CHECK(names(m, m.expand("ep")) == "cp tp");
}

TEST_CASE("mesh: sizes are kept as written") {
  Diagnostics diagnostics;
  auto spec = parse_mesh(datum("{dp: world / tp, tp: 8, ep: [dp]}"), diagnostics);
  REQUIRE(spec);
  REQUIRE(spec->degrees.size() == 2);
  CHECK(spec->degrees[0].first + "=" + spec->degrees[0].second.text() == "dp=world / tp");
  CHECK(spec->degrees[1].first + "=" + spec->degrees[1].second.text() == "tp=8");
}

TEST_CASE("mesh: mistakes") {
  const std::pair<std::string, std::string> cases[] = {
      {"[tp]", "1:1: a mesh is a mapping of axes to their sizes, found a list\n"},
      {"{tp: 8, dp: {tp: 2}}", "1:14: axis `tp` is declared twice\n  1:2: first declared here\n"},
      {"{a-b: 8}", "1:2: `a-b` can't name an axis: use letters, digits and _\n"},
      {"{dp: {else: 8}}", "1:7: `else` can't name an axis: it is a word of formulas\n"},
      {"{tp.0: 8}", "1:2: `tp.0` can't name an axis: use letters, digits and _\n"},
      {"{tp: 8, ep: [xp]}", "1:14: unknown axis `xp` (did you mean `tp`?); known axes: `ep`, `tp`\n"},
      {"{tp: 8, a: [b], b: [a]}", "1:9: cycle: a -> b -> a\n"},
      {"{tp: 8, a: [a]}", "1:9: cycle: a -> a\n"},
      {"{dp: {a: {b: 2}}}", "1:10: part `a` of axis `dp` needs a size, found a mapping\n"},
      {"{dp: {}}", "1:6: axis `dp` has no parts\n"},
      {"{tp: 2, dp: []}", "1:13: `dp` is another name for no axes\n"},
      {"{tp: 2, dp: [[tp]]}", "1:14: `dp` is another name for axes: expected the name of an axis, found a list\n"},
      {"{tp: }", "1:2: axis `tp` needs a size, parts or other axes, found nothing\n"},
  };
  for (const auto& [yaml, expected] : cases) CHECK(mistakes(yaml) == expected);
}

TEST_CASE("mesh: a cut axis becomes a part that fits and the rest") {
  Mesh m = mesh("{dp: 2, tp: 16}");
  m.cut(DimId(3), m.expand("tp"));
  CHECK(names(m, m.order) == "dp tp.0 tp.1");
  CHECK(names(m, m.expand("tp")) == "tp.0 tp.1");
  const Axis &fit = m.axes[m.find("tp.0")], &rest = m.axes[m.find("tp.1")];
  CHECK(fit.part == Axis::Part::fitting);
  CHECK(rest.part == Axis::Part::rest);
  CHECK(fit.of == AxisId(1));
  CHECK(fit.dimension == DimId(3));
  CHECK(fit.before.empty());
}

TEST_CASE("mesh: a dimension that fills several axes fills the first ones before") {
  Mesh m = mesh("{cp: 4, tp: 4}");
  m.cut(DimId(3), m.expand(std::vector<std::string>{"tp", "cp"}));
  CHECK(names(m, m.order) == "cp.0 cp.1 tp.0 tp.1");
  CHECK(names(m, m.axes[m.find("cp.0")].before) == "tp.0");
  CHECK(names(m, m.axes[m.find("cp.1")].before) == "tp.0");
}

TEST_CASE("mesh: cut once for a dimension, again for another") {
  Mesh m = mesh("{cp: 4, tp: 16}");
  m.cut(DimId(3), m.expand("tp"));
  m.cut(DimId(3), m.expand("tp"));
  CHECK(names(m, m.order) == "cp tp.0 tp.1");
  m.cut(DimId(3), m.expand(std::vector<std::string>{"tp", "cp"}));
  CHECK(names(m, m.order) == "cp.0 cp.1 tp.0 tp.1");
  CHECK(names(m, m.axes[m.find("cp.0")].before) == "tp.0");
  m.cut(DimId(4), m.expand("tp"));
  CHECK(names(m, m.expand("tp")) == "tp.0.0 tp.0.1 tp.1.0 tp.1.1");
  m.cut(DimId(3), m.expand("tp"));
  CHECK(names(m, m.expand("tp")) == "tp.0.0 tp.0.1 tp.1.0 tp.1.1");
}

TEST_CASE("mesh: axes are described as they were named") {
  Mesh m = mesh("{dp: {edp: 2, ep: 8}, cp: 2, tp: 8}");
  CHECK(shown(m, {"edp", "ep", "cp"}) == "dp*cp");
  CHECK(shown(m, {"ep", "tp"}) == "ep*tp");
  CHECK(shown(m, {"cp", "dp"}) == "cp*dp");
  CHECK(shown(m, {"edp", "ep"}, {"edp"}) == "ep");
  CHECK(shown(m, {"cp", "tp"}, {"cp", "tp"}) == "");
  m.cut(DimId(0), m.expand("tp"));
  CHECK(shown(m, {"cp", "tp"}) == "cp*tp");
  CHECK(shown(m, {"tp.0"}) == "tp.0");
  CHECK(shown(m, {"tp.0"}, {"tp.1"}) == "tp");
  CHECK(shown(m, {"tp.1"}, {"tp.0"}) == "tp");
  m.cut(DimId(1), m.expand("tp"));
  CHECK(shown(m, {"tp"}) == "tp");
  CHECK(shown(m, {"tp.0"}) == "tp.0");
  CHECK(shown(m, {"tp.0.0"}, {"tp.0.1", "tp.1.0", "tp.1.1"}) == "tp");
}

TEST_CASE("mesh: an alias describes the axes it stands for") {
  Mesh m = mesh("{dp: 2, cp: 4, tp: 2, ep: [cp, tp]}");
  CHECK(shown(m, {"cp", "tp"}) == "ep");
  CHECK(shown(m, {"dp", "tp"}) == "dp*tp");
  CHECK(m.describe(m.expand("ep")) == "ep");
}

}  // namespace opledger
