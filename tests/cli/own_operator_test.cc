#include <doctest/doctest.h>

#include <string>

#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"

/// Operators of a user: mistakes in their declarations, and frameworks that lack them.
namespace opledger {
namespace {

/// Returns an operator document; `declarations` are those under test.
std::string operators(const std::string& declarations) {
  return R"(kind: ops
name: mixer
uses: [quantities]
ops:
  mix:
    doc: y = a b
    source: own
    in: {a: [batch, seq, inner], b: [batch, seq, inner]}
    out: {y: [batch, seq, inner]}
)" + declarations;
}

const std::string kRight = "    gradients: {a: [b], b: [a]}\n    flops: {forward: 1 flop * y, agrad: 2 flop * y}\n";

void write_model(const TemporaryFolder& folder, const std::string& declarations) {
  folder.write("mixer.yaml", operators(declarations));
  folder.write("mixed.yaml", R"(kind: model
name: mixed
uses: [embeddings, heads, mixer]
parameters: {layers: 2, hidden: 64, inner: 32, vocab: 100, seq: 16}
blocks:
  layer:
    inputs: {x: [batch, seq, hidden]}
    nodes:
      - {name: left, op: linear, in: x, out: [batch, seq, inner]}
      - {name: right, op: linear, in: x, out: [batch, seq, inner]}
      - {name: mix, op: mix, in: {a: left, b: right}}
      - {name: output, op: linear, in: mix, out: [batch, seq, hidden]}
graph:
  - {name: embedding, block: token_embedding}
  - {name: decoder, block: layer, repeat: layers}
  - {name: head, block: rmsnorm_head}
)");
  folder.write("run.yaml", "kind: execution\nname: run\nmesh: {dp: 1}\nbatch_size: 2\nrules: [megatron]\nstack: megatron-core\n");
}

/// Returns what `audit` prints for these declarations.
std::string audited(const std::string& declarations) {
  const TemporaryFolder folder;
  write_model(folder, declarations);
  const Finished finished = run_shell("opledger audit ./mixed.yaml ./run.yaml h100-80g-sxm", folder.path());
  CHECK_MESSAGE(finished.err.find("error") == std::string::npos, finished.err);
  return finished.out;
}

bool has_part(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("audit names operators of the user without FLOPs, gradients or bytes of ports, and with FLOPs that do not count") {
  const std::string title = "Operators of yours to check";
  CHECK_FALSE(has_part(audited(kRight), title));
  const std::string wrong[] = {"    gradients: {a: [b], b: [a]}\n", "    gradients: {a: [b]}\n    flops: {forward: 1 flop * y, agrad: 1 flop * y}\n",
                               kRight + "    bytes: {forward: output_bytes}\n",
                               "    gradients: {a: [b], b: [a]}\n    flops: {forward: 1 flop * y, wgrad: 2 flop * y}\n"};
  for (const std::string& declarations : wrong) {
    CAPTURE(declarations);
    const std::string out = audited(declarations);
    CHECK_MESSAGE((has_part(out, title) && has_part(out, "decoder.mix")), out);
  }
}

TEST_CASE("an export that a framework can't express names the operators that it lacks") {
  const TemporaryFolder folder;
  write_model(folder, kRight);
  const Finished finished = run_shell("opledger export megatron ./mixed.yaml ./run.yaml h100-80g-sxm", folder.path());
  CHECK(finished.status != 0);
  CHECK_MESSAGE(has_part(finished.err, "`mix`"), finished.err);
}

}  // namespace opledger
