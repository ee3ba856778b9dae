#include <fmt/core.h>

#include <cmath>
#include <map>
#include <random>

#include "measured/calibration.h"
#include "tests/support/documents.h"
#include "tests/support/runs.h"

/// Calibration of a machine described by its datasheet, from synthetic tables with noise: the original constants are
/// recovered within their errors.
namespace opledger {
namespace {

constexpr const char* kDatasheet = R"(kind: system
name: mine
doc: A machine of ours.
processors:
  matrix: {peak: {bf16: 1000 Tflop/s}, efficiency: 1}
  vector: {peak: {bf16: 100 Tflop/s, fp32: 100 Tflop/s}, efficiency: 1}
memory: {capacity: 80 GiB, bandwidth: 3000 GB/s, efficiency: 1}
networks:
  - {name: inside, size: 8, bandwidth: 400 GB/s, efficiency: 1, latency: 0 us}
combine: roofline
multiprocessors: 100
)";

/// True times of the machine: a second implementation of docs/standard_time.md, in seconds and bytes.
struct Truth {
  double rate = 0.8, bandwidth = 0.85, launch = 3e-6, wave = 0.5e-6, split = 2e-6, decline = 0.2;
  double pass_bandwidth = 0.9, pass_launch = 2e-6;
  double link = 0.9, base = 8e-6, hop = 1e-6, ramp = 6, few = 0.4;

  double product(double m, double n, double k) const {
    const double flops = 2 * m * n * k, full = rate * 1e15, theta = flops / (flops + full * 1e-3);
    const double speed = full * (1 - theta * decline / (1 + decline)), bytes = 2 * (m * k + k * n + m * n);
    double best = 1e9;
    for (const double tile : {64.0, 128.0}) {
      for (const double s : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        if (s > 1 && k / s < 256) continue;
        const double waves = std::ceil(std::ceil(m / tile) * std::ceil(n / tile) * s / 100);
        const double compute = waves * (k / s * 2 * tile * tile * 100 / speed + wave), move = bytes / (bandwidth * 3e12);
        best = std::min(best, std::cbrt(std::pow(compute, 3) + std::pow(move, 3)) + (s > 1 ? split : 0));
      }
    }
    return launch + best;
  }
  double pass(double bytes) const { return pass_launch + bytes / (pass_bandwidth * 3e12); }
  double all_reduce(double bytes, double n) const {
    const double sent = 2 * bytes * (n - 1) / n;
    return base + hop * 2 * (n - 1) + ramp * 1e-9 * std::sqrt(sent) + sent / (400e9 * link * (1 - few / n));
  }
};

/// Factors around 1: 2 % noise, and 1.5 for one row in thirty.
class Noise {
 public:
  double operator()() {
    double sum = -6;  // Sum of twelve uniform numbers: nearly normal, and equal on all platforms.
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_()) / 4294967296.0;
    return std::exp(0.02 * sum) * (++count_ % 30 == 0 ? 1.5 : 1);
  }
  double size(double from, double to) { return from * std::pow(to / from, static_cast<double>(random_()) / 4294967296.0); }
  double multiple(double of, double from, double to) { return of * std::max(1.0, std::round(size(from, to) / of)); }

 private:
  std::mt19937 random_{7};
  int count_ = 0;
};

Calibration calibrated(const CalibrationRequest& request) {
  said() = {};
  std::optional<Calibration> out = calibrate(request, shipped(), said());
  REQUIRE_MESSAGE(out, render(said()));
  CHECK(render(said()) == "");
  return *out;
}

const CalibratedConstant& constant(const Calibration& calibration, const std::string& path) {
  for (const CalibratedConstant& c : calibration.constants) {
    if (c.constant.name() == path) return c;
  }
  FAIL(path);
  return calibration.constants.front();
}

void check_back(const Calibration& calibration, const std::map<std::string, double>& truth) {
  CHECK(calibration.constants.size() == truth.size());
  for (const auto& [path, value] : truth) {
    const CalibratedConstant& c = constant(calibration, path);
    REQUIRE_MESSAGE(c.deviation, path);
    CHECK_MESSAGE(std::fabs(c.after - value) < 3 * *c.deviation, path, " ", c.after, " is not ", value, " +- ", *c.deviation);
  }
}

struct Machine {
  TemporaryFolder folder;
  std::string system = folder.write("mine.yaml", kDatasheet).string();
  Noise noise;
  Truth truth;

  std::string products() {
    std::string csv = "m,n,k,seconds\n";
    for (int i = 0; i < 240; ++i) {
      const double m = noise.multiple(8, 8, 16384), n = noise.multiple(8, 256, 16384), k = noise.multiple(64, 256, 16384);
      csv += fmt::format("{},{},{},{:.5e}\n", m, n, k, truth.product(m, n, k) * noise());
    }
    return folder.write("products.csv", csv).string();
  }
  std::string passes() {
    std::string csv = "bytes,us\n";
    for (int i = 0; i < 60; ++i) {
      const double bytes = noise.multiple(1, 1e5, 1e9);
      csv += fmt::format("{},{:.5e}\n", bytes, truth.pass(bytes) * noise() * 1e6);
    }
    return folder.write("passes.csv", csv).string();
  }
  std::string collectives() {
    std::string csv = "collective,bytes,ranks,us\n";
    for (int i = 0; i < 120; ++i) {
      const double bytes = noise.multiple(1, 1e4, 1e9), ranks = std::array{2, 4, 8}[i % 3];
      csv += fmt::format("all_reduce,{},{},{:.5e}\n", bytes, ranks, truth.all_reduce(bytes, ranks) * noise() * 1e6);
    }
    return folder.write("collectives.csv", csv).string();
  }
};

}  // namespace

TEST_CASE("calibrate: a machine from a datasheet gets its constants back within their errors") {
  Machine machine;
  const Truth& t = machine.truth;
  const Calibration found =
      calibrated({machine.system, {{"products", machine.products()}, {"passes", machine.passes()}, {"collectives", machine.collectives()}}, {}, false});
  const std::string product = "system.kernels.product.bf16.", pass = "system.kernels.pass.", link = "system.networks[0].collectives.all_reduce.";
  check_back(found, {{product + "rate", t.rate},
                     {product + "bandwidth", t.bandwidth},
                     {product + "launch", t.launch},
                     {product + "wave", t.wave},
                     {product + "split", t.split},
                     {product + "decline", t.decline},
                     {pass + "bandwidth", t.pass_bandwidth},
                     {pass + "launch", t.pass_launch},
                     {link + "bandwidth", t.link},
                     {link + "base", t.base},
                     {link + "hop", t.hop},
                     {link + "ramp", t.ramp},
                     {link + "few", t.few}});
  for (const CalibratedTable& table : found.tables) {
    CAPTURE(table.name);
    CHECK(table.left_out_before.median > 0.05);
    CHECK(table.left_out_after.median < 0.03);  // Size of the noise.
  }
}

TEST_CASE("calibrate: the written document gives the reported errors, and states basis and error") {
  Machine machine;
  const std::string products = machine.products();
  const Calibration found = calibrated({machine.system, {{"products", products}}, {}, false});
  const Datum written = calibrated_document(found, "fitted");
  const Datum* fields = written.find("kernels")->find("product")->find("bf16");
  REQUIRE(fields);
  CHECK(fields->find("basis")->text() == "measured");
  CHECK(fields->find("error")->number().value_or(0) == doctest::Approx(*found.constants[0].errors.median).epsilon(0.05));
  CHECK(written.find("name")->text() == "fitted");
  CHECK(written.find("source")->text().find("products (240 rows") != std::string::npos);
  const Document* provided = shipped().provide("fitted-machine", machine.folder.path() / "fitted.yaml", written, said());
  REQUIRE_MESSAGE(provided, render(said()));
  const Calibration again = calibrated({"fitted-machine", {{"products", products}}, {}, true});
  CHECK(again.constants.empty());
  CHECK(*again.tables[0].left_out_before.median == doctest::Approx(*found.tables[0].left_out_after.median));
  CHECK(*again.tables[0].fitted_before.ninety == doctest::Approx(*found.tables[0].fitted_after.ninety));
}

TEST_CASE("calibrate: every constant of a record brings its own accompanying fields") {
  const Document system = document("kind: system\nname: own\nmemory: {latency: 1, rate: 2}\n");
  const Datum& memory = *system.root.find("memory");
  Calibration calibration;
  calibration.document = &system;
  for (const char* field : {"latency", "rate"}) {
    const OpenConstant constant{
        {std::string("system.memory.") + field}, memory.find(field)->span(), {}, "", 1, 1, Range({}, {}, 1), {{std::string(field) + "_basis", "measured"}}, ""};
    calibration.constants.push_back({constant, 3, "3", {}, {}});
  }
  const Datum written = calibrated_document(calibration, "fitted");
  for (const char* field : {"latency", "rate"}) {
    const Datum* const basis = written.find("memory")->find(std::string(field) + "_basis");
    REQUIRE_MESSAGE(basis != nullptr, field);
    CHECK(basis->text() == "measured");
    CHECK(written.find("memory")->find(field)->text() == "3");
  }
}

TEST_CASE("calibrate: an alias is the same constant, and only what is opened changes") {
  Machine machine;
  std::string text = kDatasheet;
  text += "kernels:\n  product:\n    bf16: &own {rate: 0.5, launch: 3 us}\n    fp16: *own\n";
  const std::string system = machine.folder.write("mine.yaml", text).string();
  const Calibration found = calibrated({system, {{"products", machine.products()}}, {"system.kernels.product.*.rate"}, false});
  REQUIRE(found.constants.size() == 1);
  CHECK(found.constants[0].constant.paths == std::vector<std::string>{"system.kernels.product.bf16.rate", "system.kernels.product.fp16.rate"});
  const Datum written = calibrated_document(found, "x");
  for (const char* precision : {"bf16", "fp16"}) {
    const Datum* fields = written.find("kernels")->find("product")->find(precision);
    CHECK(fields->find("rate")->text() == found.constants[0].written);
    CHECK(fields->find("launch")->text() == "3 us");
  }
}

namespace {

/// Runs of GPT-2 under a stack of the test, with times computed from constants that the stack does not state.
struct Steps {
  TemporaryFolder folder;
  std::string stack = "own_framework", validation;
  const std::map<std::string, double> truth = {{"waiting_share", 0}, {"element_moves", 2.5}, {"step_overhead", 0.03}};

  explicit Steps(const std::string& fields = "element_moves: 1.5\nstep_overhead: 0.01 s\ngradient_norm: true\nupdate_moves: 1\n") {
    stack = folder.write("own_framework.yaml", "kind: stack\nname: own_framework\ndoc: of a test\n" + fields).string();
    std::string runs, fitted, left_out;
    for (const int batch : {8, 16, 32, 48, 64, 96, 128, 192}) {
      const std::string execution = fmt::format("{{mesh: {{dp: 1}}, rules: [megatron], batch_size: {0}, microbatch_size: 8, stack: {1}}}", batch, stack);
      runs += fmt::format("  b{0}: {{model: gpt2, system: a100-80g-sxm, execution: {1}}}\n", batch, execution);
      const std::string file = folder.write(fmt::format("e{}.yaml", batch), "kind: execution\n" + block(execution)).string();
      const auto run = prepare("gpt2", file, "a100-80g-sxm", {{"element_moves", "2.5"}, {"step_overhead", "0.03 s"}});
      (batch % 3 == 0 ? left_out : fitted) += fmt::format("{}b{}: {}",
                                                          batch % 3 == 0 && !left_out.empty() ? ", "
                                                          : batch % 3 != 0 && !fitted.empty() ? ", "
                                                                                              : "",
                                                          batch, value(*run, "iteration_time"));
    }
    validation = folder
                     .write("own_runs.yaml",
                            "kind: validation\naccounting: standard\nruns:\n" + runs +
                                "  other: {model: gpt2, system: a100-80g-sxm, execution: {mesh: {dp: 1}, rules: [megatron], batch_size: 8, stack: none}}\n"
                                "tables:\n  fitted: {unit: s, is: {standard: iteration_time}, published: {" +
                                fitted + ", other: 100}}\n" + "  others: {unit: s, left_out: true, is: {standard: iteration_time}, published: {" + left_out +
                                "}}\n" + "  bytes: {unit: byte, is: {standard: memory}, published: {b8: 1}}\n")
                     .string();
  }

 private:
  /// Converts a mapping in braces to fields of a document.
  static std::string block(std::string text) {
    text = text.substr(1, text.size() - 2);
    std::string out;
    int open = 0;
    for (const char c : text) {
      open += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      out += c == ',' && open == 0 ? '\n' : c;
      if (!out.empty() && out.back() == ' ' && out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
    }
    return out + "\n";
  }
};

}  // namespace

TEST_CASE("calibrate: constants of a stack come back from the times of its runs") {
  const Steps steps;
  const Calibration found = calibrated({steps.stack, {{"runs", steps.validation}}, {"element_moves", "step_overhead"}, false});
  REQUIRE(found.constants.size() == 2);
  CHECK(constant(found, "element_moves").after == doctest::Approx(2.5).epsilon(0.01));
  CHECK(constant(found, "step_overhead").after == doctest::Approx(0.03).epsilon(0.01));
  REQUIRE(found.tables.size() == 1);
  CHECK(found.tables[0].file == "own_runs");
  CHECK(found.tables[0].fitted_after.rows == 5);  // Only rows of this stack that are times.
  CHECK(found.tables[0].left_out_after.rows == 3);
  CHECK(found.tables[0].left_out_before.median > 0.05);
  CHECK(found.tables[0].left_out_after.median < 0.005);  // Written values are rounded, and the penalty pulls constants to their start.
  const Datum written = calibrated_document(found, "fitted");
  CHECK(written.find("kind")->text() == "stack");
  CHECK(written.find("element_moves")->text() == constant(found, "element_moves").written);
  CHECK(written.find("update_moves")->text() == "1");
  CHECK(written.find("gradient_norm")->text() == "true");
  // Constants named by the document of measurements and stated by the stack.
  const Calibration usual = calibrated({steps.stack, {{"runs", steps.validation}}, {}, true});
  CHECK(usual.constants.empty());
  CHECK(usual.tables[0].left_out_before.median == found.tables[0].left_out_before.median);
}

// Under a number of clients as many sequences decode as can, which depends on the constants.
TEST_CASE("calibrate: constants of an engine come back from the times of a token under clients") {
  TemporaryFolder folder;
  const std::string stack =
      folder
          .write("own_engine.yaml",
                 "kind: stack\nname: own_engine\ndoc: of a test\naccounting: serving\nstep_host: 1 ms\nsequence_host: 0.05 ms\nhost_ahead: false\n")
          .string();
  std::string runs, fitted, left_out;
  for (const int clients : {1, 4, 8, 16, 24, 32, 64, 96}) {
    const std::string file =
        folder
            .write(fmt::format("c{}.yaml", clients),
                   fmt::format(
                       "kind: execution\naccounting: serving\nmesh: {{tp: 1}}\nrules: [serve, megatron]\nprompt: 512\noutput: 128\nclients: {}\nstack: {}\n",
                       clients, stack))
            .string();
    const auto run = prepare("llama-3-8b", file, "h100-80g-sxm", {{"step_host", "3 ms"}, {"sequence_host", "0.02 ms"}});
    runs += fmt::format(
        "  c{0}: {{model: llama-3-8b, system: h100-80g-sxm, execution: {{mesh: {{tp: 1}}, rules: [serve, megatron], prompt: 512, output: 128, clients: {0}, "
        "stack: {1}}}}}\n",
        clients, stack);
    std::string& list = clients % 3 == 0 ? left_out : fitted;
    list += fmt::format("{}c{}: {}", list.empty() ? "" : ", ", clients, value(*run, "tpot"));
  }
  const std::string validation =
      folder
          .write("own_served.yaml", "kind: validation\naccounting: serving\nruns:\n" + runs + "tables:\n  fitted: {unit: s, is: {serving: tpot}, published: {" +
                                        fitted + "}}\n  others: {unit: s, left_out: true, is: {serving: tpot}, published: {" + left_out + "}}\n")
          .string();
  const Calibration found = calibrated({stack, {{"served", validation}}, {}, false});
  REQUIRE(found.constants.size() == 2);
  CHECK(constant(found, "step_host").after == doctest::Approx(0.003).epsilon(0.02));
  CHECK(constant(found, "sequence_host").after == doctest::Approx(2e-5).epsilon(0.02));
  CHECK(found.tables[0].fitted_after.rows == 6);
  CHECK(found.tables[0].left_out_before.median > 0.01);
  CHECK(found.tables[0].left_out_after.median < 0.005);
}

TEST_CASE("calibrate: mistakes about stacks") {
  const Steps steps;
  const auto message = [&](const CalibrationRequest& request) {
    Diagnostics diagnostics;
    CHECK(!calibrate(request, shipped(), diagnostics));
    return render(diagnostics);
  };
  CHECK(message({steps.stack, {{"runs", steps.validation}}, {"element_move"}, false}).find("the stack states no such number (did you mean `element_moves`?)") !=
        std::string::npos);
  CHECK(message({steps.stack, {{"products", steps.validation}}, {}, false})
            .find("`products` does not measure whole runs, which determine constants of a stack") != std::string::npos);
  CHECK(message({"a100-80g-sxm", {{"runs", steps.validation}}, {}, false}).find("measures whole runs, which determine constants of a stack, not of a system") !=
        std::string::npos);
  CHECK(message({"nemo", {{"runs", steps.validation}}, {}, false}).find("has no measured time of a run under the stack `nemo`") != std::string::npos);
  CHECK(message({Steps("gradient_norm: true\n").stack, {{"runs", steps.validation}}, {}, false}).find("error") != std::string::npos);
}

TEST_CASE("calibrate: times that no constants describe are doubted") {
  const Machine machine;
  std::string faster = "m,n,k,us\n";  // The column says microseconds and has milliseconds: far above the machine's peaks.
  for (const int m : {64, 256, 1024, 4096, 16384}) {
    for (const int k : {512, 2048, 8192}) faster += fmt::format("{},4096,{},{:.5e}\n", m, k, machine.truth.product(m, 4096, k) * 1e3);
  }
  Diagnostics diagnostics;
  const auto found = calibrate({machine.system, {{"products", machine.folder.write("faster.csv", faster).string()}}, {}, false}, shipped(), diagnostics);
  REQUIRE(found);
  CHECK(render(diagnostics).find("% off even with fitted constants; check the unit of the times, the precision, and the machine's peaks") != std::string::npos);
}

TEST_CASE("calibrate: mistakes in a table are at their cells") {
  const Machine machine;
  const auto message = [&](const std::string& rows) {
    Diagnostics diagnostics;
    CHECK(!calibrate({machine.system, {{"collectives", machine.folder.write("rows.csv", "bytes,collective,ranks,us\n" + rows).string()}}, {}, false}, shipped(),
                     diagnostics));
    return render(diagnostics);
  };
  CHECK(message("8192,all_reduce,8,0\n").find("rows.csv:2:19: error: `us` is `0`, and a time is") != std::string::npos);
  CHECK(message("8192,reduce,8,5\n").find("rows.csv:2:6: error: `collective` is `reduce`, none of") != std::string::npos);
  CHECK(message("\"8192\",all_gather,many,5\n").find("rows.csv:2:19: error: ") != std::string::npos);
}

TEST_CASE("calibrate: errors by nearest rank") {
  CHECK(!nearest_rank({}, 0.5));
  CHECK(nearest_rank({3}, 0.9) == 3);
  CHECK(nearest_rank({4, 1, 3, 2}, 0.5) == 2);
  CHECK(nearest_rank({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9) == 9);
}

}  // namespace opledger
