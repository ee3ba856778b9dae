#include <filesystem>

#include "base/text.h"
#include "measured/table_errors.h"
#include "schemas/document.h"
#include "tests/paths.h"
#include "tests/support/runs.h"

/// Measured serving compared with computed metrics (tests/data/serving/scored; scripts/score_serving.sh creates the
/// tables). Errors are relative errors of times.
namespace opledger {
namespace {

struct Scored {
  Diagnostics diagnostics;
  std::optional<EvaluatedTable> table;
  std::optional<TableErrors> errors;

  Scored(const std::string& name, const std::string& metric, const std::string& column, const std::vector<std::string>& by) {
    const std::filesystem::path folder = std::filesystem::path(source_folder()) / "tests/data/serving/scored";
    Library library({folder, source_folder()});
    const auto source = read_source((folder / (name + ".csv")).string(), diagnostics);
    REQUIRE(source);
    const std::optional<Csv> csv = parse_csv(source, diagnostics);
    REQUIRE(csv);
    const std::optional<MeasurementColumn> measured = MeasurementColumn::parse(metric, column, *csv, diagnostics);
    REQUIRE_MESSAGE(measured, render(diagnostics));
    table = evaluate_table(*csv, source, {}, library, diagnostics, false, non_run_columns({*measured}, by));
    REQUIRE_MESSAGE(table, render(diagnostics));
    errors = compare_measured(*table, {*measured}, by, diagnostics);
    REQUIRE_MESSAGE(errors, render(diagnostics));
  }

  const TableErrors::Group& group(const std::vector<std::string>& words) const {
    const auto found = std::find_if(errors->groups.begin(), errors->groups.end(), [&](const auto& g) { return g.words == words; });
    REQUIRE(found != errors->groups.end());
    return *found;
  }
  /// Returns the request of a row.
  RunRequest request(std::size_t row) const {
    RunRequest out;
    out.model = cell(row, "model");
    out.execution = cell(row, "execution");
    out.system = cell(row, "system");
    for (const char* key : {"stack", "tp", "prompt", "output", "clients", "mtp", "ep"}) {
      if (!cell(row, key).empty()) out.overrides.emplace_back(key, cell(row, key));
    }
    return out;
  }

  const TableErrors::Group& all() const { return errors->groups.back(); }

  const std::string& cell(std::size_t row, const std::string& column) const {
    const auto& columns = table->rows.columns;
    const auto at = std::find(columns.begin(), columns.end(), column);
    REQUIRE_MESSAGE(at != columns.end(), column);
    return table->rows.rows[row].cells[static_cast<std::size_t>(at - columns.begin())];
  }
};

}  // namespace

TEST_CASE("served: one sequence at a time under gpt-fast") {
  const Scored decode("decode", "step_time", "ms:ms", {"weights"});
  CHECK(decode.all().errors.rows == 31);
  CHECK(decode.all().without == 0);
  CHECK(*decode.all().errors.mean <= 0.08);
}

TEST_CASE("served: batches under TensorRT-LLM of 2023") {
  const Scored batches("static", "batch_time", "seconds:s", {"system"});
  CHECK(batches.group({"h100-80g-sxm"}).errors.rows == 13);
  CHECK(batches.all().without == 0);
  CHECK(*batches.group({"h100-80g-sxm"}).errors.mean <= 0.12);
  CHECK(*batches.group({"l40s-48g"}).errors.mean <= 0.12);
}

TEST_CASE("served: continuous batching under vLLM and TensorRT-LLM, weights in 8 bits") {
  const Scored served("served", "tpot", "tpot_ms:ms", {"weights"});
  const TableErrors::Group& eight_bits = served.group({"fp8"});
  CHECK(eight_bits.errors.rows == 184);
  CHECK(served.all().without == 0);
  CHECK(*eight_bits.errors.mean <= 0.12);
  CHECK(std::abs(*eight_bits.errors.signed_mean) <= 0.08);
}

TEST_CASE("served: families that no constant was fitted to are not further off than the bounds of all") {
  const Scored served("served", "tpot", "tpot_ms:ms", {"stack", "model", "system", "weights"});
  CHECK(*served.group({"trtllm", "llama-3-70b", "h200-141g-sxm", "fp8"}).errors.mean <= 0.12);          // Fitted on gpt-oss 120B.
  CHECK(*served.group({"vllm-0.11", "llama-3-70b", "h100-80g-sxm", "fp8"}).errors.mean <= 0.12);        // Fitted on Llama 3.1 70B on H200.
  CHECK(*served.group({"vllm", "gpt-oss-120b", "h100-80g-sxm", "mxfp4 experts"}).errors.mean <= 0.09);  // Fitted on gpt-oss 120B on H200.
}

TEST_CASE("served: under so many clients as many sequences decode as can, and the program of one row, alone, gives the same") {
  const Scored served("served", "tpot", "tpot_ms:ms", {"weights"});
  Library library({std::filesystem::path(source_folder()) / "tests/data/serving/scored", source_folder()});
  for (std::size_t r = 0; r < served.table->rows.rows.size(); r += 15) {
    const double found = std::stod(served.cell(r, "sequences_decoding"));
    for (const double more : {0.0, 1e-6}) {
      RunRequest request = served.request(r);
      request.overrides.emplace_back("decoding", exact(found * (1 + more)));
      Diagnostics diagnostics;
      const auto run = Run::prepare(request, library, diagnostics);
      REQUIRE_MESSAGE(run, render(diagnostics));
      CHECK_FALSE(run->solved());
      CHECK_MESSAGE(run->violations(diagnostics).empty() == (more == 0), r);
    }
  }
  for (std::size_t r = 0; r < served.table->rows.rows.size(); r += 40) {
    Diagnostics diagnostics;
    const auto run = Run::prepare(served.request(r), library, diagnostics);
    REQUIRE_MESSAGE(run, render(diagnostics));
    REQUIRE(run->solved());
    CHECK(run->solved()->name == "decoding");
    for (const char* metric : {"sequences_decoding", "tpot", "ttft", "memory"})
      CHECK(exact(run->value(metric, diagnostics)->scalar.value) == served.cell(r, metric));
  }
}

}  // namespace opledger
