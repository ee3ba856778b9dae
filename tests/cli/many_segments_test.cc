#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/cli/process.h"
#include "tests/schemas/temporary_folder.h"

/// Models with very many segments: memory and time stay within bounds.
namespace opledger {
namespace {

/// Writes a model with this number of decoder segments, each a segment of its own, and an execution.
void write_documents(const TemporaryFolder& folder, int segments) {
  std::string model =
      "kind: model\nname: many\nuses: [embeddings, decoder, heads]\nparameters: {hidden: 64, heads: 4, kv_heads: 2, ffn: 128, vocab: 100, seq: 16}\ngraph:\n"
      "  - {name: embedding, block: token_embedding}\n";
  for (int i = 0; i < segments; ++i) model += "  - {name: d" + std::to_string(i) + ", block: llama_layer}\n";
  folder.write("many.yaml", model + "  - {name: head, block: rmsnorm_head}\n");
  folder.write("few.yaml", "kind: execution\nname: few\nmesh: {dp: 2, tp: 2}\nbatch_size: 8\nrules: [megatron]\n");
}

}  // namespace

TEST_CASE("250 segments need little memory: values of single nodes are stored compactly, and a page is written in parts") {
  const TemporaryFolder folder;
  write_documents(folder, 250);
  for (const std::string command : {"ulimit -v 260000; opledger eval", "ulimit -v 390000; opledger explore -o page.html"}) {
    CAPTURE(command);
    const Finished finished = run_shell(command + " ./many.yaml ./few.yaml h100-80g-sxm", folder.path());
    CHECK_MESSAGE(finished.status == 0, finished.err);
  }
  const std::string count = "opledger explore ./many.yaml ./few.yaml h100-80g-sxm --format json | grep -o '\"brief\":true' | wc -l";
  CHECK(run_shell(count, folder.path()).out == "2005\n");  // The other 2,000 operators have whole explanations.
}

}  // namespace opledger
