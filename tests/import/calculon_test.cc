#include "import/calculon.h"

#include <algorithm>
#include <filesystem>

#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"
#include "tests/support/case_file.h"
#include "tests/support/runs.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = source_folder();
/// Returns a folder with the files that the cases of tests/cli/output import.
const fs::path& documents() {
  struct LaidOut {
    TemporaryFolder folder;
    LaidOut() {
      for (const char* name : {"import_model", "import_execution", "import_execution_odd", "import_system"})
        read_case(kSource / "tests" / "cli" / "output" / (std::string(name) + ".case")).lay_out(folder.path());
    }
  };
  static const LaidOut all;
  return all.folder.path();
}
// The originals have other owners and are not part of this tree.
const fs::path kOriginals = kSource.parent_path() / "shared" / "reference" / "calculon" / "inputs";

std::string imported(const fs::path& original) {
  Diagnostics diagnostics;
  const std::string text = import_calculon({original.string(), original.stem().string(), ""}, shipped(), diagnostics).text;
  REQUIRE_MESSAGE(!diagnostics.has_errors(), render(diagnostics));
  return text;
}

/// Returns metrics and violations of a run, one line each.
std::string figures(const std::string& model, const std::string& execution, const std::string& system, Library& library) {
  RunRequest request;
  request.model = model, request.execution = execution, request.system = system, request.accounting = "calculon";
  Diagnostics diagnostics;
  const auto run = Run::prepare(request, library, diagnostics);
  REQUIRE_MESSAGE(run, render(diagnostics));
  std::string out;
  for (const Violation& violation : run->violations(diagnostics)) out += violation.message + "\n";
  for (const Published& published : run->program().published) {
    const auto value = run->value(published.name, diagnostics);
    REQUIRE_MESSAGE(value, published.name, "\n", render(diagnostics));
    out += published.name + " " + (value->is_number() ? exact(value->scalar.value) : human(*value)) + "\n";
  }
  return out;
}

struct Originals {
  fs::path model, execution, system;
};

/// Checks that the original and the imported documents give the same metrics, and that the other accounting runs,
/// too.
void check_same(const Originals& originals) {
  Library library({source_folder()});
  const TemporaryFolder folder;
  std::vector<std::string> written;
  for (const fs::path& original : {originals.model, originals.execution, originals.system})
    written.push_back(folder.write(original.stem().string() + ".yaml", imported(original)).string());
  const std::string before = figures(originals.model.string(), originals.execution.string(), originals.system.string(), library);
  CHECK(std::count(before.begin(), before.end(), '\n') >= 90);
  CHECK(before == figures(written[0], written[1], written[2], library));
  const auto run = prepare(written[0], written[1], written[2]);
  CHECK(value(*run, "iteration_time") > 0);
  CHECK(render(said()) == "");
}

}  // namespace

TEST_CASE("calculon: imported documents give the figures of the originals") {
  const fs::path model = documents() / "small.json", system = documents() / "box.json";
  check_same({model, documents() / "run.json", system});
}

TEST_CASE("calculon: a run that it refuses is refused after the import too") {
  const fs::path model = documents() / "small.json", system = documents() / "box.json";
  Library library({source_folder()});
  const TemporaryFolder folder;
  const fs::path odd = documents() / "1e3.json";
  const std::string written = folder.write("1e3.yaml", imported(odd)).string();
  Diagnostics diagnostics;
  for (const std::string& execution : {odd.string(), written}) {
    RunRequest request;
    request.model = model.string(), request.execution = execution, request.system = system.string(), request.accounting = "calculon";
    const auto run = Run::prepare(request, library, diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    CHECK(!run->violations(diagnostics).empty());
  }
}

TEST_CASE("calculon: the shipped models have the parameters that it counts") {
  struct Count {
    const char* model;
    double parameters, hidden;
  };
  const Count counts[] = {{"anthropic-52B", 52032962560, 8192}, {"chinchilla", 64869236736, 8192},     {"gopher-280B", 258587492352, 16384},
                          {"gpt3-13B", 12941325120, 5140},      {"gpt3-175B", 174615822336, 12288},    {"lamda", 103525908480, 8192},
                          {"megatron-126M", 125948928, 768},    {"megatron-1T", 1008038707200, 25600}, {"megatron-22B", 22074261504, 6144},
                          {"megatron-40B", 39096025088, 8192},  {"megatron-5B", 5051219968, 4096},     {"palm-540B", 428625248256, 18432},
                          {"turing-530B", 529600778240, 20480}};
  for (const auto& [model, count, hidden] : counts) {
    RunRequest request;
    request.model = std::string("calculon/") + model, request.accounting = "calculon";
    Diagnostics diagnostics;
    const auto run = Run::prepare(request, shipped(), diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    CHECK_MESSAGE(value(*run, "parameters") == count, model);
    // The import leaves out only the final norm.
    const auto own = prepare(request.model);
    CHECK_MESSAGE(value(*own, "parameters_total") == count + 2 * hidden, model);
  }
}

TEST_CASE("calculon: the shipped documents are what an import of the originals gives") {
  if (!fs::exists(kOriginals)) {
    MESSAGE("skipped: the original documents are missing; they belong in ", kOriginals.string());
    return;
  }
  int compared = 0;
  for (const char* group : {"models", "systems"}) {
    for (const auto& entry : fs::directory_iterator(kOriginals / group)) {
      const fs::path shipped_as = kSource / group / "calculon" / entry.path().filename().replace_extension(".yaml");
      if (!fs::exists(shipped_as)) continue;
      CHECK(imported(entry.path()) == text_of(shipped_as));
      ++compared;
    }
  }
  CHECK(compared == 16);
}

TEST_CASE("calculon: the originals' executions give the same figures imported") {
  if (!fs::exists(kOriginals)) {
    MESSAGE("skipped: the original documents are missing; they belong in ", kOriginals.string());
    return;
  }
  const fs::path runs = kOriginals / "validation" / "seqsel" / "fig7";
  for (const char* run : {"megatron-22B_sel", "turing-530B_full", "megatron-1T_seqsel"}) {
    const std::string name = run;
    check_same({kOriginals / "models" / (name.substr(0, name.find('_')) + ".json"), runs / (name + ".json"), kOriginals / "systems" / "a100_80e.json"});
  }
}

}  // namespace opledger
