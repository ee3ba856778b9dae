#include <algorithm>
#include <array>
#include <functional>

#include "accounting/graph_engine.h"
#include "tests/support/runs.h"

/// Costs of operators of state-space layers, compared with programs that perform and count single operations.
namespace opledger {
namespace {

/// A number that counts the operations on it.
struct Counted {
  double value = 0;
  static inline int operations = 0;

  friend Counted operator+(Counted a, Counted b) { return {(++operations, a.value + b.value)}; }
  friend Counted operator-(Counted a, Counted b) { return {(++operations, a.value - b.value)}; }
  friend Counted operator*(Counted a, Counted b) { return {(++operations, a.value * b.value)}; }
  friend Counted operator/(Counted a, Counted b) { return {(++operations, a.value / b.value)}; }
  friend Counted operator-(Counted a) { return {(++operations, -a.value)}; }
  friend Counted exp(Counted a) { return {(++operations, std::exp(a.value))}; }
  friend Counted log(Counted a) { return {(++operations, std::log(a.value))}; }
};

int counted(const std::function<void()>& work) {
  Counted::operations = 0;
  work();
  return Counted::operations;
}

constexpr Counted kOne{1};

constexpr int kTokens = 5, kState = 3;
using Row = std::array<Counted, kTokens>;
using Rows = std::array<Row, kState>;

/// One channel of the selective scan: operands and, after `forward`, the saved values; after `backward`, gradients
/// for an output gradient of 1 everywhere.
struct Scan {
  Row u, delta, z, y, ungated;
  Rows b, c;
  std::array<Counted, kState> a;
  Counted d, bias;
  Row du{}, ddelta{}, dz{};
  Rows db{}, dc{};
  std::array<Counted, kState> da{};
  Counted dd, dbias;
  int repeated = 0, of_weights = 0;

  // Work of one token that forward and backward share.
  struct Step {
    Counted e, grown, step, fed;  ///< exp(delta + bias), that + 1, δ, δu
    std::array<Counted, kState> decay, h;
  };

  Step step(int t, const std::array<Counted, kState>& before) const {
    Step s;
    s.e = exp(delta[t] + bias);
    s.grown = kOne + s.e;
    s.step = log(s.grown);
    s.fed = s.step * u[t];
    for (int n = 0; n < kState; ++n) {
      s.decay[n] = exp(s.step * a[n]);
      s.h[n] = s.decay[n] * before[n] + s.fed * b[n][t];
    }
    return s;
  }

  static Counted sigma(Counted x) { return kOne / (kOne + exp(-x)); }

  void forward() {
    std::array<Counted, kState> h{};
    for (int t = 0; t < kTokens; ++t) {
      h = step(t, h).h;
      Counted sum;
      for (int n = 0; n < kState; ++n) sum = sum + c[n][t] * h[n];
      ungated[t] = sum + d * u[t];
      y[t] = ungated[t] * (z[t] / (kOne + exp(-z[t])));
    }
  }

  void backward() {
    std::array<Step, kTokens> steps;
    Row gate;
    const std::array<Counted, kState> nothing{};
    repeated = counted([&] {
      for (int t = 0; t < kTokens; ++t) {
        steps[t] = step(t, t > 0 ? steps[t - 1].h : nothing);
        gate[t] = sigma(z[t]);
      }
    });
    std::array<Counted, kState> dh{}, later{};  // `later`: the decay of the next token.
    for (int t = kTokens; t-- > 0;) {
      const Step& s = steps[t];
      const Counted dy = kOne;
      dz[t] = dy * ungated[t] * (gate[t] * (kOne + z[t] * (kOne - gate[t])));
      const Counted dsum = dy * (z[t] * gate[t]);
      weights([&] { dd = dd + dsum * u[t]; });
      Counted dstep, dfed;
      for (int n = 0; n < kState; ++n) {
        dh[n] = dh[n] * later[n] + c[n][t] * dsum;
        dc[n][t] = dc[n][t] + dsum * s.h[n];
        const Counted g = dh[n] * (t > 0 ? steps[t - 1].h[n] : Counted{}) * s.decay[n];
        dstep = dstep + g * a[n];
        weights([&] { da[n] = da[n] + g * s.step; });
        dfed = dfed + dh[n] * b[n][t];
        db[n][t] = db[n][t] + dh[n] * s.fed;
      }
      du[t] = s.step * dfed + dsum * d;
      dstep = dstep + u[t] * dfed;
      ddelta[t] = dstep * (s.e / s.grown);
      weights([&] { dbias = dbias + ddelta[t]; });
      later = s.decay;
    }
  }

  void weights(const std::function<void()>& work) {
    const int before = Counted::operations;
    work();
    of_weights += Counted::operations - before;
  }

  double loss() {
    forward();
    double sum = 0;
    for (Counted v : y) sum += v.value;
    return sum;
  }
};

Scan scan() {
  Scan s;
  int seed = 1;
  auto next = [&seed] { return Counted{std::sin(0.7 * ++seed)}; };
  for (Row* row : {&s.u, &s.delta, &s.z}) std::generate(row->begin(), row->end(), next);
  for (Rows* rows : {&s.b, &s.c}) {
    for (Row& row : *rows) std::generate(row.begin(), row.end(), next);
  }
  for (Counted& a : s.a) a = Counted{-1 - next().value * next().value};
  s.d = next();
  s.bias = next();
  return s;
}

double slope(Scan& s, Counted& of) {
  const double kept = of.value;
  of.value = kept + 1e-6;
  const double up = s.loss();
  of.value = kept - 1e-6;
  const double down = s.loss();
  of.value = kept;
  return (up - down) / 2e-6;
}

/// Returns a quantity of a node in a phase, in a model small enough for manual computation.
double quantity(Run& run, const std::string& name, const std::string& node, Phase phase) {
  Evaluator& e = run.evaluator();
  const Elements& nodes = e.elements(kNodeSet);
  const auto found = std::find(nodes.names.begin(), nodes.names.end(), node);
  REQUIRE_MESSAGE(found != nodes.names.end(), node);
  const Name* quantity = run.program().find(name);
  REQUIRE_MESSAGE(quantity != nullptr, name);
  const Point point = e.choose(nowhere(), kNodeSet, static_cast<WordId>(found - nodes.names.begin()));
  return e.ask(*quantity, e.choose(point, kPhaseSet, static_cast<WordId>(phase))).value.scalar.value;
}

const Settings kTinyMamba = {{"hidden", "4"}, {"layers", "1"}, {"seq", std::to_string(kTokens)}, {"state", std::to_string(kState)}, {"vocab", "8"}};

}  // namespace

TEST_CASE("state space: the gradients that are counted are those of finite differences") {
  Scan s = scan();
  s.loss();
  s.backward();
  for (int t = 0; t < kTokens; ++t) {
    CHECK(std::abs(slope(s, s.u[t]) - s.du[t].value) < 1e-6);
    CHECK(std::abs(slope(s, s.delta[t]) - s.ddelta[t].value) < 1e-6);
    CHECK(std::abs(slope(s, s.z[t]) - s.dz[t].value) < 1e-6);
    for (int n = 0; n < kState; ++n) {
      CHECK(std::abs(slope(s, s.b[n][t]) - s.db[n][t].value) < 1e-6);
      CHECK(std::abs(slope(s, s.c[n][t]) - s.dc[n][t].value) < 1e-6);
    }
  }
  for (int n = 0; n < kState; ++n) CHECK(std::abs(slope(s, s.a[n]) - s.da[n].value) < 1e-6);
  CHECK(std::abs(slope(s, s.d) - s.dd.value) < 1e-6);
  CHECK(std::abs(slope(s, s.bias) - s.dbias.value) < 1e-6);
}

TEST_CASE("state space: operations of the scan, one by one") {
  const auto run = prepare("mamba-2.8b", "single", "", kTinyMamba);
  const double channels = 8;  // The inner width is 2 hidden.
  Scan s = scan();
  CHECK(quantity(*run, "flops", "decoder.mixer.scan", Phase::forward) == channels * counted([&] { s.forward(); }));
  Counted::operations = 0;
  s.backward();
  const int backward = Counted::operations;  // `counted` restarted the count, so repeated work is excluded.
  CHECK(quantity(*run, "repeated_flops", "decoder.mixer.scan", Phase::agrad) == channels * s.repeated);
  CHECK(quantity(*run, "flops", "decoder.mixer.scan", Phase::agrad) == channels * (backward - s.of_weights));
  CHECK(quantity(*run, "flops", "decoder.mixer.scan", Phase::wgrad) == channels * s.of_weights);
}

TEST_CASE("state space: operations of the convolution, tap by tap") {
  const auto run = prepare("mamba-2.8b", "single", "", kTinyMamba);
  constexpr int kTaps = 4, kChannels = 8;
  const Row x = scan().u;
  const int forward = counted([&] {
    for (int t = 0; t < kTokens; ++t) {
      Counted sum;
      for (int k = 0; k < kTaps; ++k) sum = sum + Counted{0.5} * (t >= k ? x[t - k] : Counted{});
      sum = sum + kOne;
      sum = sum / (kOne + exp(-sum));
    }
  });
  CHECK(quantity(*run, "flops", "decoder.mixer.conv", Phase::forward) == kChannels * forward);
  // wgrad: for each token a product and a sum for each tap, and one sum for the bias
  CHECK(quantity(*run, "flops", "decoder.mixer.conv", Phase::wgrad) == kChannels * kTokens * (2 * kTaps + 1));
  // agrad: forward again up to σ; then 1 - σ, times x, plus 1, times σ, times dy; then the filter turned round
  CHECK(quantity(*run, "flops", "decoder.mixer.conv", Phase::agrad) == kChannels * (forward + kTokens * (5 + 2 * kTaps)));
}

TEST_CASE("state space: products of Mamba-2 in chunks, matrix by matrix") {
  // 2 heads of 4 channels in 1 group, 6 states, 8 tokens in chunks of 4; a product of m x k by k x n is 2 m k n.
  const Settings sizes = {{"hidden", "4"}, {"layers", "1"}, {"seq", "8"}, {"state", "6"}, {"ssm_channels", "4"}, {"ssd_chunk", "4"}, {"vocab", "8"}};
  const auto run = prepare("mamba2-2.7b", "single", "", sizes);
  const auto product = [](double m, double k, double n) { return 2 * m * k * n; };
  const double chunks = 2, heads = 2, q = 4, p = 4, n = 6;
  const double scores = product(q, n, q), mixed = product(q, q, p), in = product(n, q, p), out = product(q, n, p);
  const double forward = chunks * (scores + heads * (mixed + in + out)), again = chunks * (scores + heads * in);
  CHECK(quantity(*run, "flops", "decoder.mixer.scan", Phase::forward) == forward);
  CHECK(quantity(*run, "repeated_flops", "decoder.mixer.scan", Phase::agrad) == again);
  CHECK(quantity(*run, "flops", "decoder.mixer.scan", Phase::agrad) == 2 * forward + again);
}

TEST_CASE("state space: what a layer of Mamba keeps, tensor by tensor") {
  // Numbers of 2 bytes for each token: norm's operand and result, expand, its convolution, dt, gate, scan before and
  // after the gate, dt's vector, b, c. Two float32 numbers follow for each channel and state at the end of a chunk of
  // 2048 tokens.
  const double h = 2560, inner = 5120, state = 16, rank = 160, tokens = 2048;
  for (const double chunks : {1, 3}) {
    const auto run = prepare("mamba-2.8b", "single", "", {{"seq", exact(chunks * tokens)}});
    CHECK(value(*run, "layer_activation_bytes") == chunks * (2 * tokens * (2 * h + 6 * inner + rank + 2 * state) + 8 * inner * state));
  }
  // Each of two ranks of cp has half the tokens, and ends a chunk of its own.
  const auto run = prepare("mamba-2.8b", execution("{cp: 2}", "megatron"));
  CHECK(value(*run, "layer_activation_bytes") == tokens / 2 * 2 * (2 * h + 6 * inner + rank + 2 * state) + 8 * inner * state);
}

TEST_CASE("state space: a split sequence hands on states and the tokens before, and gathers nothing") {
  // batch 1, 2560 channels on a rank of tp; bytes of one layer
  const auto run = prepare("mamba-2.8b", execution("{cp: 4, tp: 2}", "megatron"));
  double states = 0, tokens = 0;
  for (const Transfer& t : run->annotations().transfers) {
    if (run->graph().segments[t.segment].name != "decoder" || t.cadence == Cadence::step) continue;
    const bool over_cp = t.axes.size() == 1 && run->annotations().mesh.axes[t.axes[0]].name == "cp";
    if (!over_cp) continue;
    CHECK(t.kind == Collective::point_to_point);
    (t.margin ? tokens : states) += 1;
  }
  CHECK(states == 2);  // Forward, and its gradient.
  CHECK(tokens == 2);
  const Elements& all = run->evaluator().elements(kTransferSet);
  const auto bytes = [&](const std::string& name) {
    const auto found = std::find(all.names.begin(), all.names.end(), name);
    REQUIRE_MESSAGE(found != all.names.end(), name);
    return all.fields.at("bytes")[found - all.names.begin()].scalar.value;
  };
  CHECK(bytes("decoder.mixer.scan.state") == 4.0 * 2560 * 16);
  CHECK(bytes("d decoder.mixer.scan.state") == 4.0 * 2560 * 16);
  CHECK(bytes("decoder.mixer.expand") == 2.0 * 3 * 2560);
  CHECK(bytes("d decoder.mixer.expand") == 2.0 * 3 * 2560);
}

TEST_CASE("state space: a model of both kinds of layers has each as often as it is there") {
  // A period of eight layers has seven scans, one attention, and experts four times.
  const auto run = prepare("jamba-v0.1");
  const Elements& nodes = run->evaluator().elements(kNodeSet);
  const auto count = [&](const char* op) {
    const std::vector<Value> all = nodes.fields.at("operator").all();
    return std::count_if(all.begin(), all.end(), [&](const Value& v) { return *v.text == op; });
  };
  CHECK(count("selective_scan") == 7);
  CHECK(count("attention") == 1);
  CHECK(count("dispatch") == 4);
  // 6 for each active parameter but the table, and 12 h for each token of the sequence in each of 4 attention layers; scans and experts' gates make the rest
  const double t = value(*run, "tokens"), n = value(*run, "parameters_active_without_input_embedding");
  CHECK(near(value(*run, "model_flops"), 6 * n * t + 12 * 4 * 4096.0 * 4096 * t, 0.01));
}

}  // namespace opledger
