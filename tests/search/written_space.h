#pragma once
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

#include "search/space/space_reader.h"
#include "tests/paths.h"
#include "tests/schemas/temporary_folder.h"

namespace opledger {

/// A space of one's own, with an accounting of one's own beside it: both as texts.
struct WrittenSpace {
  /// `request`: what else the run consists of. `accounting`: the name of its file, and what is in it.
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
