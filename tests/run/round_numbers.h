#pragma once
#include <fmt/format.h>

#include <string>

#include "tests/support/runs.h"

/// Models and machines with round numbers: 1 MiB/s and 1 Gi (2^30) operations a second, without other costs. Expected
/// times are computed by hand.
namespace opledger::round_numbers {

struct Machine {
  double compute = 1, network = 1;  ///< Gi operations and MiB per second.
  double share = 0;                 ///< Share of the processor used by messages.
  double latency = 0;
  double host = 1;                           ///< MiB per second between host and device.
  double host_peak = 0, host_bandwidth = 0;  ///< Units of `compute` and `network`, for the host; 0: the host takes no part.
};

/// Folder of all documents of a run, since a document may only name documents below it or shipped ones.
inline const TemporaryFolder& desk() {
  static const TemporaryFolder kFolder;
  return kFolder;
}

inline std::string write(const char* name, const std::string& text) {
  static int count = 0;
  return desk().write(fmt::format("{}{}.yaml", name, count++), text).filename().string();
}

inline std::string machine(const Machine& m) {
  const std::string peak =
      fmt::format("{{fp32: 1e9 Tflop/s, tf32: 1e9 Tflop/s, fp16: {0} flop/s, bf16: {0} flop/s, fp8: {0} flop/s}}", m.compute * 1073741824.0);
  const std::string fast = "{fp32: 1e9 Tflop/s, tf32: 1e9 Tflop/s, fp16: 1e9 Tflop/s, bf16: 1e9 Tflop/s, fp8: 1e9 Tflop/s}";
  const std::string all = "[[0 flop, 1]]", bytes = "{capacity: 1e6 GiB, bandwidth: 1e9 GB/s, efficiency: [[0 byte, 1]]}";
  const std::string host = fmt::format("{{capacity: 1 GiB, bandwidth: {} byte/s, efficiency: [[0 byte, 1]]}}\nhost_peak: {} flop/s\nhost_bandwidth: {} byte/s",
                                       m.host * 1048576, m.host_peak * 1073741824, m.host_bandwidth * 1048576);
  return write(
      "machine",
      fmt::format("kind: system\nprocessors: {{matrix: {{peak: {}, efficiency: {}}}, vector: {{peak: {}, efficiency: {}}}}}\nmemory: {}\nhost_memory: {}\n"
                  "networks: [{{name: n, size: 64, bandwidth: {} byte/s, efficiency: 1, latency: {} s, processor_share: {}}}]\ncombine: roofline\n",
                  peak, all, fast, all, bytes, host, m.network * 1048576, m.latency, m.share));
}

/// Two layers of two products of `seq` 1024, `hidden` 1024 and `ffn` 4096: a product is 8 Gi operations; x is 2 MiB, the weights of a layer 16 MiB.
inline std::string products() {
  static const std::string kPath = write("products", R"(kind: model
uses: [embeddings, linear]
parameters: {layers: 2, hidden: 1024, ffn: 4096, vocab: 64, seq: 1024}
blocks:
  layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: up, op: linear, in: x, out: [batch, seq, ffn]}
      - {name: down, op: linear, in: up, out: [batch, seq, hidden]}
graph:
  - {name: embedding, block: token_embedding}
  - {name: decoder, block: layer, repeat: layers}
)");
  return kPath;
}

/// One layer of attention with one head of 1024, over a sequence of 1024.
inline std::string attentions() {
  static const std::string kPath = write("attentions", R"(kind: model
uses: [embeddings, linear, fused_attention]
parameters: {layers: 1, hidden: 1024, heads: 1, kv_heads: 1, head_dim: 1024, v_dim: 1024, kv_seq: seq, vocab: 64, seq: 1024}
blocks:
  layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: q, op: linear, in: x, out: [batch, seq, heads, head_dim]}
      - {name: k, op: linear, in: x, out: [batch, seq, kv_heads, head_dim]}
      - {name: v, op: linear, in: x, out: [batch, seq, kv_heads, v_dim]}
      - {name: a, op: attention, in: [q, {k: {seq: kv_seq}}, {v: {seq: kv_seq}}]}
      - {name: o, op: linear, in: a, out: [batch, seq, hidden]}
graph:
  - {name: embedding, block: token_embedding}
  - {name: decoder, block: layer, repeat: layers}
)");
  return kPath;
}

/// Writes a rule document and returns its name.
inline std::string rules(const std::string& text) { return write("own", "kind: rules\n" + text); }

/// Sequence parallelism over tp: before `up` x is gathered, after `down` scattered; backward the same the other way.
inline const std::string& sequence_parallel() {
  static const std::string kPath = rules("shard: [{batch: dp}, {ffn: tp}, {seq: tp}]\n");
  return kPath;
}

inline std::unique_ptr<Run> run_of(const std::string& model, const std::string& mesh, const std::string& rule_names, const Machine& m,
                                   const std::string& rest) {
  static int count = 0;
  if (count++ % 30 == 29) libraries().push_back(Library({source_folder()}));  // A library has a limit of documents.
  const auto path = [](const std::string& name) { return (desk().path() / name).string(); };
  const std::string file = write("execution", "kind: execution\nmesh: " + mesh + "\nrules: [" + rule_names + "]\n" + rest);
  return prepare(std::filesystem::exists(path(model)) ? path(model) : model, path(file), path(machine(m)));
}

inline double metric(const std::string& model, const std::string& mesh, const std::string& rule_names, const Machine& m, const std::string& name,
                     const std::string& rest = "batch_size: 1\n") {
  return value(*run_of(model, mesh, rule_names, m, rest), name);
}

}  // namespace opledger::round_numbers
