#pragma once
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

#include "search/space/space_reader.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {

/// A space and an accounting, both given as texts and written to files of one folder.
struct WrittenSpace {
  /// `request`: model, system and overrides of the run. `accounting`: name and text of the file.
  WrittenSpace(const std::string& text, const std::pair<std::string, std::string>& accounting, RunRequest request = {}) : library({source_folder()}) {
    folder.write(accounting.first, accounting.second);
    request.space = folder.write("space.yaml", text).string();
    space = read_space(request, library, diagnostics);
    REQUIRE_MESSAGE(space, render(diagnostics));
  }

  TemporaryFolder folder;
  Library library;
  Diagnostics diagnostics;
  std::optional<Space> space;
};

}  // namespace opledger
