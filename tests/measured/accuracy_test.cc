#include <doctest/doctest.h>

#include <algorithm>

#include "measured/accuracy.h"
#include "schemas/document.h"
#include "tests/paths.h"

namespace opledger {

TEST_CASE("measured/accuracy.yaml has the errors of all rows to which no constant was fitted") {
  Diagnostics diagnostics;
  Library library({source_folder() + "/tests/data/serving/scored", source_folder()});
  std::vector<const Document*> documents;
  for (const std::string& name : library.names("validation")) {
    if (name.starts_with("measured_")) documents.push_back(library.load(name, {"validation"}, diagnostics));
  }
  documents.push_back(library.load(source_folder() + "/tests/data/serving/scored/left_out.yaml", {"validation"}, diagnostics));
  REQUIRE(std::find(documents.begin(), documents.end(), nullptr) == documents.end());
  const auto groups = measured_accuracy(documents, library, diagnostics);
  REQUIRE_MESSAGE(groups, render(diagnostics));
  CHECK(accuracy_document(*groups) == read_unchecked(source_folder() + "/measured/accuracy.yaml", diagnostics)->text);
}

TEST_CASE("an expected error needs five measured runs of the same stack, machine and kind") {
  Diagnostics diagnostics;
  Library library({source_folder()});
  const auto error = [&](const char* stack, const char* system, const char* kind) { return expected_error(stack, system, kind, library, diagnostics); };
  CHECK(error("nemo", "h100-80g-sxm", "dense") == "error 1.0 % in 7 measured runs");
  CHECK(error("nemo", "h100-80g-sxm", "experts, 8 bits") == "no measured error for this kind");  // Four rows.
  CHECK(error("nemo", "a100-80g-sxm", "dense") == "no measured error for this kind");
  CHECK(!diagnostics.has_errors());
}

}  // namespace opledger
