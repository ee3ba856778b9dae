#include "schemas/library.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "base/limits.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string load(Library& library, const TemporaryFolder& folder, const std::string& name, const std::vector<std::string>& kinds,
                 const fs::path& relative_to = {}) {
  Diagnostics diagnostics;
  const Document* document = library.load(name, kinds, diagnostics, {}, relative_to);
  CHECK((document == nullptr) == diagnostics.has_errors());
  const std::string found = document ? document->kind + " " + document->name + " at " + document->path.string() + "\n" : "";
  return folder.masked(found + render(diagnostics));
}

TEST_CASE("a name is looked for place by place, in the folder of its kind, then in the place itself") {
  const TemporaryFolder folder;
  folder.write("user/ops/a.yaml", "kind: ops\n");
  folder.write("lib/ops/a.yaml", "kind: ops\n");
  folder.write("lib/ops/b.yaml", "kind: ops\n");
  folder.write("lib/b.yaml", "kind: ops\n");
  folder.write("lib/c.json", "{\"kind\": \"ops\", \"name\": \"c\"}\n");
  folder.write("lib/models/blocks/d.yaml", "kind: blocks\nblocks: {}\n");
  folder.write("lib/accounting/deep/e.yaml", "kind: accounting\n");
  Library library({folder.path() / "none", folder.path() / "user", folder.path() / "lib"});
  CHECK(load(library, folder, "a", {"ops"}) == "ops a at DIR/user/ops/a.yaml\n");
  CHECK(load(library, folder, "b", {"ops"}) == "ops b at DIR/lib/ops/b.yaml\n");
  CHECK(load(library, folder, "c", {"ops"}) == "ops c at DIR/lib/c.json\n");
  CHECK(load(library, folder, "d", {"ops", "blocks"}) == "blocks d at DIR/lib/models/blocks/d.yaml\n");
  CHECK(load(library, folder, "deep/e", {"accounting"}) == "accounting e at DIR/lib/accounting/deep/e.yaml\n");
  CHECK(load(library, folder, "a.yaml", {"ops"}) == "ops a at DIR/user/ops/a.yaml\n");
  CHECK(load(library, folder, (folder.path() / "lib/ops/a.yaml").string(), {"ops"}) == "ops a at DIR/lib/ops/a.yaml\n");
  CHECK(library.search_path().size() == 3);
}

TEST_CASE("names of a kind") {
  const TemporaryFolder folder;
  folder.write("user/models/b.yaml", "");
  folder.write("lib/models/a.yml", "");
  folder.write("lib/models/b.yaml", "");
  folder.write("lib/models/blocks/c.yaml", "");
  folder.write("lib/models/family/d.json", "");
  folder.write("lib/models/readme.txt", "");
  const Library library({folder.path() / "user", folder.path() / "lib"});
  CHECK(library.names("model") == std::vector<std::string>{"a", "b", "family/d"});
  CHECK(library.names("blocks") == std::vector<std::string>{"c"});
  CHECK(library.names("ops").empty());
  CHECK(library.names("nonsense").empty());
}

TEST_CASE("documents that are not found") {
  const TemporaryFolder folder;
  folder.write("ops/linear.yaml", "kind: ops\n");
  folder.write("rules/wide.yaml", "kind: rules\n");
  Library library({folder.path()});
  CHECK(load(library, folder, "liner", {"ops"}) ==
        "error: there is no document of kind `ops` named `liner` (did you mean `linear`?)\n  note: searched `DIR`\n");
  CHECK(load(library, folder, "zzz", {"ops", "blocks"}) ==
        "error: there is no document of kind `ops` or `blocks` named `zzz`; known names: `linear`\n  note: searched `DIR`\n");
  CHECK(load(library, folder, "wide", {"ops"}) ==
        "error: there is no document of kind `ops` named `wide` (there is one of kind `rules`)\n  note: searched `DIR`\n");
  CHECK(load(library, folder, "none/x.yaml", {"ops"}) == "error: there is no file `none/x.yaml`\n  note: searched `DIR`\n");
  CHECK(load(library, folder, "", {"ops"}) == "error: this is no name of a document\n");
  CHECK(load(library, folder, "a\nb", {"ops"}) == "error: this is no name of a document\n");
  CHECK(load(library, folder, (folder.path() / "ops").string() + "/", {"ops"}) == "error: `DIR/ops/` is a folder, not a file\n");
  Library empty({});
  CHECK(load(empty, folder, "linear", {"ops"}) == "error: there is no document of kind `ops` named `linear`\n  note: the search path is empty\n");
}

TEST_CASE("documents that can't be used") {
  const TemporaryFolder folder;
  folder.write("lib/rules/r.yaml", "");
  Library library({folder.path() / "lib"});
  const auto message = [&](const std::string& file, const std::string& text) { return load(library, folder, folder.write(file, text).string(), {"ops"}); };
  CHECK(message("a.yaml", "[1]\n") == "DIR/a.yaml:1:1: error: a document is a mapping, and this is a list\n  [1]\n  ^\n");
  CHECK(message("b.yaml", "name: b\n") ==
        "DIR/b.yaml:1:1: error: this document doesn't say its `kind`: `ops`, `order`, `blocks`, `model`, `rules`, `system`, `execution`, `stack`, "
        "`accounting`, `search`, `plan`, `changes`, "
        "`validation`, `accuracy`, `measurements`, `import`\n  "
        "name: b\n  ^\n");
  CHECK(
      message("c.yaml", "kind: opps\n") ==
      "DIR/c.yaml:1:7: error: `opps` is no kind of document (did you mean `ops`?): `ops`, `order`, `blocks`, `model`, `rules`, `system`, `execution`, `stack`, "
      "`accounting`, "
      "`search`, `plan`, `changes`, `validation`, `accuracy`, `measurements`, `import`\n  kind: opps\n        ^\n");
  CHECK(message("d.yaml", "kind: [ops]\n").find("DIR/d.yaml:1:7: error: a list is no kind of document: `ops`") == 0);
  CHECK(message("e.yaml", "kind: rules\n") ==
        "DIR/e.yaml:1:7: error: `DIR/e.yaml` is a document of kind `rules`, and a document of kind `ops` is wanted\n  kind: rules\n        ^\n");
  CHECK(message("f.yaml", "kind: ops\nname: g\n") ==
        "ops g at DIR/f.yaml\nDIR/f.yaml:2:7: warning: the name `g` differs from the file's, `f`\n  name: g\n        ^\n");
  CHECK(message("lib/ops/g.yaml", "kind: ops\nname: h\n") ==
        "DIR/lib/ops/g.yaml:2:7: error: the name `h` differs from the file's, `g`\n  name: h\n        ^\n");
  CHECK(message("i.yaml", "kind: ops\nops: 3\n") == "DIR/i.yaml:2:6: error: expected a mapping for `ops`, found a number\n  ops: 3\n       ^\n");
  CHECK(message("j.yaml", "kind: ops\nkind: ops\n").find("DIR/j.yaml:2:1: error: key `kind` is here twice\n") == 0);
  CHECK(message("k.yaml", "kind: ops\nname: [k]\n") == "DIR/k.yaml:2:7: error: expected text for `name`, found a list\n  name: [k]\n        ^\n");
}

TEST_CASE("a document of the wrong kind is reported at its reference") {
  const TemporaryFolder folder;
  folder.write("rules/r.yaml", "kind: ops\n");
  Library library({folder.path()});
  const auto source = std::make_shared<const SourceFile>(SourceFile{"run.yaml", "rules: r\n"});
  Diagnostics diagnostics;
  CHECK(library.load("r", {"rules"}, diagnostics, Span{source, 1, 8}) == nullptr);
  CHECK(folder.masked(render(diagnostics)) ==
        "run.yaml:1:8: error: `r` is a document of kind `ops`, and a document of kind `rules` is wanted\n  rules: r\n         ^\n"
        "  DIR/rules/r.yaml:1:7: note: its kind is given here\n    kind: ops\n          ^\n");
}

TEST_CASE("a file is read once, and its messages are given to everyone who asks") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a.yaml", "kind: ops\n");
  const fs::path bad = folder.write("bad.yaml", "kind: ops\nx\n");
  Library library({});
  Diagnostics diagnostics;
  const Document* first = library.load(file.string(), {"ops"}, diagnostics);
  REQUIRE(first);
  folder.write("a.yaml", "kind: rules\n");
  CHECK(library.load(file.string(), {"ops"}, diagnostics) == first);
  CHECK_FALSE(diagnostics.has_errors());
  const std::string once = load(library, folder, bad.string(), {"ops"});
  CHECK(once.find("DIR/bad.yaml:2:1: error: a `: ` is missing after this key\n") == 0);
  CHECK(load(library, folder, bad.string(), {"ops"}) == once);
}

TEST_CASE("a document that is in no file") {
  const TemporaryFolder folder;
  folder.write("lib/rules/shared.yaml", "kind: rules\nname: other\n");
  folder.write("own/beside.yaml", "kind: rules\nname: beside\n");
  Library library({folder.path() / "lib"});
  Diagnostics diagnostics;
  const auto mapping = [](const char* kind) { return Datum::map({{Datum::scalar("kind", false, {}), Datum::scalar(kind, false, {})}}, {}); };
  CHECK(library.provide("a", folder.path() / "own" / "x.yaml", mapping("nonsense"), diagnostics) == nullptr);
  CHECK(library.provide("a", folder.path() / "own" / "x.yaml", mapping("model"), diagnostics) == nullptr);  // A model needs a graph.
  CHECK(diagnostics.errors() == 2);
  const Document* provided = library.provide("shared", folder.path() / "own" / "x.yaml", mapping("rules"), diagnostics);
  REQUIRE(provided != nullptr);
  CHECK(load(library, folder, "shared", {"rules"}) == "rules shared at DIR/own/x.yaml#shared\n");
  CHECK(load(library, folder, "shared", {"ops"}).find("is a document of kind `rules`") != std::string::npos);
  CHECK(load(library, folder, "beside", {"rules"}, provided->path) == "rules beside at DIR/own/beside.yaml\n");
  folder.write("own/mixer.yaml", "kind: rules\n");
  CHECK(load(library, folder, "mixer", {"ops"}, provided->path).find("is a document of kind `rules`") != std::string::npos);
  folder.write("lib/ops/mixer.yaml", "kind: ops\n");
  CHECK(load(library, folder, "mixer", {"ops"}, provided->path) == "ops mixer at DIR/lib/ops/mixer.yaml\n");
  folder.write("lib/ops/shared.yaml", "kind: ops\n");
  CHECK(load(library, folder, "shared", {"ops"}, provided->path) == "ops shared at DIR/lib/ops/shared.yaml\n");
  CHECK(library.provide("shared", folder.path(), mapping("execution"), diagnostics) == provided);
}

TEST_CASE("what a document may name") {
  const TemporaryFolder folder;
  folder.write("lib/ops/shared.yaml", "kind: ops\n");
  folder.write("own/below/b.yaml", "kind: ops\n");
  folder.write("own/beside.yaml", "kind: ops\n");
  folder.write("own/shared.yaml", "kind: ops\n");
  folder.write("secret.yaml", "kind: ops\n");
  fs::create_symlink(folder.path() / "secret.yaml", folder.path() / "own/link.yaml");
  const fs::path own = folder.path() / "own/a.yaml";
  Library library({folder.path() / "lib"});
  const auto named = [&](const std::string& name) { return load(library, folder, name, {"ops"}, own); };
  const auto refused = [](const std::string& name) {
    return "error: `" + name + "` is out of reach: a document may name only files below its own folder and on the search path\n";
  };
  CHECK(named("beside.yaml") == "ops beside at DIR/own/beside.yaml\n");
  CHECK(named("beside") == "ops beside at DIR/own/beside.yaml\n");
  CHECK(named("below/b.yaml") == "ops b at DIR/own/below/b.yaml\n");
  CHECK(named("./below/../beside.yaml") == "ops beside at DIR/own/beside.yaml\n");
  CHECK(named("shared") == "ops shared at DIR/own/shared.yaml\n");
  CHECK(named("../lib/ops/shared.yaml") == "ops shared at DIR/lib/ops/shared.yaml\n");
  CHECK(named((folder.path() / "lib/ops/shared.yaml").string()) == "ops shared at DIR/lib/ops/shared.yaml\n");
  CHECK(named("../secret.yaml") == refused("../secret.yaml"));
  CHECK(named("../none.yaml") == refused("../none.yaml"));
  CHECK(named("link.yaml") == refused("link.yaml"));
  CHECK(named("/etc/passwd") == refused("/etc/passwd"));
  CHECK(load(library, folder, (folder.path() / "own/../secret.yaml").string(), {"ops"}) == "ops secret at DIR/secret.yaml\n");
}

std::string closure(Library& library, const TemporaryFolder& folder, const fs::path& root, const std::vector<std::string>& kinds) {
  Diagnostics diagnostics;
  const Document* document = library.load(root.string(), {}, diagnostics);
  REQUIRE(document);
  std::string result;
  for (const Document* d : library.closure(*document, {"uses", "extends"}, kinds, diagnostics)) result += d->name + " ";
  return folder.masked(result + render(diagnostics));
}

TEST_CASE("closure: dependencies first, each once") {
  const TemporaryFolder folder;
  folder.write("ops/d.yaml", "kind: ops\n");
  folder.write("ops/c.yaml", "{kind: ops, uses: d}\n");
  folder.write("ops/b.yaml", "{kind: ops, uses: [d, c]}\n");
  const fs::path root = folder.write("ops/a.yaml", "{kind: ops, extends: [b], uses: [c, d]}\n");
  Library library({folder.path()});
  CHECK(closure(library, folder, root, {"ops"}) == "d c b a ");
}

TEST_CASE("closure: a name never means the document itself") {
  const TemporaryFolder folder;
  folder.write("ops/attention.yaml", "kind: ops\n");
  const fs::path root = folder.write("models/blocks/attention.yaml", "{kind: blocks, uses: attention, blocks: {}}\n");
  Library library({folder.path()});
  CHECK(closure(library, folder, root, {"blocks", "ops"}) == "attention attention ");
}

TEST_CASE("closure: a circle is shown") {
  const TemporaryFolder folder;
  const fs::path root = folder.write("a.yaml", "kind: ops\nuses: b.yaml\n");
  folder.write("b.yaml", "kind: ops\nextends: [c.yaml]\n");
  folder.write("c.yaml", "kind: ops\nuses: b.yaml\n");
  const fs::path self = folder.write("self.yaml", "kind: ops\nuses: ./self.yaml\n");
  Library library({});
  CHECK(closure(library, folder, root, {"ops"}) ==
        "c b a DIR/c.yaml:2:7: error: documents name each other in a circle: b.yaml -> c.yaml -> b.yaml\n  uses: b.yaml\n        ^\n");
  CHECK(closure(library, folder, self, {"ops"}) ==
        "self DIR/self.yaml:2:7: error: documents name each other in a circle: self.yaml -> self.yaml\n  uses: ./self.yaml\n        ^\n");
}

TEST_CASE("closure: what is missing is reported where it is named, and the rest is loaded") {
  const TemporaryFolder folder;
  const fs::path root = folder.write("a.yaml", "kind: ops\nuses: [none, b.yaml, ../c.yaml]\n");
  folder.write("b.yaml", "kind: ops\n");
  Library library({});
  CHECK(closure(library, folder, root, {"ops"}) ==
        "b a DIR/a.yaml:2:8: error: there is no document of kind `ops` named `none`\n  uses: [none, b.yaml, ../c.yaml]\n         ^\n"
        "  note: searched the folder of this document\n"
        "DIR/a.yaml:2:22: error: `../c.yaml` is out of reach: a document may name only files below its own folder and on the search path\n"
        "  uses: [none, b.yaml, ../c.yaml]\n                       ^\n");
}

TEST_CASE("closure: too many documents") {
  const TemporaryFolder folder;
  const std::size_t last = kMaxIncludes + 1;
  for (std::size_t i = 0; i < last; ++i) folder.write("d" + std::to_string(i) + ".yaml", "kind: ops\nuses: d" + std::to_string(i + 1) + ".yaml\n");
  folder.write("d" + std::to_string(last) + ".yaml", "kind: ops\n");
  Library library({});
  Diagnostics diagnostics;
  const Document* root = library.load((folder.path() / "d0.yaml").string(), {"ops"}, diagnostics);
  REQUIRE(root);
  CHECK(library.closure(*root, {"uses"}, {"ops"}, diagnostics).size() == last);
  CHECK(folder.masked(render(diagnostics)) ==
        "DIR/d1024.yaml:2:7: error: too many documents: one document includes at most 1024\n  uses: d1025.yaml\n        ^\n");
}

TEST_CASE("the default search path: the user's folders first, then the library") {
  const auto set = [](const char* name, const char* value) { value ? ::setenv(name, value, 1) : ::unsetenv(name); };
  const std::string old_home = std::getenv("HOME") ? std::getenv("HOME") : "";
  set("OPLEDGER_PATH", "/a:: /b ");
  set("XDG_CONFIG_HOME", "/config");
  std::vector<fs::path> path = default_search_path();
  REQUIRE(path.size() == 4);
  CHECK(path[0] == "/a");
  CHECK(path[1] == "/b");
  CHECK(path[2] == "/config/opledger");
  CHECK(fs::equivalent(path[3], source_folder()));
  set("OPLEDGER_PATH", nullptr);
  set("XDG_CONFIG_HOME", nullptr);
  set("HOME", "/home/someone");
  path = default_search_path();
  REQUIRE(path.size() == 2);
  CHECK(path[0] == "/home/someone/.config/opledger");
  set("HOME", old_home.c_str());
}

}  // namespace
}  // namespace opledger
