#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "search/candidate_run.h"
#include "search/plan/plan_answer.h"
#include "search/plan/plan_front.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

/// A question with the objective of its plan's answer.
struct TestQuestion {
  std::string plan, model, system;
  OptionTexts texts;
  std::vector<std::string> spaces;                                ///< Searches of these spaces are compared with the answer.
  std::vector<std::pair<std::string, std::string>> open, same{};  ///< Settings that open every bound; settings that the options mean.
};

const std::vector<std::pair<std::string, std::string>> kEveryWay = {{"orders", "true"}, {"schedules", "all"},      {"offloads", "true"},
                                                                    {"widest_tp", "8"}, {"deepest_pp", "8"},       {"widest_cp", "8"},
                                                                    {"widest_ep", "8"}, {"stack", "megatron-core"}};

const TestQuestion kQuestions[] = {
    {"train", "gpt2", "a100-80g-sxm", {{"gpus", "8"}, {"batch", "64"}}, {"standard"}, kEveryWay, {{"processors", "8"}, {"batch_size", "64"}}},
    {"train", "llama-3-8b", "h100-80g-sxm", {{"gpus", "8"}, {"batch", "32"}}, {"standard"}, kEveryWay, {{"processors", "8"}, {"batch_size", "32"}}},
    {"serve",
     "qwen3-8b",
     "h100-80g-sxm",
     {{"gpus", "3"}, {"prompt", "2k"}, {"tpot", "12"}},
     {"serving", "disaggregated"},
     {{"widest_tp", "3"}, {"deepest_pp", "3"}},
     {{"processors", "3"}, {"prompt", "2048"}, {"output", "256"}, {"longest_tpot", "12 ms"}, {"stack", "vllm"}}},
};

/// Refuses no candidate.
constexpr auto starts_all = [](const PlanCandidate&) { return std::string(); };

}  // namespace

TEST_CASE("a fine-tuning prefers weights of 16 bits and free memory, and names every other method") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const auto answer_of = [&](const std::string& system, const std::string& seq, OptionTexts texts) {
    texts["seq"] = seq;
    const PlanQuestion question{library.load("finetune", {"plan"}, diagnostics), "llama-3-8b", system, std::move(texts), {}};
    std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    return std::move(*answer);
  };
  const auto value = [&](const PlanAnswer& answer, const char* name) { return *answer.run->value(name, diagnostics); };
  const auto share = [&](const PlanAnswer& answer) { return value(answer, "memory").scalar.value / value(answer, "memory_capacity").scalar.value; };
  // Both methods fit, and four bits are not chosen although they need less memory.
  const PlanAnswer short_rows = answer_of("rtx-4090-24g", "4096", {});
  CHECK(short_rows.lines[0].parts[0].text.starts_with("LoRA of rank 16 "));
  CHECK(share(short_rows) <= 0.95);
  const PlanLine& methods = short_rows.lines.back();
  REQUIRE(methods.label == "methods");
  REQUIRE(methods.parts.size() == 2);
  CHECK(methods.parts[0].text.starts_with("qlora "));
  CHECK(methods.parts[1].text.starts_with("full needs "));
  // Without room for 16 bits the weights have four.
  const PlanAnswer small_card = answer_of("t4-16g", "1024", {});
  REQUIRE(small_card.chosen);
  CHECK(small_card.lines[0].parts[0].text.starts_with("QLoRA of rank 16 "));
  CHECK(share(small_card) <= 0.95);
  // torchtune updates weights in backward, so that all of them fit a card of 24 GB.
  const PlanAnswer whole = answer_of("rtx-4090-24g", "2048", {{"method", "full"}, {"batch", "1"}, {"stack", "torchtune"}});
  REQUIRE(whole.chosen);
  CHECK(value(whole, "update_in_backward").scalar.value == 1);
  CHECK(share(whole) <= 0.95);
}

TEST_CASE("steps of a fine-tuning hold whole samples: packed rows several, other rows one") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  // The line of the training, and its number of tokens.
  const auto answer_of = [&](OptionTexts texts) {
    texts.insert({{"stack", "trl"}, {"method", "lora"}});
    const PlanQuestion question{library.load("finetune", {"plan"}, diagnostics), "llama-3.2-3b", "h100-80g-sxm", std::move(texts), {{"recomputes", "true"}}};
    const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
    REQUIRE_MESSAGE((answer && answer->chosen), render(diagnostics));
    std::string line;
    for (const PlanLine& one : answer->lines) {
      for (const PlanLine::Part& part : one.parts) line += one.label == "training" || one.label == "settings" ? part.text + ", " : "";
    }
    return std::pair(line, answer->run->value("tokens_total", diagnostics)->scalar.value);
  };
  const auto check = [&](OptionTexts texts, const std::string& steps, double tokens) {
    const auto [line, counted] = answer_of(std::move(texts));
    CHECK_MESSAGE(line.find(steps) != std::string::npos, line);
    CHECK(counted == doctest::Approx(tokens));
  };
  check({{"seq", "2048"}, {"samples", "10k"}, {"tokens-per-sample", "1500"}}, "15.0M tokens, 625 steps", 15e6);
  check({{"seq", "2048"}, {"samples", "5k"}, {"tokens-per-sample", "500"}, {"dpo", "true"}}, "5.0M tokens, 313 steps", 5e6);
  // 13 samples of 600 tokens in a row of 8,192.
  check({{"seq", "8192"}, {"samples", "13k"}, {"tokens-per-sample", "600"}}, "13 samples in a sequence", 1000 * 8192.0);
  check({{"seq", "8192"}, {"samples", "13k"}, {"tokens-per-sample", "600"}}, "63 steps", 1000 * 8192.0);
  check({{"seq", "2048"}, {"samples", "100"}, {"tokens-per-sample", "64"}, {"epochs", "1.5"}}, "0.0M tokens, 1 step, ", 16 * 2048.0);
  check({{"seq", "2048"}, {"samples", "1600"}, {"tokens-per-sample", "9k"}}, "100 steps, samples cut to 2,048 tokens", 1600 * 2048.0);
}

TEST_CASE("a short sequence of a fine-tuning may have its MLP in tiles") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const OptionTexts texts = {{"method", "full"}, {"seq", "8192"}, {"gpus", "4"}};
  const PlanQuestion question{library.load("finetune", {"plan"}, diagnostics), "llama-3-8b", "rtx-4090-24g", texts, {{"fused", "true"}}};
  const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
  REQUIRE_MESSAGE((answer && answer->chosen), render(diagnostics));
  CHECK(answer->run->value("tiles", diagnostics)->scalar.value == 1);
}

TEST_CASE("a fine-tuning has a batch that its GPUs divide, or is told of one") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const auto answer_of = [&](OptionTexts texts) {
    texts.insert({"method", "lora"});
    const PlanQuestion question{library.load("finetune", {"plan"}, diagnostics), "llama-3.2-3b", "h100-80g-sxm", std::move(texts), {{"recomputes", "true"}}};
    std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    return std::move(*answer);
  };
  const PlanAnswer three = answer_of({{"gpus", "3"}});
  CHECK(three.chosen);
  CHECK(std::find(three.assumed.begin(), three.assumed.end(), std::pair<std::string, std::string>("batch", "18")) != three.assumed.end());
  const PlanAnswer odd = answer_of({{"gpus", "2"}, {"batch", "7"}});
  CHECK(!odd.chosen);
  REQUIRE(odd.reasons.size() == 1);
  CHECK(odd.reasons[0].find("sequences = 7, processors = 2") != std::string::npos);
  REQUIRE(!odd.cures.empty());
  CHECK(odd.cures[0].starts_with("--batch 8: "));
}

TEST_CASE("a screen and easing values leave out searches and change no answer") {
  const std::string plan = R"(kind: plan
name: NAME
doc: Fine-tune on one card.
options:
  seq: {sets: length, unit: count, default: 4096, doc: tokens of a sequence}
  gpus: {sets: processors, unit: count, default: 1, doc: cards}
searches:
  - {space: finetune, set: {preferred: lora}}
  - {space: finetune, unless_found: true, set: {preferred: qlora}}
  - {space: finetune, unless_found: true, set: {preferred: qlora, headroom: 0}}
SCREEN
heading: a plan
alternatives: [recomputes]
lines: {memory: ["{memory}"]}
cures:
  - {option: seq, widened: true, values: [it / 2, it / 4], EASING say: "{tuning} {seq}"}
  - {option: gpus, widened: true, values: [2 * it, 4 * it], EASING say: "{tuning} {processors}"}
  - {systems: [t4-16g, a100-80g-sxm], widened: true, say: "{tuning} {memory}"}
  - {set: {system.memory.capacity: 1e6 GiB}, minimize: memory, say: "{tuning} {memory}"}
)";
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    return text;
  };
  const TemporaryFolder folder;
  Library library({source_folder()});
  Diagnostics diagnostics;
  const auto answer_of = [&](const std::string& name, const std::string& screen, const std::string& easing) {
    const std::string text = replaced(replaced(replaced(plan, "NAME", name), "SCREEN", screen), "EASING", easing);
    const std::string path = folder.write(name + ".yaml", text).string();
    const std::vector<std::pair<std::string, std::string>> fixed = {{"fused", "false"}, {"chunks_loss", "true"},          {"recomputes", "true"},
                                                                    {"tiles", "false"}, {"checkpoints_to_host", "false"}, {"optimizer", "adamw"},
                                                                    {"pages", "false"}};
    const Document* const document = library.load(path, {"plan"}, diagnostics);
    REQUIRE_MESSAGE(document != nullptr, render(diagnostics));
    const PlanQuestion question{document, "llama-3-70b", "rtx-4090-24g", {}, fixed};
    std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    return std::move(*answer);
  };
  const PlanAnswer whole = answer_of("whole", "", ""), quick = answer_of("quick", "screen: {metric: memory, set: {headroom: 0}}", "easing: true,");
  CHECK(!whole.chosen);
  CHECK(whole.cures.size() == 3);
  CHECK(quick.cures == whole.cures);
  CHECK(quick.reasons == whole.reasons);
  CHECK(whole.searches->all().size() == 3);
  CHECK(quick.searches->all().size() == 2);  // The screen of the third search is that of the second.
}

TEST_CASE("a plan is at most 1 % worse than the best candidate of its spaces with every bound open") {
  Library library({source_folder()});
  for (const TestQuestion& test : kQuestions) {
    CAPTURE(test.model);
    Diagnostics diagnostics;
    const PlanQuestion question{library.load(test.plan, {"plan"}, diagnostics), test.model, test.system, test.texts, {}};
    const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    REQUIRE(answer->chosen);
    double best = 0;
    for (const std::string& space : test.spaces) {
      SearchRequest request;
      request.run.model = test.model, request.run.system = test.system, request.run.space = space;
      request.run.overrides = test.same;
      request.run.overrides.insert(request.run.overrides.end(), test.open.begin(), test.open.end());
      if (space == "disaggregated") std::erase_if(request.run.overrides, [](const auto& setting) { return setting.first == "deepest_pp"; });
      request.objective = answer->chosen->search->answer.objective;
      request.sweep.top = 1;
      const std::optional<SearchAnswer> found = search(request, library, diagnostics);
      REQUIRE_MESSAGE(found, render(diagnostics));
      if (!found->best.empty()) best = std::max(best, found->best[0].metrics[0].scalar.value);
    }
    CHECK(answer->chosen->objective() >= 0.99 * best);
    CHECK(answer->chosen->objective() <= best * (1 + 1e-12));
    if (answer->alternative) CHECK(PlanSearches::loss(*answer->chosen, *answer->alternative) > -0.01);
  }
}

TEST_CASE("a plan is one that the framework can start, and the answer describes a faster one") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const PlanQuestion question{library.load("train", {"plan"}, diagnostics), "gpt2", "a100-80g-sxm", {{"gpus", "8"}, {"batch", "64"}}, {}};
  const auto answer_of = [&](Refusal refusal) {
    std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, refusal, library, diagnostics);
    REQUIRE_MESSAGE(answer, render(diagnostics));
    return std::move(*answer);
  };
  const PlanAnswer free = answer_of(starts_all);
  const double best = free.chosen->objective();
  CHECK(free.faster.empty());
  const PlanAnswer limited = answer_of([&](const PlanCandidate& candidate) { return candidate.objective() > 0.995 * best ? "no argument" : ""; });
  CHECK(limited.chosen->objective() <= 0.995 * best);
  CHECK(limited.refusal.empty());
  REQUIRE(limited.faster.size() > 2);
  CHECK(limited.faster.front().text.starts_with("gains "));
  CHECK(limited.faster.back().text == "but megatron-core can't start it: no argument");
  CHECK(limited.refused->objective() == best);
  const PlanAnswer none = answer_of([](const PlanCandidate&) { return "no argument"; });
  CHECK(none.chosen->objective() == best);
  CHECK(none.refusal == "no argument");
  CHECK(none.faster.empty());
}

TEST_CASE("other choices name every infeasible value, also of one reason") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const PlanQuestion question{
      library.load("train", {"plan"}, diagnostics), "gpt2", "a100-80g-sxm", {{"gpus", "8"}, {"batch", "512"}}, {{"workspace", "70 GiB"}}};
  const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
  REQUIRE_MESSAGE(answer, render(diagnostics));
  std::set<std::string> infeasible;
  for (const PlanChoice& choice : plan_choices(*answer, library)) {
    for (const PlanChoice::Other& other : choice.others) {
      if (choice.axis == "microbatch_size" && !other.loss) infeasible.insert(other.value);
    }
  }
  CHECK(infeasible.size() >= 2);
}

TEST_CASE("losses of other choices are those of single runs") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const PlanQuestion question{library.load("train", {"plan"}, diagnostics), "gpt2", "a100-80g-sxm", {{"gpus", "8"}, {"batch", "64"}}, {}};
  const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
  REQUIRE_MESSAGE(answer, render(diagnostics));
  const PlanCandidate& chosen = *answer->chosen;
  std::size_t compared = 0;
  for (const PlanChoice& choice : plan_choices(*answer, library)) {
    if (choice.axis != "zero" && choice.axis != "recompute") continue;
    for (const PlanChoice::Other& other : choice.others) {
      if (!other.loss) continue;
      RunRequest run = candidate_run(chosen.search->request, chosen.search->answer, chosen.candidate);
      std::erase_if(run.fields, [&](const FieldAssignment& field) { return field.name == choice.axis; });
      run.overrides.emplace_back(choice.axis, other.value);
      const std::unique_ptr<Run> single = Run::prepare(run, library, diagnostics);
      REQUIRE_MESSAGE(single, render(diagnostics));
      const std::optional<Value> objective = single->value(chosen.search->answer.objective, diagnostics);
      REQUIRE(objective);
      CHECK(*other.loss == doctest::Approx(1 - objective->scalar.value / chosen.objective()));
      ++compared;
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("the front of a plan is the front of all candidates of both spaces") {
  Library library({source_folder()});
  Diagnostics diagnostics;
  const PlanQuestion question{library.load("serve", {"plan"}, diagnostics), "qwen3-8b", "h100-80g-sxm", {{"gpus", "4"}}, {}};
  const std::optional<PlanAnswer> answer = make_plan(question, {1, nullptr}, starts_all, library, diagnostics);
  REQUIRE_MESSAGE(answer, render(diagnostics));
  const std::optional<PlanFront> front = plan_front(question, *answer->searches, library, diagnostics);
  REQUIRE_MESSAGE(front, render(diagnostics));
  // Throughput and time of all feasible candidates, listed by searches of their own.
  std::vector<std::pair<double, double>> all;
  for (const char* space : {"serving", "disaggregated"}) {
    SearchRequest request;
    request.run.model = "qwen3-8b", request.run.system = "h100-80g-sxm", request.run.space = space;
    request.run.overrides = {{"processors", "4"}, {"prompt", "1024"}, {"output", "256"}, {"stack", "vllm"}};
    request.objective = "deployed_tokens_per_second", request.metrics = {"time_per_token"};
    request.sweep.top = 100000, request.sweep.jobs = 1;
    const std::optional<SearchAnswer> found = search(request, library, diagnostics);
    REQUIRE_MESSAGE(found, render(diagnostics));
    for (const SearchAnswer::Candidate& candidate : found->best) all.emplace_back(candidate.metrics[0].scalar.value, candidate.metrics[1].scalar.value);
  }
  std::vector<std::pair<double, double>> expected;
  for (const auto& candidate : all) {
    const bool is_beaten = std::any_of(
        all.begin(), all.end(), [&](const auto& other) { return other.first >= candidate.first && other.second <= candidate.second && other != candidate; });
    if (!is_beaten) expected.push_back(candidate);
  }
  std::sort(expected.rbegin(), expected.rend());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  std::vector<std::pair<double, double>> joined;
  std::set<std::string> spaces;
  for (const PlanFront::Point& point : front->points) {
    joined.emplace_back(point.candidate.candidate.metrics[0].scalar.value, point.candidate.candidate.metrics[1].scalar.value);
    spaces.insert(point.candidate.search->request.run.space);
  }
  CHECK(joined == expected);
  CHECK(spaces.size() == 2);
}

}  // namespace opledger
