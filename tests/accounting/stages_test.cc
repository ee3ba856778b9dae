#include "accounting/stages.h"

#include <doctest/doctest.h>

#include <numeric>

namespace opledger {
namespace {

std::string written(const std::vector<double>& layers, const std::vector<bool>& repeated, long long stages) {
  std::string text;
  for (const StageClass& c : split_stages(layers, repeated, stages)) {
    text += c.name() + ":";
    for (double n : c.layers) text += " " + std::to_string(static_cast<int>(n));
    text += "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("stages: layers dealt out, equal stages joined") {
  struct Line {
    std::vector<double> layers;
    std::vector<bool> repeated;
    long long stages;
    const char* expected;
  };
  const Line lines[] = {
      {{1, 96, 1}, {false, true, false}, 1, "0: 1 96 1; "},
      {{1, 96, 1}, {false, true, false}, 8, "0: 1 12 0; 1-6: 0 12 0; 7: 0 12 1; "},
      {{1, 96, 1}, {false, true, false}, 2, "0: 1 48 0; 1: 0 48 1; "},
      {{1, 10, 1}, {false, true, false}, 4, "0: 1 3 0; 1: 0 3 0; 2: 0 2 0; 3: 0 2 1; "},
      {{8}, {true}, 4, "0-3: 2; "},
      {{9}, {true}, 4, "0: 3; 1-3: 2; "},
      {{2, 6}, {true, true}, 4, "0: 2 0; 1-3: 0 2; "},
      {{3, 5}, {true, true}, 4, "0: 2 0; 1: 1 1; 2-3: 0 2; "},
      {{4, 1, 4}, {true, false, true}, 4, "0: 2 0 0; 1: 2 1 0; 2-3: 0 0 2; "},  // what does not repeat stays with the layer before it
      {{2}, {true}, 4, "0-1: 1; 2-3: 0; "},
      {{1, 1}, {false, false}, 3, "0: 1 1; 1-2: 0 0; "},
      {{0}, {true}, 2, "0-1: 0; "},
  };
  for (const Line& line : lines) CHECK(written(line.layers, line.repeated, line.stages) == line.expected);
}

TEST_CASE("stages: a class with gaps says so") {
  StageClass c;
  c.first = 1;
  c.last = 5;
  c.count = 3;
  CHECK(c.name() == "1-5 (3 of them)");
}

TEST_CASE("stages: no layer is lost and no stage has more than one layer more than another") {
  for (long long stages = 1; stages <= 12; ++stages) {
    for (int n = 0; n <= 30; ++n) {
      long long count = 0, layers = 0, most = 0, least = 1000, ends = 0;
      for (const StageClass& c : split_stages({1, static_cast<double>(n), 1}, {false, true, false}, stages)) {
        const long long here = static_cast<long long>(c.layers[1]);
        count += c.count;
        layers += c.count * here;
        ends += c.count * static_cast<long long>(c.layers[0] + c.layers[2]);
        most = std::max(most, here);
        least = std::min(least, here);
      }
      CHECK(count == stages);
      CHECK(layers == n);
      CHECK(ends == 2);
      CHECK(most - least <= 1);
    }
  }
}

}  // namespace opledger
