#include "search/identity.h"

#include <doctest/doctest.h>

#include "search/space/space_reader.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

/// Returns the digest of a search under a stack with these texts of the stack, of the stack that it extends, and of
/// the rules that only the stack names.
std::string identity(const TemporaryFolder& folder, const std::string& stack, const std::string& extended, const std::string& rules) {
  folder.write("below.yaml", "kind: stack\nname: below\n" + extended);
  folder.write("own_rules.yaml", "kind: rules\nname: own_rules\n" + rules);
  SearchRequest request;
  request.run.space = "standard";
  request.run.model = "llama-3-8b";
  request.run.system = "h100-80g-sxm";
  const std::string path = folder.write("own_stack.yaml", "kind: stack\nname: own_stack\nextends: below\nrules: [own_rules]\n" + stack).string();
  request.run.overrides = {{"processors", "8"}, {"batch_size", "8"}, {"stack", path}};
  Library library({source_folder()});
  Diagnostics diagnostics;
  const std::optional<Space> space = read_space(request.run, library, diagnostics);
  REQUIRE_MESSAGE(space, render(diagnostics));
  return identity_of(*space, request);
}

}  // namespace

TEST_CASE("identity: texts of stacks, and of rules that only a stack names, are part of the digest") {
  const TemporaryFolder folder;
  const std::string rules = "shard:\n  - vocab: tp\n", others = "shard:\n  - hidden: tp\n";
  const std::string first = identity(folder, "gradients: bf16\n", "reduction: fp32\n", rules);
  CHECK(identity(folder, "gradients: bf16\n", "reduction: fp32\n", rules) == first);
  CHECK(identity(folder, "gradients: fp32\n", "reduction: fp32\n", rules) != first);
  CHECK(identity(folder, "gradients: bf16\n", "reduction: bf16\n", rules) != first);
  CHECK(identity(folder, "gradients: bf16\n", "reduction: fp32\n", others) != first);
}

}  // namespace opledger
