#include "measured/corrections.h"

#include <fmt/core.h>
#include <cmath>

#include "measured/measured_table.h"
#include "schemas/field_path.h"
#include "tests/support/runs.h"

/// Computed kernel times corrected by the nearest measured rows.
namespace opledger {
namespace {

/// A machine with computed times and rows that contradict them.
struct MeasuredMachine {
  TemporaryFolder folder;
  int count = 0;

  std::string system(const std::string& corrections) {
    const std::string text = R"(kind: system
processors:
  matrix: {peak: {bf16: 1000 Tflop/s}, efficiency: 1}
  vector: {peak: {bf16: 100 Tflop/s, fp32: 100 Tflop/s}, efficiency: 1}
memory: {capacity: 80 GiB, bandwidth: 3000 GB/s, efficiency: 1}
networks:
  - name: inside
    size: 8
    bandwidth: 400 GB/s
    efficiency: 1
    latency: 0 us
    collectives: {all_reduce: {bandwidth: 0.9, base: 5 us, basis: measured, error: 0.2}}
combine: roofline
multiprocessors: 100
kernels:
  product: {bf16: {rate: 0.8, bandwidth: 0.8, launch: 3 us, basis: measured, error: 0.1}}
  pass: {bandwidth: 0.8, launch: 2 us}
)";
    return folder.write(fmt::format("machine{}.yaml", count++), text + corrections).string();
  }

  std::string measured(const std::string& text) {
    return folder.write(fmt::format("measured{}.yaml", count++), "kind: measurements\n" + text).filename().string();
  }
};

double seconds_of(const std::string& system, const std::string& model, const Settings& sizes, const char* metric = "forward_time") {
  return value(*prepare(model, "single", system, sizes), metric);
}

Settings product(int rows, int columns, int depth) {
  return {{"rows", std::to_string(rows)}, {"columns", std::to_string(columns)}, {"depth", std::to_string(depth)}};
}

}  // namespace

TEST_CASE("corrections: measured sizes take what was measured, others what is between") {
  MeasuredMachine machine;
  const std::string plain = machine.system("");
  const double small = seconds_of(plain, "measured/product", product(1024, 1024, 1024)),
               large = seconds_of(plain, "measured/product", product(8192, 1024, 1024));
  const std::string rows =
      machine.measured(fmt::format("extends: products\nrows:\n  - {{m: 1024, n: 1024, k: 1024, us: {:.9g}}}\n  - {{m: 8192, n: 1024, k: 1024, us: {:.9g}}}\n",
                                   small * 1.5e6, large * 0.8e6));
  const std::string system = machine.system("corrections: [./" + rows + "]\n");
  CHECK(seconds_of(system, "measured/product", product(1024, 1024, 1024)) == doctest::Approx(1.5 * small).epsilon(1e-4));
  CHECK(seconds_of(system, "measured/product", product(8192, 1024, 1024)) == doctest::Approx(0.8 * large).epsilon(1e-4));
  // Distances: one doubling from the first row, two from the second.
  const double weights[] = {1 / (1.001 * 1.001), 1 / (2.001 * 2.001)};
  const double between = std::exp((weights[0] * std::log(1.5) + weights[1] * std::log(0.8)) / (weights[0] + weights[1]));
  CHECK(seconds_of(system, "measured/product", product(2048, 1024, 1024)) ==
        doctest::Approx(between * seconds_of(plain, "measured/product", product(2048, 1024, 1024))));
  const Document* document = shipped().load(system, {"system"}, said());
  REQUIRE(document);
  const std::optional<Document> read = corrected(*document, shipped(), said());
  REQUIRE_MESSAGE(read, render(said()));
  const Datum* fields = at_path(read->root, "system.kernels.product.bf16");
  CHECK(fields->find("basis")->text() == "corrected");
  CHECK(fields->find("error")->number().value_or(0) == doctest::Approx(1.5 / 0.8 - 1).epsilon(0.01));  // Leave-one-out error of two rows.
  CHECK(fields->find("nearest")->items().size() == 2);
}

TEST_CASE("corrections: other kernels and other precisions stay, and no correction changes no bit") {
  MeasuredMachine machine;
  const std::string plain = machine.system(""), rows = machine.measured("extends: products\nrows: [{m: 64, n: 64, k: 64, us: 100}]\n");
  const std::string system = machine.system("corrections: [./" + rows + "]\n"), none = machine.system("corrections: []\n");
  CHECK(seconds_of(system, "measured/pass", Settings{}) == seconds_of(plain, "measured/pass", Settings{}));
  CHECK(seconds_of(none, "measured/product", product(512, 512, 512)) == seconds_of(plain, "measured/product", product(512, 512, 512)));
  CHECK(seconds_of(system, "measured/product", product(512, 512, 512)) > 2 * seconds_of(plain, "measured/product", product(512, 512, 512)));
}

TEST_CASE("corrections: a table in the document's folder, of passes and of collectives") {
  MeasuredMachine machine;
  machine.folder.write("passes.csv", "bytes,us,note\n1000000000,700,x\n");
  const std::string passes = machine.measured("extends: passes\ntable: passes.csv\n");
  const std::string reductions = machine.measured(
      "extends: collectives\nrows:\n  - {bytes: 1000000, ranks: 8, us: 50}\n  - {collective: all_reduce, bytes: 100000000, ranks: 8, us: 900}\n");
  const std::string system = machine.system("corrections: [./" + passes + ", ./" + reductions + "]\n");
  CHECK(seconds_of(system, "measured/pass", {{"size", "1000000000"}}) == doctest::Approx(700e-6).epsilon(1e-6));
  const Settings all_reduce = {{"exchange", "1"}, {"size", "100000000"}, {"group", "8"}};
  CHECK(seconds_of(system, "measured/collective", all_reduce, "exposed_time") == doctest::Approx(900e-6).epsilon(1e-4));
}

TEST_CASE("corrections: two tables add up, and a row outside its correction is reported") {
  MeasuredMachine machine;
  const double plain = seconds_of(machine.system(""), "measured/product", product(1024, 1024, 1024));
  const std::string one = machine.measured(fmt::format("extends: products\nrows: [{{m: 1024, n: 1024, k: 1024, us: {:.9g}}}]\n", plain * 3e6));
  const std::string other = machine.measured("extends: products\nrows: [{m: 16384, n: 16384, k: 16384, us: 20000}]\n");
  const std::string both = machine.system("corrections: [./" + one + ", ./" + other + "]\n");
  CHECK(seconds_of(both, "measured/product", product(1024, 1024, 1024)) == doctest::Approx(3 * plain).epsilon(1e-4));
  CHECK(seconds_of(both, "measured/product", product(16384, 16384, 16384)) == doctest::Approx(20e-3).epsilon(1e-4));

  const auto message = [&](const std::string& system, const Settings& settings = {}) {
    RunRequest request;
    request.model = "measured/product";
    request.system = system;
    request.overrides = settings;
    said() = {};
    CHECK(Run::prepare(request, shipped(), said()) == nullptr);
    return render(said());
  };
  const std::string other_kind =
      machine.measured("extends: products\ncorrects: [{field: system.kernels.pass.nearest, over: [m]}]\nrows: [{m: 64, n: 64, k: 64, us: 100}]\n");
  CHECK(message(machine.system("corrections: [./" + other_kind + "]\n")).find("which has no part in its time") != std::string::npos);
  std::string text = "extends: passes\nrows: [{bytes: 1000000, us: 100}]\n";
  const std::string beyond = machine.measured(
      "extends: products\ncorrects: [{field: \"system.networks[7].collectives.all_reduce.nearest\", over: [m]}]\nrows: [{m: 64, n: 64, k: 64, us: 100}]\n");
  CHECK(message(machine.system("corrections: [./" + beyond + "]\n")).find("the system has no `system.networks[7]") != std::string::npos);
  CHECK(message(machine.system("for: {}\n"), {{"system.corrections", "[]"}}).find("can't be set") != std::string::npos);
}

TEST_CASE("corrections: unreadable entries are reported by position") {
  MeasuredMachine machine;
  const auto message = [&](const std::string& measurements) {
    RunRequest request;
    request.model = "measured/product";
    request.system = machine.system("corrections: [./" + machine.measured(measurements) + "]\n");
    said() = {};
    CHECK(Run::prepare(request, shipped(), said()) == nullptr);
    return render(said());
  };
  const auto says = [&](const std::string& measurements, const std::string& text) {
    const std::string all = message(measurements);
    CHECK_MESSAGE(all.find(text) != std::string::npos, all);
  };
  const std::string rows = "rows: [{m: 64, n: 64, k: 64, us: 100}]\n";
  says("extends: products\n", "has no `table` and no `rows` of its own");
  says("extends: products\ntable: ../other.csv\n", "`../other.csv` is out of reach");
  says("extends: products\ntable: none.csv\n", "none.csv");
  says("extends: products\nrows: [{m: 64, n: 64, us: 100}]\n", "there is no column `k`");
  says("extends: products\nrows: [{m: 64, n: 64, k: 64, us: -1}]\n", "a time is a number of seconds above 0");
  says(rows, "`model` is missing");
  says("extends: products\ncorrects: [{field: system.kernels.product.bf16.nearest, over: [m, n, kk]}]\n" + rows, "there is no column `kk`");
  says("extends: products\ncorrects: [{field: \"system.kernels.product.{precisoin}.nearest\", over: [m]}]\n" + rows, "did you mean `precision`?");
  says("extends: products\ncorrects: [{field: system.kernels.product.bf16.nearest, over: [m]}]\n" + rows, "3 numbers and a value");
  says("extends: products\ncorrects: [{field: system.kernels.product.bf16.nearest, over: [m, n, k, m]}]\n" + rows, "1 to 3 coordinates");
  says("extends: products\ncorrects: [{field: system.kernels.product.bf16.nearset, over: [m, n, k]}]\n" + rows, "nearset");
}

}  // namespace opledger
