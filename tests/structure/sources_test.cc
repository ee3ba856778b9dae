#include "tests/structure/sources.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using opledger::structure::cxx_files;
using opledger::structure::Kind;
using opledger::structure::Piece;
using opledger::structure::pieces;

namespace {

std::string shown(const std::string& text) {
  std::string result;
  for (const Piece& piece : pieces(text)) result += std::to_string(piece.line) + "clmq"[static_cast<int>(piece.kind)] + "[" + piece.text + "]";
  return result;
}

}  // namespace

TEST_CASE("C++ is split into code, literals, comments and quotes") {
  CHECK(shown("int a; // b `c.d` e\nf") == "1c[int a; ]1m[// b ]1q[c.d]1m[ e]2c[f]");
  CHECK(shown("a /* b\nc */ d") == "1c[a ]1m[/* b]2m[c ]2c[*/ d]");
  CHECK(shown("f(\"x // \\\" y\", 'c')") == "1c[f(]1l[x // \\\" y]1c[, ]1l[c]1c[)]");
  CHECK(shown("a = 1'000'000;") == "1c[a = 1'000'000;]");
  CHECK(shown("R\"z(a)\"\nb)z\" c") == "1l[a)\"]2l[b]2c[ c]");
}

TEST_CASE("the files of the program are found") {
  for (const char* path : {"base/units.h", "expr/parser.h", "graph/graph.h"}) {
    INFO(path);
    CHECK(std::any_of(cxx_files().begin(), cxx_files().end(), [&](const auto& file) { return file.path == path; }));
  }
}
