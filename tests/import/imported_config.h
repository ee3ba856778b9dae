#pragma once
#include <map>

#include "accounting/graph_engine.h"
#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/linker.h"
#include "formulas/read/reader.h"
#include "import/foreign_document.h"
#include "import/hf.h"
#include "import/imported_model.h"
#include "tests/support/runs.h"

/// ImportedDocuments configs and the weights of their models.
namespace opledger {

/// Returns the value of an arithmetic text: `96*32 + 3*(2*32 + 4*32*32)`.
inline double worked(const std::string& arithmetic) {
  Diagnostics diagnostics;
  std::optional<Program> program = link_program(ProgramSources(graph_engine()), diagnostics);
  REQUIRE(program);
  const Formula* formula = Linker(*program, *program, diagnostics).link(parse_expression(arithmetic, {}, diagnostics), *program->global);
  REQUIRE_MESSAGE(formula != nullptr, render(diagnostics));
  return Evaluator(*program).ask(*formula).value.scalar.value;
}

/// A model imported from a config, with a run of it.
struct ImportedConfig {
  explicit ImportedConfig(const std::filesystem::path& config, const std::string& mapping = "") {
    Library library({source_folder()});
    Diagnostics diagnostics;
    text = import_hf({config.string(), "made", mapping}, library, diagnostics).text;
    messages = folder.masked(render(diagnostics));
    CHECK_MESSAGE(!diagnostics.has_errors(), messages);
    if (diagnostics.has_errors()) return;
    RunRequest request;
    request.model = folder.write("made.yaml", text).string();
    run = Run::prepare(request, library, diagnostics);
    CHECK_MESSAGE(run, render(diagnostics), text);
    read_tensors(config, library);
  }

  /// Returns the elements of each weight in all layers. A weight shared by several segments counts once.
  std::map<std::string, double> weights() {
    const Elements& all = run->evaluator().elements(kWeightSet);
    const Elements& segments = run->evaluator().elements(kSegmentSet);
    std::map<std::string, double> out;
    for (std::size_t i = 0; i < all.names.size(); ++i) {
      const auto segment = static_cast<std::size_t>(all.belongs.at(kSegmentSet)[i]);
      const bool shared = all.fields.at("shared")[i].scalar.value != 0;
      const double layers = shared ? 1 : segments.fields.at("layers")[segment].scalar.value;
      out[all.names[i]] = layers * all.fields.at("whole")[i].scalar.value;
    }
    return out;
  }

  /// Returns the elements of each checkpoint tensor by the mapping's key `tensors`. Checks that every weight is in a
  /// tensor. Of several names for a weight, between which a checkpoint decides, the first in alphabetical order counts.
  std::map<std::string, double> checkpoint() {
    std::map<std::string, double> out;
    for (const auto& [weight, elements] : weights()) {
      std::string holder;
      for (const auto& [tensor, patterns] : tensors) {
        const bool holds = std::any_of(patterns.begin(), patterns.end(), [&, w = &weight](const std::string& pattern) { return glob_match(pattern, *w); });
        if (!holds) continue;
        holder = tensor;
        break;
      }
      CHECK_MESSAGE(!holder.empty(), weight, " is in no tensor");
      out[holder] += elements;
    }
    return out;
  }

  TemporaryFolder folder;
  std::string text, messages;
  std::unique_ptr<Run> run;  ///< Run of the model; null after a failed check.
  std::map<std::string, std::vector<std::string>> tensors;

 private:
  /// Reads the tensors for this config from the mapping that the imported text names.
  void read_tensors(const std::filesystem::path& config, Library& library) {
    const std::size_t begin = text.find('`') + 1;
    Diagnostics diagnostics;
    const Document* document = library.load(text.substr(begin, text.find('`', begin) - begin), {"import"}, diagnostics);
    if (document == nullptr) return;  // The mapping belongs to the test and is not in the library.
    const auto mapping = load_mapping(*document, library, diagnostics);
    REQUIRE(mapping);
    const FamilyMapping family = read_family_mapping(*mapping);
    const Document* original = load_kindless(config.string(), library, diagnostics);
    const Datum* inner = original->root.find("text_config");
    const auto fields = read_config(inner != nullptr ? *inner : original->root, family.config, diagnostics);
    REQUIRE(fields);
    ProgramSources sources(graph_engine());
    sources.documents = {&family.config.declarations};
    sources.execution = fields->present;
    auto program = link_program(sources, diagnostics);
    REQUIRE(program);
    Evaluator evaluator(*program);
    const auto model = link_imported_model(family, *program, diagnostics);
    REQUIRE(model);
    for (const LinkedModel::Tensor& tensor : model->tensors) {
      if (tensor.when == nullptr || evaluator.ask(*tensor.when).value.scalar.value != 0) tensors[tensor.name] = tensor.patterns;
    }
  }
};

}  // namespace opledger
