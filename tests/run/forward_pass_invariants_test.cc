#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "accounting/graph_engine.h"
#include "accounting/sizes.h"
#include "base/lists.h"
#include "tests/run/deployments.h"

/// Invariants of forward passes of all models that generate, on random meshes and sizes.
namespace opledger::deployments {
namespace {

std::string text_of(double number) { return exact(number); }

/// Selects the pass of a word.
Words call(const std::string& word) { return {{"call", word}}; }

const std::vector<std::string> kCalls = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};

/// Returns the settings of calls for the parts of a prompt.
Settings in_parts(const std::vector<int>& lengths, int before = 0) {
  Settings out;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    before += lengths[i];
    out.emplace_back(kCalls[i] + ".seq", std::to_string(lengths[i]));
    out.emplace_back(kCalls[i] + ".context", std::to_string(before));
  }
  return out;
}

double sum_of(Run& run, const std::string& name, std::size_t calls) {
  double sum = 0;
  for (std::size_t i = 0; i < calls; ++i) sum += at(run, name, call(kCalls[i]));
  return sum;
}

/// Returns a pass of one token of one sequence on one rank.
Deployment simple(const Shape& shape) {
  return {shape.model, document_of("plain"), document_of("calls"), {{"tp", "1"}}, {{"generates", "true"}, {"seq", "1"}, {"context", "1"}}};
}

}  // namespace

// Attention whose scores are whole matrices computes the pairs that no query sees as well: fewer in parts than at once, by as many pairs as the rectangles
// differ. An operator that works on tiles of a call's own tokens does as much in parts if no part is shorter than a tile.
TEST_CASE("serving invariant 1: operations of layers are those of one pass, in parts and token by token") {
  Random random(1);
  for (const Shape& shape : shapes()) {
    CAPTURE(shape.model);
    const int tile = std::max(1, static_cast<int>(shape.tile));
    const std::vector<int> parts = {tile + random.between(0, 60), tile + random.between(0, 60), tile, tile};
    int tokens = 0;
    double squares = 0;  // Queries times keys, summed over the parts.
    for (const int part : parts) squares += static_cast<double>(part) * (tokens += part);
    Deployment d = random.pass(shape).with({{"seq", std::to_string(tokens)}, {"context", std::to_string(tokens)}});
    Settings all = in_parts(parts);
    all.emplace_back("eighth.context", std::to_string(2 * tokens));
    const auto run = d.with(all).run();
    const double whole = at(*run, "layer_flops", call("plain"));
    const double of_pair = shape.unfused ? (at(*run, "layer_flops", call("eighth")) - whole) / tokens / tokens : 0;
    CHECK_MESSAGE(near(sum_of(*run, "layer_flops", parts.size()), whole - of_pair * (static_cast<double>(tokens) * tokens - squares), 1e-12), d.text());
  }
}

// Attention in one kernel is counted as its queries see keys. What training writes for backward alone is not written, states come in and go out. Experts have a
// whole number of slots in training, so they must be as many.
TEST_CASE("serving invariant 2: a whole prompt is the forward pass of training, without head and loss") {
  Random random(2);
  for (const Shape& shape : shapes()) {
    int whole_slots = 1;
    while (std::fmod(whole_slots * shape.used, 1) != 0) ++whole_slots;
    const std::string tokens = std::to_string(whole_slots * random.between(1, 900 / whole_slots));
    const auto pass = simple(shape).with({{"seq", tokens}, {"context", tokens}}).run();
    const auto training = prepare(shape.model, execution("{tp: 1}", "megatron", "accounting: " + document_of("trained") + "\n"), "",
                                  {{"seq", tokens}, {"attention_flops", "causal"}});
    CAPTURE(shape.model);
    CAPTURE(tokens);
    CHECK(near(value(*pass, "layer_flops"), value(*training, "layer_forward_flops"), 1e-12));
    CHECK(near(value(*pass, "layer_bytes") - value(*pass, "state_moves"), value(*training, "layer_forward_bytes"), 1e-12));
  }
}

// Heads, channels and groups are distributed over ranks, and repeated if there are more ranks; a latent is replicated
// on all ranks.
TEST_CASE("serving invariant 3: ranks keep together what there is, as often as they repeat it") {
  Random random(3);
  for (const Shape& shape : shapes()) {
    const Deployment d = random.pass(shape);
    const auto run = d.run();
    Inquiry inquiry(run->evaluator());
    Sizes sizes(inquiry, run->graph_run());
    const Elements& all = run->evaluator().elements(kCachedSet);
    const int tp = static_cast<int>(value(*run, "tp")), ranks = static_cast<int>(value(*run, "ranks") / value(*run, "stages"));
    for (std::size_t i = 0; i < all.names.size(); ++i) {
      int shared_out = 1;
      for (const DimId dim : run->annotations().cached[i].dims) {
        if (contains(std::vector<std::string>{"heads", "kv_heads", "inner", "ssm_heads", "groups"}, run->graph().name(dim)))
          shared_out = std::gcd(tp, static_cast<int>(sizes.elements({dim}).value));
      }
      const auto field = [&](const char* name) { return all.fields.at(name)[i].scalar.value; };
      CHECK_MESSAGE(field("elements") * ranks == field("whole") * tp / shared_out, d.text(), " ", all.names[i], " ", shared_out);
    }
  }
}

// Efficiencies of 1: on machines with efficiencies that grow with size, more work may take less time.
TEST_CASE("serving invariant 4: cache and time grow with context, sequences and new tokens, and shrink with widths") {
  Random random(4);
  for (const Shape& shape : shapes()) {
    const Deployment d = random.pass(shape).with({{"cache_width", "2B"}, {"wide", "2B"}});
    const double seq = d.setting("seq"), context = d.setting("context"), sequences = d.setting("sequences");
    const int more = random.between(1, 60);  // A table of positions has 1,024 entries.
    const auto run = d.with({{"first.context", text_of(context + more)},
                             {"second.sequences", text_of(sequences + more)},
                             {"third.seq", text_of(seq + more)},
                             {"third.context", text_of(context + more)},
                             {"fourth.seq", text_of(std::min(seq + more, context))},
                             {"fifth.cache_width", random.one({"1B", "0.5B", "1.5B"})},
                             {"sixth.wide", random.one({"1B", "0.5625B"})}})
                         .run();
    const auto less = [&](const std::string& name, const std::string& a, const std::string& b) {
      const double one = at(*run, name, call(a)), other = at(*run, name, call(b));
      CHECK_MESSAGE(one <= other * (1 + 1e-12), d.text(), " ", more, " ", name, " ", a, " ", one, " ", b, " ", other);
    };
    for (const char* name : {"cache_bytes_per_rank", "pass_time", "bytes_moved_per_rank"}) {
      for (const char* grown : {"first", "second", "third", "fourth"}) less(name, "plain", grown);
      for (const char* narrow : {"fifth", "sixth"}) less(name, narrow, "plain");
    }
    less("weight_bytes_per_rank", "sixth", "plain");
  }
}

TEST_CASE("serving invariant 10: a window that nothing is outside of is none, and a latent is what is kept, whichever way it is read") {
  Random random(10);
  int windows = 0, latents = 0;
  for (const Shape& shape : shapes()) {
    Deployment d = random.pass(shape);
    const auto same = [&](const Settings& more, const std::vector<const char*>& names) {
      const auto run = d.with(more).attempt();
      if (!run) return false;
      for (const char* name : names) CHECK_MESSAGE(near(at(*run, name, call("first")), at(*run, name, call("second")), 1e-12), d.text(), " ", name);
      return true;
    };
    const double context = d.setting("context");
    for (const char* window : {"attention_window", "local_window"}) {
      const Settings wide_or_none = {{"first." + std::string(window), text_of(context + random.between(0, 9))}, {"second." + std::string(window), "0"}};
      windows += same(wide_or_none, {"pass_flops", "bytes_moved_per_rank", "cache_bytes_per_rank", "pass_time"});
    }
    latents += shape.latent && same({{"first.absorbed", "true"}, {"second.expands", "true"}}, {"cache_bytes_per_rank"});
  }
  CHECK(windows > 0);
  CHECK(latents > 0);
}

TEST_CASE("serving invariant 10: as many heads of keys as of queries are what a model has that says nothing of them") {
  Random random(11);
  TemporaryFolder folder;
  int compared = 0;
  for (const Shape& shape : shapes()) {
    std::ifstream file(source_folder() + "/models/" + shape.model + ".yaml");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t line = text.find("\n  kv_heads: ");
    if (line == std::string::npos) continue;
    Deployment d = random.pass(shape), silent = d;
    silent.model = folder.write(shape.model + ".yaml", text.substr(0, line) + text.substr(text.find('\n', line + 1))).string();
    const auto all = d.with({{"kv_heads", "heads"}}).run(), unsaid = silent.run();
    for (const char* name : {"pass_flops", "bytes_moved_per_rank", "cache_bytes_per_rank", "weight_bytes_per_rank", "pass_time"})
      CHECK_MESSAGE(value(*all, name) == value(*unsaid, name), d.text(), " ", name);
    CHECK_MESSAGE(value(*all, "cache_bytes_per_rank") >= value(*d.run(), "cache_bytes_per_rank"), d.text());
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("serving invariant 11: one token reads its experts, very many read all, and more tokens never take less time") {
  Random random(12);
  int compared = 0;
  for (const Shape& shape : shapes()) {
    if (shape.used == 1) continue;
    const Deployment d = random.pass(shape).with({{"sequences", "1"}, {"seq", "1"}});
    Settings tokens = {{"first.context", "100000"}, {"first.seq", "100000"}};
    for (std::size_t i = 1; i < kCalls.size(); ++i) tokens.emplace_back(kCalls[i] + ".sequences", text_of(random.between(1, 4) * std::pow(2, i)));
    const auto run = d.with(tokens).run();
    const auto alone = simple(shape).run();
    CHECK_MESSAGE(near(value(*alone, "least_read"), shape.used, 1e-12), d.text());
    CHECK_MESSAGE(near(value(*alone, "most_read"), shape.used, 1e-12), d.text());
    CHECK_MESSAGE(near(at(*run, "least_read", call("first")), 1, 1e-12), d.text());
    for (std::size_t i = 1; i < kCalls.size(); ++i) {
      for (std::size_t j = 1; j < kCalls.size(); ++j) {
        const double fewer = at(*run, "sequences", call(kCalls[i])), more = at(*run, "sequences", call(kCalls[j]));
        if (fewer > more) continue;
        CHECK_MESSAGE(at(*run, "expert_time", call(kCalls[i])) <= at(*run, "expert_time", call(kCalls[j])) * (1 + 1e-12), d.text(), " ", fewer, " ", more);
      }
    }
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("serving invariant 13: a pass through stages takes what it takes on one, and the sends between them") {
  Random random(13);
  for (const Shape& shape : shapes()) {
    Deployment d = random.pass(shape);
    for (auto& [name, degree] : d.axes) {
      if (name == "pp") degree = std::to_string(random.between(2, static_cast<int>(std::min(shape.layers, 7.0))));
    }
    const auto run = d.with({{"first.pp", "1"}}).run();
    const double stages = at(*run, "stages", call("plain")), hops = (stages - 1) * at(*run, "hop", call("plain"));
    CHECK_MESSAGE((stages > 1 && hops > 0), d.text());
    CHECK_MESSAGE(near(at(*run, "pass_time", call("plain")), at(*run, "pass_time", call("first")) + hops, 1e-12), d.text());
    CHECK_MESSAGE(at(*run, "pass_flops", call("plain")) == at(*run, "pass_flops", call("first")), d.text());
    if (random.coin()) continue;
    Deployment none = d;
    none.axes.erase(std::find_if(none.axes.begin(), none.axes.end(), [](const auto& axis) { return axis.first == "pp"; }));
    const auto without = none.run();
    for (const char* name : {"pass_time", "cache_bytes_per_rank", "memory", "bytes_moved_per_rank"})
      CHECK_MESSAGE(value(*without, name) == at(*run, name, call("first")), d.text(), " ", name);
  }
}

}  // namespace opledger::deployments
