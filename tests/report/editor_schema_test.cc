#include "report/editor_schema.h"

#include <doctest/doctest.h>

#include "base/lists.h"
#include "schemas/kinds.h"
#include "schemas/shipped.h"
#include "tests/schemas/temporary_folder.h"

/// Schemas for editors. The oracle for their effect in an editor is tests/editor.
namespace opledger {
namespace {

struct WrittenSchema {
  Json schema;
  Diagnostics diagnostics;
};

WrittenSchema write_schema(const EditorSchemaRequest& request, const std::vector<std::filesystem::path>& own = {}) {
  std::vector<std::filesystem::path> path = own;
  path.push_back(shipped_folder());
  Library library(path);
  WrittenSchema out;
  const std::optional<std::string> text = editor_schema(request, library, out.diagnostics);
  if (text) out.schema = Json::parse(*text);
  return out;
}

/// Follows references, and a key at each step.
const Json& at(const Json& root, const Json& from, const std::vector<std::string>& keys) {
  const Json* now = &from;
  const auto follow = [&] {
    while (now->contains("$ref")) now = &root.at("definitions").at((*now)["$ref"].get<std::string>().substr(14));
  };
  follow();
  for (const std::string& key : keys) {
    now = &now->at(key);
    follow();
  }
  return *now;
}

const Json& in_execution(const WrittenSchema& written, const std::string& name, const std::vector<std::string>& keys) {
  return at(written.schema, written.schema.at("definitions").at("execution." + name), keys);
}

}  // namespace

TEST_CASE("editor schema: fields of executions are the inputs of their accounting, with type, unit, default and doc") {
  const WrittenSchema all = write_schema({kind_names(), "", false});
  REQUIRE(!all.diagnostics.has_errors());
  CHECK(all.schema.at("properties").at("kind").at("enum").size() == kDocumentKinds.size());
  const Json& batch = in_execution(all, "usual", {"properties", "batch_size"});
  CHECK(batch.at("type") == Json{"integer", "string"});
  CHECK(batch.at("minimum") == 1);
  CHECK(contains(in_execution(all, "usual", {"properties", "compute", "enum"}), Json("bf16")));
  CHECK(in_execution(all, "usual", {"properties", "bucket_size", "description"}).get<std::string>().find("In MB. Default: 25") !=
        std::string::npos);  // Names of rules.
  CHECK(!in_execution(all, "usual", {"properties"}).contains("clients"));
  CHECK(in_execution(all, "serving", {"properties"}).contains("clients"));
  CHECK(in_execution(all, "usual", {"additionalProperties"}) == Json(false));
  CHECK(in_execution(all, "usual", {"patternProperties"}).begin().key().find("|hidden|") != std::string::npos);
}

TEST_CASE("editor schema: one kind, one accounting, names that are there") {
  const WrittenSchema one = write_schema({{"stack"}, "serving", true});
  const Json& stack = at(one.schema, one.schema.at("allOf").at(0), {});
  CHECK(stack.at("properties").contains("memory_share"));
  const Json& extends = at(one.schema, stack, {"properties", "extends"});
  CHECK(contains(at(one.schema, extends.at("anyOf").at(0), {"enum"}), Json("vllm")));
  CHECK(extends.at("anyOf").at(1).contains("pattern"));
  CHECK(write_schema({{"stack"}, "no-such", false}).diagnostics.has_errors());
}

TEST_CASE("editor schema: documents of the user's own, and those that can't be read") {
  const TemporaryFolder own;
  own.write("rules/mine.yaml", "kind: rules\nname: mine\noptions: {my_option: {type: [a, b], default: a, doc: Which.}}\n");
  own.write("models/mine.yaml", "kind: model\nname: mine\nparameters: {my_parameter: 2}\ngraph: [{name: a, block: b}]\n");
  own.write("accounting/mine.yaml",
            "kind: accounting\nname: mine\nextends: standard\ninputs: {my_input: {type: us, min: 0, doc: \"of <b>\\\"it\\\"\"}}\nreports: {eval: [{title: T, "
            "metrics: []}]}\n");
  own.write("accounting/bad.yaml", "kind: accounting\nname: bad\nreports: {}\nuses: [no-such]\n");
  own.write("accounting/broken.yaml", "kind: [\n");
  own.write("ops/broken.yaml", std::string(2000, '['));
  const WrittenSchema all = write_schema({kind_names(), "", false}, {own.path()});
  REQUIRE(!all.diagnostics.has_errors());
  CHECK(contains(in_execution(all, "usual", {"properties", "my_option", "enum"}), Json("b")));
  CHECK(in_execution(all, "usual", {"patternProperties"}).begin().key().find("|my_parameter|") != std::string::npos);
  const Json& mine = in_execution(all, "mine", {"properties", "my_input"});
  CHECK(mine.at("description") == "of <b>\"it\" In us.");
  CHECK(mine.at("minimum") == 0);
  CHECK(!all.schema.at("definitions").contains("execution.bad"));
  CHECK(!all.diagnostics.all().empty());
}

}  // namespace opledger
