#include <algorithm>
#include <iostream>
#include <set>

#include "schemas/yaml_text.h"
#include "tests/import/launched.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The launch scripts have other owners and are not part of this tree.
const fs::path kLaunchReference = fs::path(source_folder()).parent_path() / "shared" / "reference" / "launch" / "examples";
const std::string kExpectedSuffix = ".expected.json";

/// Returns the format for a file: from the expected values, or by the suffix.
std::string format_of(const fs::path& file, const Datum& expected) {
  if (const Datum* form = expected.find("form")) return form->text();
  return file.extension() == ".toml" ? "torchtitan" : file.extension() == ".json" ? "deepspeed" : "megatron";
}

std::set<std::string> all_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

double number_of(const Datum& expected, const char* key) {
  const Datum* value = expected.find(key);
  return value != nullptr ? *value->number() : 0;
}

/// Returns whether two texts are equal, or equal as quantities: `100 MB` and `100000000 byte`.
bool same(const Datum& found, const Datum& expected) {
  if (yaml_flow(found) == yaml_flow(expected) || found.text() == expected.text()) return true;
  const auto has_digit = [](const Datum& value) { return !value.text().empty() && std::isdigit(static_cast<unsigned char>(value.text()[0])) != 0; };
  return has_digit(found) && has_digit(expected) && worked(found.text()) == worked(expected.text());
}

void check_messages(const char* key, const Datum& expected, const Datum& run, const char* otherwise) {
  const Datum* expected_value = expected.find(key);
  const Datum* found = run.find(key);
  CHECK_MESSAGE((found != nullptr ? yaml_flow(*found) : otherwise) == (expected_value != nullptr ? yaml_flow(*expected_value) : otherwise), key);
}

void check_run(const Datum& expected, const Datum& run) {
  check_messages("mesh", expected, run, "");
  check_messages("batch_size", expected, run, "");
  check_messages("microbatch_size", expected, run, "1");
  check_messages("chunks", expected, run, "1");
  check_messages("sequence_parallel", expected, run, "false");
  check_messages("gradient_norm", expected, run, "false");
  check_messages("optimizer", expected, run, "adamw");
  for (const auto& [key, value] : expected.find("execution_inputs")->entries()) {
    const Datum* found = run.find(key.text());
    CHECK_MESSAGE(found != nullptr, key.text());
    if (found != nullptr) CHECK_MESSAGE(same(*found, value), key.text(), ": ", yaml_flow(*found));
  }
  std::set<std::string> rules = all_of(run.texts("rules"));
  rules.erase("dispatch_once");  // The rule was added after the expected values were written.
  CHECK(rules == all_of(expected.texts("rules")));
}

}  // namespace

TEST_CASE("launch: every example of the reference becomes what it must") {
  if (!fs::exists(kLaunchReference)) {
    std::cout << "skipped: there is no reference data; it belongs in ../shared/reference\n";
    return;
  }
  Library library({source_folder()});
  const std::vector<std::string> formats = launch_formats(library);
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(kLaunchReference)) {
    const fs::path file = entry.path();
    const fs::path expected_file = fs::path(file).replace_extension().string() + kExpectedSuffix;
    if (file.string().ends_with(kExpectedSuffix) || !fs::exists(expected_file)) continue;
    CAPTURE(file.filename().string());
    const Datum expected = datum(text_of(expected_file));
    const std::string format = format_of(file, expected);
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) continue;
    const Datum* with = expected.find("given_with_it");
    const Datum* base = with != nullptr ? with->find("model") : nullptr;
    const Settings settings = with != nullptr && with->find("world_size") != nullptr ? Settings{{"world_size", with->find("world_size")->text()}} : Settings();
    const Launched launched(format, file, settings, base != nullptr ? base->text() : "");
    REQUIRE_MESSAGE(!launched.diagnostics.has_errors(), render(launched.diagnostics));
    check_run(expected, launched.run);
    const std::unique_ptr<Run> run = launched.costs(base != nullptr ? base->text() : "");
    if (run == nullptr) continue;
    CHECK(value(*run, "iteration_time") > 0);
    if (expected.find("parameters") != nullptr) {
      const double corrected = number_of(expected, "parameters_with_corrections");
      const double parameters = corrected > 0 ? corrected : number_of(expected, "parameters");
      const double total = value(*run, "parameters_total");
      CHECK((total == parameters || total == parameters + number_of(expected, "parameters_of_further_tokens")));
    }
    ++compared;
  }
  CHECK(compared >= 11);
}

}  // namespace opledger
