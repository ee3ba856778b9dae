#include "tests/run/deployments.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "accounting/graph_engine.h"
#include "base/lists.h"
#include "tests/support/random_count.h"

namespace opledger::deployments {
namespace {

double field(const Elements& all, const char* name, std::size_t i) { return all.fields.at(name)[i].scalar.value; }

bool generates(Run& run) {
  const Graph& graph = run.graph();
  const DimId sampled = graph.dimension("sampled");
  const auto gives = [&](const Segment& s) { return sampled && s.output && contains(graph.tensors[s.output].dims, sampled); };
  if (!std::any_of(graph.segments.begin(), graph.segments.end(), gives) || run.evaluator().elements(kCachedSet).names.empty()) return false;
  const Elements& nodes = run.evaluator().elements(kNodeSet);
  for (std::size_t i = 0; i < nodes.names.size(); ++i) {
    if (field(nodes, "once", i) != 0) return false;
  }
  return true;
}

/// Returns whether attention of the run reads cached tokens and is not fused into one kernel.
bool scores_rectangles(Run& run) {
  const Elements &read = run.evaluator().elements(kCacheReadsSet), &cached = run.evaluator().elements(kCachedSet);
  const Name* attends = run.program().find("attends");
  for (std::size_t i = 0; i < read.names.size(); ++i) {
    const WordId node = read.belongs.at(kNodeSet)[i];
    if (field(cached, "grows", static_cast<std::size_t>(read.belongs.at(kCachedSet)[i])) == 0) continue;
    if (run.evaluator().ask(*attends, run.evaluator().choose(nowhere(), kNodeSet, node)).value.scalar.value == 0) return true;
  }
  return false;
}

/// Returns the number of tokens above which an operator with a state has a constant cost per token; 0 for always.
double tile_of(const Deployment& one) {
  const auto work = [&](int tokens) { return value(*one.with({{"seq", std::to_string(tokens)}}).run(), "carried_flops"); };
  const double single = work(1);
  if (near(work(64), 64 * single, 1e-12)) return 0;
  int tile = 64;
  while (!near(work(2 * tile), 2 * work(tile), 1e-12)) tile *= 2;
  return tile;
}

Shape shape_of(const Deployment& one, Run& run) {
  Shape out;
  out.model = one.model;
  out.used = value(run, "least_used");
  out.most_ranks = std::stoi(one.axes[0].second);
  out.latent = static_cast<bool>(run.graph().dimension("kv_lora"));
  out.unfused = scores_rectangles(run);
  out.tile = tile_of(one);
  const Elements& segments = run.evaluator().elements(kSegmentSet);
  for (std::size_t i = 0; i < segments.names.size(); ++i) {
    if (field(segments, "repeated", i) != 0) out.layers += field(segments, "layers", i);
  }
  const Elements& cached = run.evaluator().elements(kCachedSet);
  for (std::size_t i = 0; i < cached.names.size(); ++i) {
    const double reach = field(cached, "reach", i);
    if (field(cached, "grows", i) != 0 && reach > 0 && reach < field(cached, "length", i)) out.windows.insert(reach);
  }
  return out;
}

bool says(const char* what) { return render(said()).find(what) != std::string::npos; }

const Deployment& halved(Deployment& one) {
  one.axes[0].second = std::to_string(std::stoi(one.axes[0].second) / 2);
  return one;
}

std::vector<Served> serve_all(unsigned seed, bool round_numbers) {
  std::vector<Served> out;
  Random random(seed);
  for (const Shape& shape : shapes()) {
    Deployment d = random.served(shape, round_numbers);
    auto run = d.run();
    out.push_back({shape, std::move(d), std::move(run)});
  }
  return out;
}

}  // namespace

std::string document_of(const std::string& name) { return source_folder() + "/tests/data/serving/" + name + ".yaml"; }

std::string Deployment::mesh() const {
  std::string out;
  for (const auto& [name, degree] : axes) out += (out.empty() ? "" : ", ") + name + ": " + degree;
  return "{" + out + "}";
}

std::string Deployment::text() const {
  std::string out = model + " " + mesh() + " " + machine.substr(machine.rfind('/') + 1);
  for (const auto& [key, value] : settings) out += " " + key + "=" + value;
  return out;
}

double Deployment::setting(const std::string& key) const {
  for (const auto& [name, value] : settings) {
    if (name == key) return std::stod(value);
  }
  return 0;
}

Deployment Deployment::with(const Settings& more) const {
  Deployment out = *this;
  for (const auto& setting : more) {
    const auto same = [&](const auto& other) { return other.first == setting.first; };
    out.settings.erase(std::remove_if(out.settings.begin(), out.settings.end(), same), out.settings.end());
    out.settings.push_back(setting);
  }
  return out;
}

std::unique_ptr<Run> Deployment::attempt() const {
  static std::deque<Library> read;  // A library has a limit of documents; runs refer to its documents.
  static std::map<std::string, std::string> written;
  if (read.empty() || written.size() == 40) {
    read.emplace_back(Library({source_folder()}));
    written.clear();
  }
  std::string& file = written[mesh() + accounting];
  if (file.empty()) file = execution(mesh(), "serve, megatron, " + document_of("narrow"), "accounting: " + accounting + "\n");
  said() = {};
  RunRequest request;
  request.model = model, request.execution = file, request.system = machine, request.overrides = settings;
  return Run::prepare(request, read.back(), said());
}

std::unique_ptr<Run> Deployment::run() const {
  auto run = attempt();
  REQUIRE_MESSAGE(run, text(), "\n", render(said()));
  return run;
}

double at(Run& run, const std::string& name, const Words& words) {
  const Program& program = run.program();
  Point point = nowhere();
  for (const auto& [set, word] : words) {
    const SetId id = program.find_set(set);
    point[id] = program.set(id).index.at(word);
  }
  const Name* found = program.find(name);
  REQUIRE_MESSAGE(found != nullptr, name);
  const Answer answer = run.evaluator().ask(*found, point);
  REQUIRE_MESSAGE(answer.known(), name, ": ", answer.error->message);
  return answer.value.scalar.value;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> out;
    int position = 0;
    for (const std::string& model : whole_models()) {
      if (contains(model, '/')) continue;  // models of measurements
      if (position++ % testing::one_of(3) != 0) continue;
      // A context of at least every window and at most the table of positions, on a number of ranks that divides it.
      Deployment one{model, document_of("plain"), document_of("calls"), {{"tp", "8"}}, {{"generates", "true"}, {"seq", "1"}, {"context", "1000000"}}};
      auto run = one.attempt();
      if (!run && says("no position behind")) run = (one = one.with({{"context", "512"}})).attempt();
      while (!run && says("does not divide") && one.axes[0].second != "1") run = halved(one).attempt();
      if (run && generates(*run)) out.push_back(shape_of(one, *run));
    }
    return out;
  }();
  REQUIRE(static_cast<int>(all.size()) > 20 / testing::one_of(3));
  return all;
}

Deployment Random::deployed(const Shape& shape, const std::string& accounting) {
  Deployment d{shape.model, document_of("plain"), accounting, {}, {}};
  const std::string tp = std::to_string(std::min(1 << between(0, 3), shape.most_ranks)), pp = shape.layers >= 8 ? one({"1", "1", "2", "4"}) : "1";
  const std::string dp = shape.used < 1 ? "{edp: " + one({"1", "2"}) + ", ep: " + one({"1", "2", "4", "8"}) + "}" : one({"1", "1", "2"});
  d.axes = {{"pp", pp}, {"dp", dp}, {"tp", tp}};
  return reordered(std::move(d));
}

Deployment Random::reordered(Deployment d) {
  std::shuffle(d.axes.begin(), d.axes.end(), random_);
  return d;
}

Deployment Random::pass(const Shape& shape) {
  Deployment d = deployed(shape, document_of("calls"));
  const int seq = between(1, 64), context = seq + between(0, 900);
  d.settings = {{"generates", "true"},
                {"seq", std::to_string(seq)},
                {"context", std::to_string(context)},
                {"sequences", one({"1", "3", "16"})},
                {"page", one({"1", "16", "64"})},
                {"cache_width", one({"1B", "2B"})},
                {"wide", one({"0.5625B", "1B", "2B"})},
                {"key_reads", one({"once", "by_query_head"})},
                {"window_pages", one({"window", "all"})}};
  if (shape.latent && coin()) d.settings.emplace_back("absorbed", "true");
  return d;
}

Deployment Random::served(const Shape& shape, bool round_numbers) {
  Deployment d = deployed(shape, "serving");
  if (!round_numbers) d.machine = one({"h100-80g-sxm", "a100-80g-sxm", "b200-180g-sxm", "mi300x-192g"});
  const int prompt = between(2, 700), output = between(2, 300), decoding = between(1, 48), drafted = coin() ? 0 : between(1, 4);
  // prompts get as many tokens of each pass as they need, and some more
  const int tokens = decoding * (drafted + 1), prompt_tokens = tokens * prompt / (output - 1) + between(1, 2048);
  d.settings = {{"prompt", std::to_string(prompt)},
                {"output", std::to_string(output)},
                {"cached", coin() ? "0" : std::to_string(between(0, prompt - 1))},
                {"prompts", one({"1", "2", "5"})},
                {"decoding", std::to_string(decoding)},
                {"drafted", std::to_string(drafted)},
                {"acceptance", one({"0", "0.5", "0.7", "1"})},
                {"draft_time", one({"0 s", "0.0001 s"})},
                {"budget", std::to_string(tokens + prompt_tokens)},
                {"samples", one({"1", "2", "4", "8"})},
                {"page", one({"1", "16", "64"})},
                {"cache_width", one({"1B", "2B"})},
                {"wide", one({"0.5625B", "1B", "2B"})},
                {"window_pages", one({"window", "all"})},
                {"latent", one({"absorbed", "expanded", "cheaper"})},
                {"fixed_time", one({"0 s", "0.001 s"})},
                {"memory_share", one({"0.9", "1"})},
                {"system.memory.capacity", "100 TB"},
                {"system.price", "2.5 USD/hour"}};
  if (round_numbers) {
    d.settings.emplace_back("system.combine", one({"roofline", "no_overlap"}));
    d.settings.emplace_back("system.kernel_latency", one({"0 us", "3 us"}));
  }
  if (coin()) d.settings.emplace_back("sequence_groups", std::to_string(between(1, 6)));
  return d;
}

const std::vector<Served>& on_round_numbers() {
  static const std::vector<Served> all = serve_all(17, true);
  return all;
}

const std::vector<Served>& on_machines() {
  static const std::vector<Served> all = serve_all(24, false);
  return all;
}

}  // namespace opledger::deployments
