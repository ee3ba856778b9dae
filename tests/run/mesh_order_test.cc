#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Orders of a mesh on the machine that differ from the written order.
namespace opledger {
namespace {

const std::string kOrderedBatch = "batch_size: 64\nmicrobatch_size: 1\nschedule: 1f1b\n";

std::unique_ptr<Run> on(const std::string& mesh, const std::string& rest) {
  return prepare("mixtral-8x7b", execution(mesh, "megatron, zero_1", kOrderedBatch + rest), "h100-80g-sxm");
}

const char* const kMetrics[] = {"iteration_time", "exposed_time", "gradient_time", "memory", "model_flops"};

}  // namespace

TEST_CASE("mesh order: a mesh that lies in another order costs what one costs that is written so") {
  const std::string orders = "mesh_orders: {inside: [dp, pp, cp, tp], odd: [cp, edp, tp, pp]}\n";
  const struct {
    const char *order, *mesh;
  } kCases[] = {
      {"written", "{pp: 4, dp: {edp: 2, ep: 2}, cp: 2, tp: 2}"},
      {"inside", "{dp: {edp: 2, ep: 2}, pp: 4, cp: 2, tp: 2}"},
      {"odd", "{ep: 2, cp: 2, edp: 2, tp: 2, pp: 4, dp: [edp, ep]}"},  // An axis that the order omits is outermost.
  };
  std::vector<double> times;
  for (const auto& c : kCases) {
    const auto ordered = on("{pp: 4, dp: {edp: 2, ep: 2}, cp: 2, tp: 2}", orders + "mesh_order: " + c.order + "\n"), written = on(c.mesh, "");
    for (const char* metric : kMetrics) CHECK_MESSAGE(value(*ordered, metric) == value(*written, metric), c.order, " ", metric);
    times.push_back(value(*ordered, "iteration_time"));
  }
  CHECK(times[0] != times[1]);
  CHECK(times[1] != times[2]);
}

TEST_CASE("mesh order: strides of axes and of parts follow the order") {
  const std::string rest = "mesh_orders: {inside: [dp, pp, cp, tp]}\nmesh_order: inside\n";
  const auto run = on("{pp: 4, dp: {edp: 2, ep: 2}, cp: 2, tp: 2}", rest);
  const Elements& axes = run->evaluator().elements(kAxisSet);
  const std::pair<const char*, double> kStrides[] = {{"pp", 4}, {"edp", 32}, {"ep", 16}, {"cp", 2}, {"tp", 1}};
  REQUIRE(axes.names.size() == std::size(kStrides));
  for (std::size_t a = 0; a < axes.names.size(); ++a) {
    CHECK(axes.names[a] == kStrides[a].first);
    CHECK(axes.fields.at("stride")[a].scalar.value == kStrides[a].second);
  }
}

}  // namespace opledger
