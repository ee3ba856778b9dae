#include "import/module_list.h"

#include <doctest/doctest.h>

#include "tests/support/documents.h"

namespace opledger {
namespace {

std::vector<Datum> entries(const std::vector<std::string>& texts) {
  std::vector<Datum> out;
  for (const std::string& text : texts) out.push_back(Datum::scalar(text, true, {}));
  return out;
}

}  // namespace

TEST_CASE("module_list: an entry names a module by any of its parts that follow each other, whole ones") {
  struct {
    const char *entry, *module;
    bool names;
  } const cases[] = {
      {"lm_head", "lm_head", true},
      {"gate", "model.layers.0.mlp.gate", true},
      {"gate", "model.layers.0.mlp.gate_proj", false},
      {"mlp.gate", "model.layers.0.mlp.gate", true},
      {"model.layers.0", "model.layers.0.mlp.gate", true},
      {"model.layers.1", "model.layers.10.mlp.gate", false},
      {"model.layers.*.self_attn", "model.layers.3.self_attn.q_proj", true},
      {"model.layers.3.self_attn*", "model.layers.3.self_attn.q_proj", true},
      {"*router*", "model.layers.3.mlp.router", true},
      {"re:.*mlp.gate$", "model.layers.3.mlp.gate", true},
      {"re:mlp", "model.layers.3.mlp.gate", false},
      {"Linear", "model.Linear", false},
      {"model.layers.1.", "model.layers.1.mlp.gate", true},  // A final full stop matches the modules inside.
      {"model.layers.1.", "model.layers.10.mlp.gate", false},
      {"self_attn.", "model.layers.1.self_attn.q_proj", true},
      {"q_proj.", "model.layers.1.self_attn.q_proj", false},
      {"lm_head.", "lm_head", false},
  };
  for (const auto& [entry, module, names] : cases) {
    CAPTURE(entry);
    Diagnostics diagnostics;
    ModuleList list(entries({entry}), {"Linear"}, diagnostics);
    std::size_t steps = 1'000;
    CHECK(list.matches_any({module}, steps) == names);
    CHECK(messages(diagnostics) == "");
  }
}

TEST_CASE("module_list: entries that named nothing are idle, those that are said twice and classes are not") {
  Diagnostics diagnostics;
  ModuleList list(entries({"lm_head", "lm_head", "Linear", "visual", "re:.*router", "*.norm"}), {"Linear", "Embedding"}, diagnostics);
  CHECK(list.classes() == std::set<std::string>{"Linear"});
  std::size_t steps = 1'000;
  CHECK(list.matches_any({"language_model.lm_head", "lm_head"}, steps));
  std::vector<std::string> unused;
  for (const Datum& entry : list.unused()) unused.push_back(entry.text());
  CHECK(unused == std::vector<std::string>{"visual", "re:.*router", "*.norm"});
}

TEST_CASE("module_list: patterns take steps, names by themselves none") {
  Diagnostics diagnostics;
  ModuleList list(entries({"*.norm", "lm_head", "re:.*head"}), {}, diagnostics);
  std::size_t steps = 0;
  CHECK(list.matches_any({"lm_head"}, steps));
  CHECK_FALSE(list.matches_any({"model.head"}, steps));
  steps = 100;
  CHECK(list.matches_any({"model.head"}, steps));
  CHECK(steps < 100);
}

TEST_CASE("module_list: an entry must be a name") {
  Diagnostics diagnostics;
  ModuleList({Datum::list({}, {}), Datum::null({})}, {}, diagnostics);
  CHECK(messages(diagnostics).find("expected the name of a module, found a list") != std::string::npos);
  CHECK(messages(diagnostics).find("expected the name of a module, found nothing") != std::string::npos);
}

}  // namespace opledger
