#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "import/launch.h"
#include "tests/import/imported_config.h"
#include "tests/support/documents.h"

/// ImportedDocuments launch scripts and their runs.
namespace opledger {

struct Launched {
  Launched(const std::string& format, const std::filesystem::path& file, Settings settings, const std::string& base = "") {
    static const Library shipped = with_mappings();
    Library library = shipped;  // A library loads a limited number of documents, so each import gets a copy.
    ImportRequest request{file.string(), "launched"};
    request.execution = "run";
    request.settings = std::move(settings);
    request.base_model = base;
    imported = import_launch(format, request, library, diagnostics);
    if (diagnostics.has_errors()) return;
    run = datum(imported.execution);
    if (!imported.text.empty()) model = datum(imported.text);
  }

  /// Returns a run of the imported documents with a system; null after a failed check.
  std::unique_ptr<Run> costs(const std::string& base = "") const {
    static std::vector<Library> libraries;
    libraries.push_back(Library({source_folder()}));
    RunRequest request;
    request.model = model.is_null() ? base : folder.write("launched.yaml", imported.text).string();
    request.execution = folder.write("run.yaml", imported.execution).string();
    request.system = "h100-80g-sxm";
    Diagnostics said;
    std::unique_ptr<Run> out = Run::prepare(request, libraries.back(), said);
    CHECK_MESSAGE(out, render(said), imported.text, imported.execution);
    return out;
  }

  /// Returns a library that has loaded all mappings.
  static Library with_mappings() {
    Library library({source_folder()});
    CHECK(launch_formats(library).size() >= 3);
    return library;
  }

  TemporaryFolder folder;
  Diagnostics diagnostics;
  ImportedDocuments imported;
  Datum run, model;  ///< The imported documents; null if absent.
};

}  // namespace opledger
