/// Mutated documents of other tools. Each is refused with a message, or becomes a document that loads and has
/// figures. If an accounting reads the original, the figures are equal.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "import/calculon.h"
#include "import/hf.h"
#include "report/writers.h"
#include "schemas/document.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/tree.h"

namespace opledger::fuzz {
namespace {

constexpr const char* kOther = "calculon";  // tools whose documents an accounting of the same name reads directly

struct ImportedDocuments {
  std::string original;  ///< Documents by path.
  std::string name;
};

class Import {
 public:
  explicit Import(const std::string& text) : text_(text), library_(shipped_library()) {
    for (const std::string& part : parts_of(text)) {
      if (!add(part)) return;
    }
    if (by_role_.size() == 3) compare();
  }

 private:
  static std::optional<Datum> read(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
    std::optional<Datum> root = parse_document(std::make_shared<const SourceFile>(SourceFile{path, text}), diagnostics);
    return diagnostics.has_errors() ? std::nullopt : root;
  }

  /// Returns false if the document was refused.
  bool add(const std::string& part) {
    Diagnostics diagnostics;
    const std::string number = std::to_string(++parts_), path = "/fuzz/" + number + ".json";
    const std::optional<Datum> root = read(part, path, diagnostics);
    if (!root || library_.provide(path, path, *root, diagnostics) == nullptr) return refused(diagnostics);
    const bool config = root->find("model_type") != nullptr || root->find("text_config") != nullptr;
    ImportRequest request{path, "imported" + number};
    if (config && root->find("quantization_config") != nullptr) request.rules = "rules" + number;
    const opledger::ImportedDocuments imported = (config ? import_hf : import_calculon)(request, library_, diagnostics);
    const std::string& made = imported.text;
    if (diagnostics.has_errors()) return refused(diagnostics);
    require(!made.empty(), "nothing was imported, and no message", text_);
    const std::optional<Datum> document = read(made, "/fuzz/" + request.name + ".yaml", diagnostics);
    require(document.has_value(), "what was imported is no document", render(diagnostics) + made + text_);
    const Document* loaded = library_.provide(request.name, "/fuzz/" + request.name + ".yaml", *document, diagnostics);
    require(loaded != nullptr, "what was imported is no document", render(diagnostics) + made + text_);
    count(loaded->kind.c_str());
    if (!request.rules.empty()) check_rules(request.rules, imported.rules);
    by_role_[loaded->kind] = {path, request.name};
    if (loaded->kind == "model") evaluate(request.name, made);
    return true;
  }

  void check_rules(const std::string& name, const std::string& rules) {
    Diagnostics diagnostics;
    const std::optional<Datum> document = read(rules, "/fuzz/" + name + ".yaml", diagnostics);
    const bool good = document && library_.provide(name, "/fuzz/" + name + ".yaml", *document, diagnostics) != nullptr;
    require(good, "what was imported are no rules", render(diagnostics) + rules + text_);
    count("rules");
  }

  bool refused(const Diagnostics& diagnostics) {
    require_message(diagnostics, text_);
    return false;
  }

  void evaluate(const std::string& model, const std::string& made) {
    Diagnostics diagnostics;
    RunRequest request;
    request.model = model;
    const std::unique_ptr<Run> run = Run::prepare(request, library_, diagnostics);
    require(run != nullptr, "what was imported can't be built", render(diagnostics) + made + text_);
    const std::optional<Value> parameters = run->value("parameters_total", diagnostics);
    if (!parameters) return require_message(diagnostics, text_);
    require(parameters->scalar.value >= 0 && std::isfinite(parameters->scalar.value), "parameters", exact(parameters->scalar.value) + made + text_);
    const std::optional<Report> report = build_report(*run, {"params"}, diagnostics);
    if (!report) return require_message(diagnostics, text_);
    write(*report, Format::json);
  }

  /// Returns feasibility and every figure, one line each. A mesh gives more detailed reasons, so reasons are left
  /// out.
  std::string figures(const RunRequest& request) {
    Diagnostics diagnostics;
    const std::unique_ptr<Run> run = Run::prepare(request, library_, diagnostics);
    if (run == nullptr) {
      require_message(diagnostics, text_);
      return "errors";
    }
    std::string out = run->violations(diagnostics).empty() ? "feasible\n" : "infeasible\n";
    for (const Published& metric : run->program().published) {
      const std::optional<Value> value = run->value(metric.name, diagnostics);
      if (value && value->is_number()) require(std::isfinite(value->scalar.value), "no finite number", metric.name + text_);
      out += metric.name + " " + (!value ? "error" : value->is_number() ? exact(value->scalar.value) : human(*value)) + "\n";
    }
    return out;
  }

  void compare() {
    count("runs");
    RunRequest original, imported;
    original.accounting = imported.accounting = kOther;
    original.model = by_role_["model"].original, original.execution = by_role_["execution"].original, original.system = by_role_["system"].original;
    imported.model = by_role_["model"].name, imported.execution = by_role_["execution"].name, imported.system = by_role_["system"].name;
    const std::string expected = figures(original), found = figures(imported);
    require(found == expected, "other figures", found + "original\n" + expected + text_);
  }

  const std::string& text_;
  Library library_;
  std::size_t parts_ = 0;
  std::map<std::string, ImportedDocuments> by_role_;
};

}  // namespace
}  // namespace opledger::fuzz

OPLEDGER_MUTATES_DOCUMENTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  opledger::fuzz::Import(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
