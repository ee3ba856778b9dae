#include <array>
#include <map>
#include <set>

#include "accounting/graph_engine.h"
#include "play/audit_simulation.h"
#include "questions/audit/audit.h"
#include "tests/support/random_count.h"
#include "tests/support/runs.h"

/// Runs with rules that split one tensor in several ways: uses of a tied weight along different dimensions, and heads
/// with groups where neither divides.
namespace opledger {
namespace {

/// Creates documents with unique names for many runs, because a library reads a name once.
class Documents {
 public:
  /// Prepares a run under rules written for it; null, with errors in `said()`, if it is refused.
  std::unique_ptr<Run> run(const std::string& model, const std::string& mesh, const std::string& rules, const std::string& further, const Settings& settings) {
    const std::string name = "r" + std::to_string(count_++);
    if (count_ % 30 == 0) libraries().push_back(Library({source_folder()}));  // A library has a limit of documents.
    folder_.write(name + ".yaml", "kind: rules\nname: " + name + "\n" + rules);
    const std::string text = "kind: execution\nmesh: " + mesh + "\nrules: [./" + name + ".yaml" + further + "]\n" + kBatchOf16;
    said() = {};
    RunRequest request;
    request.model = model;
    request.execution = folder_.write("e" + name + ".yaml", text).string();
    request.system = "h200-141g-sxm";
    request.overrides = settings;
    return Run::prepare(request, shipped(), said());
  }

 private:
  TemporaryFolder folder_;
  int count_ = 0;
};

/// Returns the number of failures with the names of the failed checks.
std::string failures(Run& run) {
  const std::optional<Audit> result = audit(run, {}, said());
  if (!result) return render(said());
  std::string out;
  for (const AuditCheck& check : result->checks) {
    if (check.failures > 0) out += check.name + " ";
  }
  return out;
}

// Test oracle for the table in rules/transition.h, for two axes that hold at most one dimension each.

constexpr std::array<int, 2> kRanks = {2, 4};  // Ranks of dp and tp.
enum class Is { replicated, partial, hidden, vocab, elements };
using Place = std::array<Is, 2>;

bool is_split(Is is) { return is == Is::hidden || is == Is::vocab || is == Is::elements; }

double share(const Place& place) {
  double out = 1;
  for (std::size_t a = 0; a < 2; ++a) out /= is_split(place[a]) ? kRanks[a] : 1;
  return out;
}

/// Returns the bytes that a rank sends, as a share of the tensor: slices, reduce-scatters, all-to-alls, all-reduces, all-gathers, in this order. A dimension
/// that goes from one axis to the other is gathered first.
double sent(const Place& from, const Place& to) {
  for (std::size_t a = 0; a < 2; ++a) {
    if (from[a] != to[1 - a] || (from[a] != Is::hidden && from[a] != Is::vocab)) continue;
    Place gathered = from;
    gathered[a] = Is::replicated;
    return sent(from, gathered) + sent(gathered, to);
  }
  double local = share(from), out = 0;
  const auto each = [&](auto&& when, auto&& step) {
    for (std::size_t a = 0; a < 2; ++a) {
      if (from[a] != to[a] && when(from[a], to[a])) step(static_cast<double>(kRanks[a]));
    }
  };
  each([](Is x, Is y) { return x == Is::replicated && is_split(y); }, [&](double n) { local /= n; });
  each([](Is x, Is y) { return x == Is::partial && is_split(y); }, [&](double n) { out += local * (n - 1) / n, local /= n; });
  each([](Is x, Is y) { return is_split(x) && is_split(y); }, [&](double n) { out += local * (n - 1) / n; });
  each([](Is x, Is y) { return x == Is::partial && y == Is::replicated; }, [&](double n) { out += 2 * local * (n - 1) / n; });
  each([](Is x, Is y) { return is_split(x) && y == Is::replicated; }, [&](double n) { out += local * (n - 1), local *= n; });
  return out;
}

/// The token table in one run: the placement of each use, and the stage of ZeRO.
struct Tied {
  std::vector<Place> uses;  ///< The last use is the head.
  int zero;

  static constexpr std::size_t kDp = 0;

  Place spread(bool whether) const {
    Place out = uses.front();
    if (whether && out[kDp] == Is::replicated) out[kDp] = Is::elements;
    return out;
  }
  Place stored() const { return spread(zero >= 3); }
  Place optimizer() const { return spread(zero >= 1); }
  /// Returns the placement of a use's gradient: a sum over dp, which splits the batch, unless the use splits the table over dp.
  static Place left(Place use) {
    if (use[kDp] == Is::replicated) use[kDp] = Is::partial;
    return use;
  }
  /// Returns the placement in which microbatches add up the gradient: a sum over dp waits for the end of the step.
  Place gradient() const {
    Place out = spread(zero >= 2);
    const bool waits = std::any_of(uses.begin(), uses.end(), [](const Place& use) { return left(use)[kDp] == Is::partial; });
    if (out[kDp] == Is::replicated && waits) out[kDp] = Is::partial;
    return out;
  }

  /// Returns the shares of the table that a rank sends, by phase: "optimizer" at the end of the step, other phases in each microbatch.
  std::map<std::string, double> sent_by_phase() const {
    std::map<std::string, double> out;
    std::set<Place> reduced;
    for (const Place& use : uses) {
      out["forward"] += sent(stored(), use);
      if (!reduced.insert(left(use)).second) continue;
      Place to = gradient();
      if (to[kDp] == Is::partial && left(use)[kDp] != Is::partial) to[kDp] = Is::replicated;
      out["wgrad"] += sent(left(use), to);
    }
    out["agrad"] = sent(stored(), uses.back());
    out["optimizer"] = sent(gradient(), optimizer()) + sent(optimizer(), stored());
    return out;
  }

  /// Returns the share of the table that a rank gathers only while a segment with this use computes.
  double missing(const Place& use) const {
    if (use == uses.front()) return share(use) - share(stored());
    return sent(stored(), use) > 0 ? share(use) : 0;
  }
};

std::string rule_of(const std::string& node, const Place& place) {
  constexpr const char* kAxes[] = {"dp", "tp"};
  for (std::size_t a = 0; a < 2; ++a) {
    if (is_split(place[a])) return "  - {match: {name: " + node + "}, shard: [" + (place[a] == Is::hidden ? "hidden: " : "vocab: ") + kAxes[a] + "]}\n";
  }
  return "";
}

double element_value(Run& run, const std::string& name, SetId set, std::size_t element) {
  const Name* formula = run.program().find(name);
  REQUIRE_MESSAGE(formula != nullptr, name);
  Evaluator& e = run.evaluator();
  return e.ask(*formula, e.choose(nowhere(), set, static_cast<WordId>(element))).value.scalar.value;
}

constexpr const char* kTiedTable = "embedding.tokens.table";

/// Returns the shares of the table that a rank sends in the run, by phase: in each microbatch, or at the end of a step.
std::map<std::string, double> counted(Run& run, double microbatches, double whole) {
  std::map<std::string, double> out;
  const Elements& transfers = run.evaluator().elements(kTransferSet);
  for (std::size_t t = 0; t < transfers.names.size(); ++t) {
    if (transfers.names[t] != kTiedTable && transfers.names[t] != std::string("d ") + kTiedTable) continue;
    const auto word = [&](SetId set) { return static_cast<std::size_t>(transfers.belongs.at(set)[t]); };
    const std::size_t m = word(kMessageSet);
    const double part = transfers.fields.at("bytes")[t].scalar.value / run.evaluator().elements(kMessageSet).fields.at("bytes")[m].scalar.value;
    const std::string phase = run.program().set(kPhaseSet).words[word(kPhaseSet)];
    const double times = element_value(run, "times_on_average", kMessageSet, m) / (phase == "optimizer" ? 1 : microbatches);
    out[phase] += times * element_value(run, "sent_bytes", kMessageSet, m) * part / (2 * whole);
  }
  return out;
}

void check_tied(Documents& documents, const std::string& model, const Settings& settings, const std::vector<std::string>& nodes, const Tied& tied) {
  std::string rules = "shard: [batch: dp]\n", placed;
  for (std::size_t i = 0; i < nodes.size(); ++i) placed += rule_of(nodes[i], tied.uses[i]);
  if (!placed.empty()) rules = "nodes:\n" + placed + rules;
  const std::string what = model + " " + rules + " zero " + std::to_string(tied.zero);
  const auto run = documents.run(model, "{dp: 2, tp: 4}", rules, tied.zero > 0 ? ", zero_" + std::to_string(tied.zero) : "", settings);
  REQUIRE_MESSAGE(run, what, "\n", render(said()));
  CHECK_MESSAGE(failures(*run) == "", what);
  const Elements& weights = run->evaluator().elements(kWeightSet);
  double whole = 0;
  std::size_t use = 0;
  for (std::size_t e = 0; e < weights.names.size(); ++e) {
    if (weights.names[e] != kTiedTable) continue;
    whole = weights.fields.at("whole")[e].scalar.value;
    CHECK_MESSAGE(near(element_value(*run, "missing", kWeightSet, e), whole * tied.missing(tied.uses[use]), 1e-12), what, " use ", use);
    CHECK_MESSAGE(weights.fields.at("stored")[e].scalar.value == whole * share(tied.stored()), what);
    CHECK_MESSAGE(weights.fields.at("optimizer")[e].scalar.value == whole * share(tied.optimizer()), what);
    ++use;
  }
  REQUIRE(use == nodes.size());
  const auto found = counted(*run, 8, whole);
  for (const auto& [phase, expected] : tied.sent_by_phase()) {
    const auto known = found.find(phase);
    CHECK_MESSAGE(near(known == found.end() ? 0 : known->second, expected, 1e-12), what, " ", phase);
  }
}

}  // namespace

TEST_CASE("separate placements: uses of a tied weight send, store and hold what a table of transitions says (defect tied)") {
  const Is none = Is::replicated;
  const std::vector<Place> places = {{none, none}, {none, Is::hidden}, {none, Is::vocab}, {Is::hidden, none}, {Is::vocab, none}};
  Documents documents;
  int turn = 0, runs = 0;
  for (const Place& first : places) {
    for (const Place& second : places) {
      for (int zero = 0; zero <= 3; ++zero) {
        if (turn++ % testing::one_of(21) != 0) continue;
        runs += 3;
        check_tied(documents, "gpt2", {{"vocab", "50304"}, {"layers", "2"}}, {"embedding.tokens", "head.logits"}, {{first, second}, zero});
        check_tied(documents, "gemma-7b", {{"layers", "2"}}, {"embedding.tokens", "head.logits"}, {{first, second}, zero});
        check_tied(documents, "t5-base", {{"layers", "2"}}, {"embedding.tokens", "target_embedding.tokens", "head.logits"}, {{first, places[2], second}, zero});
      }
    }
  }
  MESSAGE(runs, " runs: three models x ", runs / 3, " of ", turn, " pairs of placements and stages of ZeRO");
}

TEST_CASE("separate placements: grouped heads that do not divide are refused, or all of the model is on the ranks under any `uneven` (defect reliability 9)") {
  Documents documents;
  int turn = 0, runs = 0, refused = 0;
  const char* const modes[] = {"error", "pad", "skip", "replicate", "part"};
  for (const std::string heads_mode : modes) {
    for (const std::string groups_mode : modes) {
      const std::string rules = "shard:\n  - batch: dp\n  - heads: {axis: tp, uneven: " + heads_mode + "}\n  - kv_heads: {axis: tp, uneven: " + groups_mode +
                                "}\n  - ffn, vocab: tp\n";
      for (const char* tp : {"3", "8"}) {
        for (const auto& [heads, groups] : {std::pair{"6", "2"}, {"6", "3"}, {"12", "4"}, {"2", "1"}, {"8", "2"}}) {
          if (turn++ % testing::one_of(21) != 0) continue;  // 21 shares no divisor with the 10 cases of a pair of modes
          ++runs;
          const std::string what = heads_mode + " " + groups_mode + ", " + heads + " heads of " + groups + " groups over " + tp;
          const auto run = documents.run("llama-3-8b", std::string("{dp: 2, tp: ") + tp + "}", rules, ", zero_1",
                                         {{"layers", "2"}, {"vocab", "24000"}, {"ffn", "12288"}, {"heads", heads}, {"kv_heads", groups}, {"head_dim", "128"}});
          if (run) {
            CHECK_MESSAGE(failures(*run) == "", what);
            continue;
          }
          ++refused;
          CHECK_MESSAGE(render(said()).find("does not divide by") != std::string::npos, what, "\n", render(said()));
          CHECK_MESSAGE((heads_mode == "error" || groups_mode == "error"), what);
        }
      }
    }
  }
  MESSAGE(runs, " runs of ", turn, ", ", refused, " refused");
}

}  // namespace opledger
