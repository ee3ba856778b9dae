#include "accounting/engine.h"
#include "tests/support/runs.h"

/// Cases: what a run is worth at a word is what a run with that word's values is worth.
namespace opledger {
namespace {

TemporaryFolder& case_folder() {
  static TemporaryFolder all;
  return all;
}

const std::string kTwo =
    "cases:\n  course:\n    long: {}\n    short: {seq: 1024, dp: 4, tp: 1, selective: true, system.memory.bandwidth: 1 TB/s}\n    tiny: {like: short, seq: "
    "512}\n"
    "    deep: {layers: 40, schedule: zb_h1}\n";

/// A run whose accounting is the standard one with this beside it.
std::unique_ptr<Run> try_cases(const std::string& text, const Settings& settings, const std::string& more, Diagnostics& diagnostics) {
  static int count = 0;
  const std::string number = std::to_string(count++);
  case_folder().write("selective.yaml", "kind: rules\noptions:\n  selective: {type: boolean, default: false, doc: some}\n");
  RunRequest request;
  request.model = "llama-3-8b";
  request.accounting = case_folder().write("accounting" + number + ".yaml", "kind: accounting\nextends: standard\n" + text).string();
  request.execution = case_folder()
                          .write("execution" + number + ".yaml",
                                 "kind: execution\nmesh: {pp: 2, dp: 2, tp: 2}\nrules: [selective.yaml, megatron, {recompute_selective: selective}]\n"
                                 "batch_size: 16\nmicrobatch_size: 1\n" +
                                     more)
                          .string();
  request.system = "h100-80g-sxm";
  request.overrides = settings;
  return Run::prepare(request, shipped(), diagnostics);
}

std::unique_ptr<Run> with_cases(const std::string& text, const Settings& settings = {}, const std::string& more = "") {
  said() = {};
  auto run = try_cases(text, settings, more, said());
  REQUIRE_MESSAGE(run, render(said()));
  return run;
}

/// A name at a word of `course`.
double at(Run& run, const std::string& word, const std::string& name) {
  const Program& program = run.program();
  const SetId set = program.find_set("course");
  REQUIRE(set);
  Point p = nowhere();
  p[set] = program.set(set).index.at(word);
  const Answer answer = run.evaluator().ask(*program.find(name), p);
  REQUIRE_MESSAGE(answer.known(), name, " ", answer.error->message);
  return answer.value.scalar.value;
}

std::string refused(const std::string& text, const Settings& settings = {}) {
  Diagnostics diagnostics;
  const auto run = try_cases(text, settings, "", diagnostics);
  return run != nullptr ? std::string("fine") : diagnostics.all().front().message;
}

}  // namespace

TEST_CASE("cases: at a word a run is what it would be with the word's values") {
  const auto both = with_cases(kTwo);
  const std::vector<std::pair<std::string, Settings>> words = {
      {"long", {}},
      {"short", {{"seq", "1024"}, {"dp", "4"}, {"tp", "1"}, {"selective", "true"}, {"system.memory.bandwidth", "1 TB/s"}}},
      {"tiny", {{"seq", "512"}, {"dp", "4"}, {"tp", "1"}, {"selective", "true"}, {"system.memory.bandwidth", "1 TB/s"}}},
      {"deep", {{"layers", "40"}, {"schedule", "zb_h1"}}}};
  for (const auto& [word, settings] : words) {
    const auto alone = with_cases("", settings);
    for (const char* metric :
         {"iteration_time", "memory", "hardware_flops", "communication_bytes", "parameters_total", "recompute_time", "bubble_time", "tokens"}) {
      CAPTURE(word);
      CHECK_MESSAGE(at(*both, word, metric) == value(*alone, metric), metric);
    }
  }
}

TEST_CASE("cases: elements of one name are one, and what a word lacks is nothing there") {
  const std::string text =
      "cases:\n  course:\n    plain: {qkv_bias: false}\n    biased: {qkv_bias: true}\n    all: {together: [plain, biased]}\n"
      "let:\n"
      "  everywhere: sum(biased.forward.work over node)\n"
      "  there: biased.(sum(forward.work over node))\n"
      "  biases: sum(if plain.forward.bytes == 0 byte and biased.weight_elements > 0 then biased.weight_elements else 0 over node)\n"
      "  together: all.(sum(biased.forward.work over node))\n"
      "  missed: all.(count(over node)) - plain.(count(over node))\n"
      "  the_same: all.(sum(weight_elements over node where node.operator != 'bias'))\n"
      "  layers_of_both: all.(sum(segment.layers over segment))\n";
  const auto run = with_cases(text);
  const auto worth = [&](const char* name) { return value(*run, name); };
  CHECK(worth("missed") == 3);
  CHECK(worth("together") == worth("there"));
  CHECK(worth("everywhere") < worth("there"));  // of those nodes that the run itself has
  CHECK(worth("layers_of_both") == 34);
  CHECK(worth("the_same") > 0);
}

TEST_CASE("cases: several words together are worth what they agree on, and nothing else") {
  const std::string text =
      "cases:\n  course:\n    one: {}\n    short: {seq: 1024}\n    all: {together: [one, short]}\nlet:\n  differs: all.(sum(forward.flops over node))\n  "
      "input: all.seq\n";
  const auto run = with_cases(text);
  const auto said = [&](const char* name) {
    Diagnostics diagnostics;
    CHECK(!run->value(name, diagnostics));
    return diagnostics.all().empty() ? std::string() : diagnostics.all().front().message;
  };
  CHECK(said("differs").find("is not the same at the words that are taken together here") != std::string::npos);
  CHECK(said("input").find("`seq` is not the same at the words that are taken together here") != std::string::npos);
}

TEST_CASE("cases: an average need not be whole, nor divide") {
  const std::string text = "cases:\n  course:\n    one: {}\n    some: {seq: {mean: 1000.5}}\n";
  const auto run = with_cases(text, {{"sequence_parallel", "true"}});
  const double one = at(*run, "some", "forward_flops");
  CHECK(one > at(*with_cases("cases:\n  course:\n    one: {}\n    some: {seq: 1000}\n"), "some", "forward_flops"));
  CHECK(one < at(*with_cases("cases:\n  course:\n    one: {}\n    some: {seq: 1002}\n"), "some", "forward_flops"));
}

TEST_CASE("cases: executions and the command line say what has another value") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {seq: 1024}\n";
  const auto plain = with_cases(words);
  const auto set = with_cases(words, {{"short.seq", "2048"}, {"short.tp", "1"}});
  const auto said = with_cases(words, {}, "cases: {short: {seq: 2048, tp: 1}}\n");
  CHECK(at(*set, "short", "iteration_time") == at(*said, "short", "iteration_time"));
  CHECK(at(*set, "short", "ranks") == 4);
  CHECK(at(*plain, "short", "ranks") == 8);
  CHECK(at(*set, "long", "iteration_time") == at(*plain, "long", "iteration_time"));
}

TEST_CASE("cases: mistakes are told") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {seq: 1024}\n";
  CHECK(refused(words) == "fine");
  CHECK(refused(words, {{"short.sq", "5"}}) == "`short`: there is no `sq` that could have another value (did you mean `seq`?)");
  CHECK(refused(words, {{"shrt.seq", "5"}}).find("unknown field `shrt.seq`") != std::string::npos);
  CHECK(refused("cases:\n  phase:\n    a: {}\n") == "`phase` is a set already");
  CHECK(refused("cases:\n  course:\n    a: {}\n    b: {like: c}\n") == "`c` is no earlier word of `course`");
  CHECK(refused("cases:\n  course:\n    a: {}\n    b: {together: [a, d]}\n") == "`d` is no other word of `course` with elements of its own");
  CHECK(refused("cases:\n  course:\n    a: {together: [b]}\n    b: {}\n") == "the first word of `course` is the run itself: it can't be several together");
  std::string many = "cases:\n  course:\n";
  for (int i = 0; i < 17; ++i) many += "    w" + std::to_string(i) + ": {}\n";
  CHECK(refused(many) == "`course` has 17 words, and at most 16 are possible");
  CHECK(refused("cases:\n  course:\n    long: {}\n    short: {seq: seq_of_short}\nlet: {seq_of_short: short.tokens}\n") ==
        "fine");  // told when it is asked for
}

}  // namespace opledger
