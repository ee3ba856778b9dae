#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Cases: a run at a word equals a separate run with the values of that word.
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

const std::string kPublished = "let: {published_parameters: published.parameters}\n";

/// Prepares a run with the standard accounting and an additional document.
std::unique_ptr<Run> try_cases(const std::string& text, const Settings& settings, const std::string& more, Diagnostics& diagnostics,
                               const std::string& model = "llama-3-8b", const std::string& system = "h100-80g-sxm") {
  static int count = 0;
  const std::string number = std::to_string(count++);
  case_folder().write("selective.yaml", "kind: rules\noptions:\n  selective: {type: boolean, default: false, doc: some}\n");
  RunRequest request;
  request.model = model;
  request.accounting = case_folder().write("accounting" + number + ".yaml", "kind: accounting\nextends: standard\n" + text).string();
  request.execution = case_folder()
                          .write("execution" + number + ".yaml",
                                 "kind: execution\nmesh: {pp: 2, dp: 2, tp: 2}\nrules: [selective.yaml, megatron, {recompute_selective: selective}]\n"
                                 "batch_size: 16\nmicrobatch_size: 1\n" +
                                     more)
                          .string();
  request.system = system;
  request.overrides = settings;
  return Run::prepare(request, shipped(), diagnostics);
}

std::unique_ptr<Run> with_cases(const std::string& text, const Settings& settings = {}, const std::string& more = "", const std::string& model = "llama-3-8b",
                                const std::string& system = "h100-80g-sxm") {
  said() = {};
  auto run = try_cases(text, settings, more, said(), model, system);
  REQUIRE_MESSAGE(run, render(said()));
  return run;
}

/// Returns a name's value at a word of `course`.
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

/// Checks that a word and the separate run agree.
void check_same(Run& all, const std::string& word, Run& alone) {
  for (const char* metric : {"iteration_time", "memory", "hardware_flops", "communication_bytes", "parameters_total", "recompute_time", "bubble_time", "tokens",
                             "mfu", "optimizer_time", "published_parameters"}) {
    CAPTURE(word);
    CHECK_MESSAGE(at(all, word, metric) == at(alone, "long", metric), metric);
  }
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
  CHECK(worth("everywhere") < worth("there"));  // Nodes of the run itself.
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
  CHECK(said("differs").find("differs between the words that are combined here") != std::string::npos);
  CHECK(said("input").find("`seq` differs between the words that are combined here") != std::string::npos);
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

TEST_CASE("cases: a word may have another system") {
  const std::string words =
      "cases:\n  course:\n    long: {}\n    newer: {system: h200-141g-sxm}\n    slower: {system: h200-141g-sxm, system.memory.bandwidth: 2 TB/s}\n"
      "    like_newer: {like: newer, system.memory.bandwidth: 3 TB/s, tp: 4}\n    other: {system.memory.bandwidth: 1 TB/s}\n"
      "    moved: {like: other, system: a100-80g-sxm}\n" +
      kPublished;
  for (const Settings& all : {Settings{}, Settings{{"system.kernel_latency", "1 us"}}}) {
    const auto with = with_cases(words, all);
    const auto alone = [&](const std::string& system, Settings settings) {
      settings.insert(settings.end(), all.begin(), all.end());
      return with_cases("cases:\n  course:\n    long: {}\n" + kPublished, settings, "", "llama-3-8b", system);
    };
    check_same(*with, "long", *alone("h100-80g-sxm", {}));
    check_same(*with, "newer", *alone("h200-141g-sxm", {}));
    check_same(*with, "slower", *alone("h200-141g-sxm", {{"system.memory.bandwidth", "2 TB/s"}}));
    check_same(*with, "like_newer", *alone("h200-141g-sxm", {{"system.memory.bandwidth", "3 TB/s"}, {"tp", "4"}}));
    check_same(*with, "other", *alone("h100-80g-sxm", {{"system.memory.bandwidth", "1 TB/s"}}));
    check_same(*with, "moved", *alone("a100-80g-sxm", {{"system.memory.bandwidth", "1 TB/s"}}));
  }
}

TEST_CASE("cases: the first word may have another system too, and a run without one has words with one") {
  const std::string plain = "cases:\n  course:\n    long: {}\n    short: {}\n" + kPublished;
  const auto both = with_cases(plain, {{"long.system", "h200-141g-sxm"}});
  check_same(*both, "long", *with_cases(plain, {}, "", "llama-3-8b", "h200-141g-sxm"));
  check_same(*both, "short", *with_cases(plain));
  const auto alone = with_cases(plain, {{"short.system", "h200-141g-sxm"}}, "", "llama-3-8b", "");
  check_same(*alone, "short", *with_cases(plain, {}, "", "llama-3-8b", "h200-141g-sxm"));
  Diagnostics none;
  CHECK(!alone->value("iteration_time", none));
}

TEST_CASE("cases: a word may have another model") {
  const std::string words =
      "cases:\n  course:\n    long: {}\n    experts: {model: mixtral-8x7b}\n    shallow: {model: mixtral-8x7b, layers: 8, experts_per_token: 4, seq: 1024}\n"
      "    like_experts: {like: experts, seq: 2048, layers: 16}\n    hybrid: {model: jamba-v0.1, tp: 1, dp: 4}\n    both: {model: gpt2, system: "
      "a100-80g-sxm}\n" +
      kPublished;
  const std::string plain = "cases:\n  course:\n    long: {}\n" + kPublished;
  // Values of the command line apply to every model, as in a separate run; `seq` of an execution is a formula of
  // parameters.
  for (const Settings& all : {Settings{}, Settings{{"layers", "24"}, {"seq", "512"}}, Settings{{"seq", "hidden / 4"}}}) {
    const auto with = with_cases(words, all);
    const auto alone = [&](const std::string& model, Settings settings, const std::string& system = "h100-80g-sxm") {
      settings.insert(settings.begin(), all.begin(), all.end());
      return with_cases(plain, settings, "", model, system);
    };
    check_same(*with, "long", *alone("llama-3-8b", {}));
    check_same(*with, "experts", *alone("mixtral-8x7b", {}));
    check_same(*with, "shallow", *alone("mixtral-8x7b", {{"layers", "8"}, {"experts_per_token", "4"}, {"seq", "1024"}}));
    check_same(*with, "like_experts", *alone("mixtral-8x7b", {{"seq", "2048"}, {"layers", "16"}}));
    check_same(*with, "hybrid", *alone("jamba-v0.1", {{"tp", "1"}, {"dp", "4"}}));
    check_same(*with, "both", *alone("gpt2", {}, "a100-80g-sxm"));
  }
}

TEST_CASE("cases: words of one set are those of another one's model") {
  const std::string words =
      "cases:\n  course:\n    long: {}\n    short: {seq: 1024, layers: 8, experts_per_token: 1}\n  kind:\n    plain: {}\n    experts: {model: mixtral-8x7b}\n"
      "let:\n  there: experts.short.iteration_time\n  all_there: experts.short.parameters_total\n";
  const auto both = with_cases(words);
  const auto alone = with_cases("", {{"seq", "1024"}, {"layers", "8"}, {"experts_per_token", "1"}}, "", "mixtral-8x7b");
  CHECK(value(*both, "there") == value(*alone, "iteration_time"));
  CHECK(value(*both, "all_there") == value(*alone, "parameters_total"));
}

TEST_CASE("cases: documents of words are named in executions and on the command line, the last counts") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {system: a100-80g-sxm}\n" + kPublished;
  const auto system = with_cases("cases:\n  course:\n    long: {}\n" + kPublished, {}, "", "llama-3-8b", "h200-141g-sxm");
  check_same(*with_cases(words, {}, "cases: {short: {system: h200-141g-sxm}}\n"), "short", *system);
  check_same(*with_cases(words, {{"short.system", "h200-141g-sxm"}}, "cases: {short: {system: b200-180g-sxm}}\n"), "short", *system);
  const std::string path = source_folder() + "/systems/h200-141g-sxm.yaml";
  check_same(*with_cases(words, {{"short.system", path}}), "short", *system);
}

TEST_CASE("cases: mistakes with documents of words are reported") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {model: mixtral-8x7b}\n";
  CHECK(refused(words) == "fine");
  CHECK(refused(words, {{"short.system", "h200-141g-smx"}}).find("did you mean `h200-141g-sxm`?") != std::string::npos);
  CHECK(refused(words, {{"short.model", "mixtral-8x7"}}).find("did you mean `mixtral-8x7b`?") != std::string::npos);
  CHECK(refused(words, {{"short.experts_per_tokn", "4"}})
            .starts_with("`short`: there is no `experts_per_tokn` that could have another value (did you mean `experts_per_token`?); known names: "
                         "`experts_per_token`, `expert_rows`, "));
  CHECK(refused(words, {{"long.experts_per_token", "4"}}) == "fine");  // Another set of words has such a model.
  CHECK(refused(words, {{"short.model", "[mixtral-8x7b]"}}).find("`[mixtral-8x7b]`") != std::string::npos);
  CHECK(refused("cases:\n  course:\n    long: {}\n    short: {model: {a: b}}\n") == "`model` of `short` names a document, found a mapping");
}

TEST_CASE("cases: an axis that the mesh lacks is there at a word that gives it ranks") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {seq: 1024}\n",
                    more = "cases:\n  course:\n    long: {}\n    short: {seq: 1024, cp: 2}\n";
  const auto set = with_cases(words, {{"short.cp", "2"}}), said = with_cases(words, {}, "cases: {short: {cp: 2}}\n"), own = with_cases(more);
  for (Run* run : {set.get(), said.get(), own.get()}) {
    CHECK(at(*run, "long", "ranks") == 8);
    CHECK(at(*run, "short", "ranks") == 16);
    CHECK(at(*run, "short", "hardware_flops") == at(*set, "short", "hardware_flops"));
  }
}

TEST_CASE("cases: mistakes are reported") {
  const std::string words = "cases:\n  course:\n    long: {}\n    short: {seq: 1024}\n";
  CHECK(refused(words) == "fine");
  CHECK(refused(words, {{"short.sq", "5"}})
            .starts_with("`short`: there is no `sq` that could have another value (did you mean `seq`?); known names: `seq`, `cp`, `dp`, `pp`, `tp`, "));
  CHECK(refused(words, {{"shrt.seq", "5"}}).find("unknown field `shrt.seq`") != std::string::npos);
  CHECK(refused("cases:\n  phase:\n    a: {}\n") == "`phase` is a set already");
  CHECK(refused("cases:\n  course:\n    a: {}\n    b: {like: c}\n") == "`c` is no earlier word of `course`");
  CHECK(refused("cases:\n  course:\n    a: {}\n    b: {together: [a, d]}\n") == "`d` is no other word of `course` with elements of its own");
  CHECK(refused("cases:\n  course:\n    a: {together: [b]}\n    b: {}\n") == "the first word of `course` is the run itself: it can't be several together");
  std::string many = "cases:\n  course:\n";
  for (int i = 0; i < 17; ++i) many += "    w" + std::to_string(i) + ": {}\n";
  CHECK(refused(many) == "`course` has 17 words, and at most 16 are possible");
  CHECK(refused("cases:\n  course:\n    long: {}\n    short: {seq: seq_of_short}\nlet: {seq_of_short: short.tokens}\n") == "fine");  // Reported on evaluation.
}

}  // namespace opledger
