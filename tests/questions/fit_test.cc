#include "questions/fit/fit.h"
#include "questions/fit/fit_prober.h"

#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Results of `fit` against exhaustive search.
namespace opledger {
namespace {

using Values = std::vector<double>;

FitRequest request(const std::string& model, const std::string& execution, const std::string& system, const Settings& settings = {}) {
  FitRequest out;
  out.run.model = model;
  out.run.execution = execution;
  out.run.system = system;
  out.run.overrides = settings;
  return out;
}

Fit found(const FitRequest& request) {
  said() = {};
  const std::optional<Fit> fit = find_fit(request, shipped(), said());
  REQUIRE_MESSAGE(fit, render(said()));
  return *fit;
}

/// Returns whether a separate run with these values fits.
bool fits(const FitRequest& request, const std::vector<std::string>& keys, const Values& values) {
  RunRequest run = request.run;
  for (std::size_t i = 0; i < keys.size(); ++i) run.overrides.emplace_back(keys[i], exact(values[i]));
  Diagnostics ignored;
  const auto prepared = Run::prepare(run, shipped(), ignored);
  return prepared && prepared->violations(ignored).empty() && !ignored.has_errors();
}

}  // namespace

TEST_CASE("fit: the largest size is the one that trying all of them gives") {
  const struct {
    const char *model, *execution, *system, *key;
    double step, first, last;
  } kCases[] = {{"gpt2", "gpt2-1xa100", "a100-80g-sxm", "microbatch_size", 0, 16, 130},
                {"gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", "layers", 0, 100, 140},
                {"gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", "hidden", 768, 12288, 16128},
                {"llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", "seq", 1024, 1024, 16384}};
  for (const auto& c : testing::some_of(kCases, 10)) {
    FitRequest fit_request = request(c.model, c.execution, c.system);
    fit_request.vary = {c.key};
    fit_request.step = c.step;
    const Fit fit = found(fit_request);
    REQUIRE_MESSAGE(fit.answer, c.model, " ", c.key);
    double largest = 0;
    for (double v = c.first; v <= c.last; v += std::max(c.step, 1.0)) {
      if (fits(fit_request, {c.key}, {v})) largest = v;
    }
    CHECK_MESSAGE(fit.answer->values[0] == largest, c.model, " ", c.key);
    REQUIRE(fit.beyond);
    CHECK(fit.beyond->values[0] > largest);
    CHECK(!fits(fit_request, {c.key}, fit.beyond->values));
    CHECK(fit.beyond->size.scalar.value > fit.beyond->capacity.scalar.value);
    CHECK(fit.answer->size.scalar.value <= fit.answer->capacity.scalar.value);
    CHECK(fit.tried < 80);
    CHECK(fit.proven());
  }
}

TEST_CASE("fit: a run that is too large is made smaller") {
  FitRequest fit_request = request("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", {{"layers", "400"}});
  fit_request.vary = {"layers"};
  const Fit large = found(fit_request);
  fit_request.run.overrides.clear();
  REQUIRE(large.answer);
  CHECK(large.answer->values == found(fit_request).answer->values);
}

TEST_CASE("fit: the fewest processors are those that trying all factorizations gives") {
  FitRequest fit_request = request("llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {{"chunks", "1"}});
  fit_request.vary = {"tp", "pp"};
  const Fit fit = found(fit_request);
  REQUIRE(fit.answer);
  double fewest = 0;
  for (double total = 1; total <= 64 && fewest == 0; ++total) {
    for (const Values& degrees : factorizations(total, 2)) {
      if (fits(fit_request, fit_request.vary, degrees)) fewest = total;
    }
  }
  CHECK(fit.answer->values[0] * fit.answer->values[1] == fewest);
  CHECK(fit.answer->ranks.scalar.value == 2 * fewest);  // The degree of dp is 2.
  REQUIRE(fit.beyond);
  CHECK(fit.beyond->ranks.scalar.value < fit.answer->ranks.scalar.value);
}

TEST_CASE("fit: an unlimited value is reported, and a run that never fits has no answer") {
  FitRequest fit_request = request("gpt2", "gpt2-1xa100", "a100-80g-sxm");
  fit_request.vary = {"batch_size"};
  fit_request.most = 4096;
  const Fit open = found(fit_request);
  REQUIRE(open.answer);
  CHECK(open.at_limit());
  CHECK(open.answer->values[0] == 4096);
  FitRequest never = request("gpt3-175b", "single", "a100-80g-sxm");
  never.vary = {"seq"};
  const Fit none = found(never);
  CHECK(!none.answer);
  REQUIRE(none.beyond);
  CHECK(none.beyond->state == FitPoint::State::too_large);
}

TEST_CASE("fit: distant possible values are found, and the attempts are reported") {
  // Divisors of 8192 and other values. 96 heads of 4096 are impossible, as are all values between two powers of two.
  FitRequest fit_request = request("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", {{"kv_heads", "1"}});
  fit_request.vary = {"heads"};
  fit_request.most = 4096;
  fit_request.step = 1;
  const Fit fit = found(fit_request);
  REQUIRE(fit.answer);
  double largest = 0;
  for (double heads = 1; heads <= 4096; heads *= 2) {
    if (fits(fit_request, {"heads"}, {heads})) largest = heads;
  }
  CHECK(fit.answer->values[0] == largest);
  CHECK(largest >= 512);
  // A budget ends the search among impossible values; the answer must not claim more than was evaluated.
  CHECK(fit.proven() == (fit.tried_between == fit.between));
  if (!fit.at_limit()) CHECK(fit.beyond->size.scalar.value > fit.beyond->capacity.scalar.value);
}

TEST_CASE("fit: a present value that is impossible hides nothing") {
  FitRequest fit_request = request("llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", {{"batch_size", "1000"}});
  fit_request.vary = {"batch_size"};
  fit_request.most = 1030;
  fit_request.step = 1;
  const Fit fit = found(fit_request);
  REQUIRE(fit.answer);
  CHECK(fit.answer->values[0] == 1024);  // 16 sequences at a time.
  CHECK(fit.between == 6);
  CHECK(fit.proven());
}

TEST_CASE("fit: compiled structures say what whole runs say") {
  const struct {
    const char *model, *execution, *system;
    std::vector<std::string> keys;
    double total;
  } kCases[] = {{"llama-3-70b", "llama-3-70b-64xh100", "h100-80g-sxm", {"pp", "dp", "cp", "tp"}, 24},
                {"deepseek-v3", "deepseek-v3-2048xh100", "h100-80g-sxm", {"pp", "edp", "ep", "tp"}, 12},
                {"jamba-v0.1", "jamba-v0.1-64xh100", "h100-80g-sxm", {"pp", "ep", "tp"}, 16}};
  for (const auto& c : testing::some_of(kCases, 3)) {
    const FitRequest fit_request = request(c.model, c.execution, c.system);
    FitProber prober(fit_request, c.keys, true, shipped());
    int fit = 0;
    for (const Values& degrees : factorizations(c.total, c.keys.size())) {
      const FitPoint there = prober.at(degrees), whole = prober.whole(degrees);
      CAPTURE(c.model);
      CAPTURE(degrees);
      CHECK(there.state == whole.state);
      CHECK(there.reasons.empty() == whole.reasons.empty());
      if (!whole.reasons.empty() && !there.reasons.empty()) CHECK(there.reasons[0].message == whole.reasons[0].message);
      if (whole.state != FitPoint::State::impossible) CHECK(there.size.scalar.value == doctest::Approx(whole.size.scalar.value).epsilon(1e-12));
      fit += whole.state == FitPoint::State::impossible ? 0 : 1;
    }
    CHECK(fit > 5);
  }
}

TEST_CASE("defect newcomer D8: a candidate is too large only where nothing else refuses it, and its reasons are those of a run of its own") {
  const struct {
    const char *model, *execution, *system, *key;
    Settings settings;
  } kCases[] = {{"gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", "microbatch_size", {}},
                {"gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm", "seq", {}},
                {"gpt2", "gpt2-1xa100", "a100-80g-sxm", "microbatch_size", {{"batch_size", "1"}}},
                {"llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", "fsdp", {}},
                {"llama-3-8b", "llama-3-8b-16xh100", "h100-80g-sxm", "fsdp", {{"batch_size", "1"}}},
                {"llama-3-8b", "llama-3-8b-serve-1xh100", "h100-80g-sxm", "decoding", {}}};
  for (const auto& c : kCases) {
    CAPTURE(c.model);
    CAPTURE(c.key);
    FitRequest fit_request = request(c.model, c.execution, c.system, c.settings);
    fit_request.vary = {c.key};
    fit_request.most = std::string(c.key) == "fsdp" ? 64 : 0;
    const Fit fit = found(fit_request);
    CHECK((fit.next || fit.beyond));
    for (const std::optional<FitPoint>& refused : {fit.next, fit.beyond}) {
      if (!refused) continue;
      CAPTURE(refused->values[0]);
      RunRequest run = fit_request.run;
      run.overrides.emplace_back(c.key, exact(refused->values[0]));
      Diagnostics errors;
      std::vector<std::string> messages;
      const auto prepared = Run::prepare(run, shipped(), errors);
      if (prepared) {
        for (const Violation& v : prepared->violations(errors)) messages.push_back(v.message);
      }
      for (const Diagnostic& d : errors.all()) {
        if (d.severity == Severity::error) messages.push_back(d.message);
      }
      REQUIRE(!messages.empty());
      REQUIRE(refused->reasons.size() == messages.size());
      for (std::size_t i = 0; i < messages.size(); ++i) CHECK(refused->reasons[i].message == messages[i]);
      const bool alone = messages.size() == 1 && messages[0].find("more than the") != std::string::npos;
      CHECK((refused->state == FitPoint::State::too_large) == alone);
    }
  }
}

TEST_CASE("defect newcomer D8: of any number of clients as many are served at once as there is room for") {
  FitRequest fit_request = request("llama-3-70b", "llama-3-70b-serve-4xh100", "h100-80g-sxm");
  fit_request.vary = {"clients"};
  const Fit fit = found(fit_request);
  REQUIRE(fit.answer);
  REQUIRE(fit.served);
  CHECK(fit.answer->values[0] == *fit.served);
  CHECK(fit.rest == "wait");
  CHECK(fit.tried < 10);
  const auto concurrency = [&](double clients) {
    RunRequest run = fit_request.run;
    run.overrides.emplace_back("clients", exact(clients));
    const auto prepared = Run::prepare(run, shipped(), said());
    REQUIRE(prepared);
    return prepared->value("concurrency", said())->scalar.value;
  };
  CHECK(concurrency(*fit.served) == doctest::Approx(*fit.served).epsilon(1e-6));
  CHECK(concurrency(*fit.served + 100) < *fit.served + 1);
}

TEST_CASE("fit: totals and factorizations") {
  CHECK(totals(0, 24) == Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24});
  CHECK(totals(0, 100).back() == 96);
  CHECK(totals(8, 30) == Values{8, 16, 24});
  CHECK(totals(0, 2) == Values{1, 2});
  CHECK(factorizations(6, 1) == std::vector<Values>{{6}});
  CHECK(factorizations(6, 2) == std::vector<Values>{{1, 6}, {2, 3}, {3, 2}, {6, 1}});
  CHECK(factorizations(8, 3).size() == 10);
  CHECK(factorizations(8, 0).empty());
}

}  // namespace opledger
