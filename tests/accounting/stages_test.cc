#include "accounting/stages.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace opledger {
namespace {

std::string written(const std::vector<StageClass>& classes) {
  std::string text;
  for (const StageClass& c : classes) {
    text += c.name() + ":";
    for (double n : c.layers()) text += " " + std::to_string(static_cast<int>(n));
    text += "; ";
  }
  return text;
}

/// Assigns a chunk to each stage.
std::vector<StageClass> split_evenly(const std::vector<SegmentLayers>& segments, long long stages) {
  long long total = 0;
  for (const SegmentLayers& s : segments) total += s.repeated ? static_cast<long long>(s.layers) : 0;
  return split_stages(segments, even_pipeline(total, stages));
}

}  // namespace

TEST_CASE("stages: layers dealt out, equal stages joined") {
  struct Line {
    std::vector<SegmentLayers> segments;
    long long stages;
    const char* expected;
  };
  const auto once = SegmentLayers{1, false};
  const auto many = [](double layers) { return SegmentLayers{layers, true}; };
  const auto turn = [](double layers, double rounds, int group = 0) { return SegmentLayers{layers, true, group, rounds}; };
  const Line lines[] = {
      {{once, many(96), once}, 1, "0: 1 96 1; "},
      {{once, many(96), once}, 8, "0: 1 12 0; 1-6: 0 12 0; 7: 0 12 1; "},
      {{once, many(96), once}, 2, "0: 1 48 0; 1: 0 48 1; "},
      {{once, many(10), once}, 4, "0: 1 3 0; 1: 0 3 0; 2: 0 2 0; 3: 0 2 1; "},
      {{many(8)}, 4, "0-3: 2; "},
      {{many(9)}, 4, "0: 3; 1-3: 2; "},
      {{many(2), many(6)}, 4, "0: 2 0; 1-3: 0 2; "},
      {{many(3), many(5)}, 4, "0: 2 0; 1: 1 1; 2-3: 0 2; "},
      {{many(4), once, many(4)}, 4, "0: 2 0 0; 1: 2 1 0; 2-3: 0 0 2; "},  // a segment that is not repeated stays with the layer before it
      {{many(2)}, 4, "0-1: 1; 2-3: 0; "},
      {{once, once}, 3, "0: 1 1; 1-2: 0 0; "},
      {{many(0)}, 2, "0-1: 0; "},
      // taking turns: a b a b …
      {{once, turn(12, 12), turn(12, 12), once}, 4, "0: 1 3 3 0; 1-2: 0 3 3 0; 3: 0 3 3 1; "},
      {{turn(3, 3), turn(3, 3)}, 2, "0: 2 1; 1: 1 2; "},
      {{turn(3, 3), turn(3, 3)}, 6, "0-4 (3 of them): 1 0; 1-5 (3 of them): 0 1; "},
      // a a a a b a a a, four rounds of eight
      {{turn(16, 4), turn(4, 4), turn(12, 4)}, 4, "0-3: 4 1 3; "},
      {{turn(16, 4), turn(4, 4), turn(12, 4)}, 8, "0-6 (4 of them): 4 0 0; 1-7 (4 of them): 0 1 3; "},
      // rounds after other layers, and two groups
      {{many(1), turn(2, 2), turn(2, 2)}, 5, "0: 1 0 0; 1, 3: 0 1 0; 2, 4: 0 0 1; "},
      {{turn(2, 2, 0), turn(2, 2, 0), turn(2, 1, 2), turn(2, 1, 2)}, 4, "0-1: 1 1 0 0; 2: 0 0 2 0; 3: 0 0 0 2; "},
      {{turn(0, 0), turn(0, 0), many(2)}, 2, "0-1: 0 0 1; "},
  };
  for (const Line& line : lines) CHECK(written(split_evenly(line.segments, line.stages)) == line.expected);
}

TEST_CASE("stages: chunks lie on the stages that hold them") {
  const SegmentLayers once{1, false}, many{12};
  const std::vector<SegmentLayers> segments = {once, many, once};
  const auto lie = [](const std::vector<SegmentLayers>& all, const Pipeline& pipeline) { return written(split_stages(all, pipeline)); };
  CHECK(lie(segments, {{3, 3, 3, 3}, {{0, 2}, {1, 3}}}) == "0: 1 6 0; 1: 0 6 1; ");                       // two chunks each
  CHECK(lie(segments, {{3, 3, 3, 3}, {{0, 3}, {1, 2}, {2, 1}, {3, 0}}}) == "0, 3: 1 6 1; 1-2: 0 6 0; ");  // two copies
  CHECK(lie(segments, {{0, 12, 0}, {{0}, {1}, {2}}}) == "0: 1 0 0; 1: 0 12 0; 2: 0 0 1; ");               // ends of their own
  CHECK(lie({{2}, once, {4}}, {{1, 2, 3}, {{0}, {1}, {2}}}) == "0: 1 0 0; 1: 1 1 1; 2: 0 0 3; ");         // the segment stays with its layer
  CHECK(lie({{4}, {4}}, {{2, 2, 2, 2}, {{0, 2}, {1, 3}}}) == "0-1: 2 2; ");
  CHECK(lie({{4}, {4}}, {{1, 3, 3, 1}, {{0, 2}, {1, 3}}}) == "0: 1 3; 1: 3 1; ");
  CHECK(lie({{4, true, 0, 4}, {4, true, 0, 4}}, {{1, 3, 3, 1}, {{0, 2}, {1, 3}}}) == "0: 3 1; 1: 1 3; ");
  const auto classes = split_stages(segments, {{3, 3, 3, 3}, {{0, 3}, {1, 2}, {2, 1}, {3, 0}}});
  REQUIRE(classes[0].parts.size() == 2);
  CHECK(classes[0].parts[1].chunk == 3);
  CHECK(classes[0].parts[1].layers == std::vector<double>{0, 3, 1});
}

/// An independent method: writes down all layers one by one, then counts them stage by stage.
TEST_CASE("stages: turns as if every layer was written down") {
  for (long long stages = 1; stages <= 9; ++stages) {
    for (int rounds = 1; rounds <= 5; ++rounds) {
      const int each[] = {2, 1, 3};
      std::vector<SegmentLayers> segments{{3, true}};
      std::vector<int> order(3, 0);
      for (int s = 0; s < 3; ++s) segments.push_back({static_cast<double>(each[s] * rounds), true, 1, static_cast<double>(rounds)});
      for (int r = 0; r < rounds; ++r) {
        for (int s = 0; s < 3; ++s) order.insert(order.end(), static_cast<std::size_t>(each[s]), s + 1);
      }
      const long long total = static_cast<long long>(order.size());
      long long at = 0;
      std::vector<std::vector<double>> expected;
      for (long long stage = 0; stage < stages; ++stage) {
        expected.emplace_back(4, 0);
        for (long long n = total / stages + (stage < total % stages ? 1 : 0); n > 0; --n)
          ++expected.back()[static_cast<std::size_t>(order[static_cast<std::size_t>(at++)])];
      }
      for (const StageClass& c : split_evenly(segments, stages)) {
        CHECK(c.layers() == expected[static_cast<std::size_t>(c.first())]);
        CHECK(c.count() == std::count(expected.begin(), expected.end(), c.layers()));
      }
    }
  }
}

TEST_CASE("stages: parts of segments that take turns, as if every layer was written down") {
  // Rounds of two a and one b; the first `cut` layers of the row form a part.
  for (long long stages = 1; stages <= 5; ++stages) {
    for (int rounds = 1; rounds <= 4; ++rounds) {
      for (int cut = 0; cut <= 3 * rounds; ++cut) {
        std::vector<std::size_t> order;  // a.first, a.rest, b.first, b.rest
        for (int layer = 0; layer < 3 * rounds; ++layer) order.push_back((layer % 3 == 2 ? 2u : 0u) + (layer < cut ? 0u : 1u));
        const auto count = [&](std::size_t s) { return static_cast<double>(std::count(order.begin(), order.end(), s)); };
        std::vector<SegmentLayers> segments;
        for (std::size_t s = 0; s < 4; ++s) segments.push_back({count(s), true, 0, static_cast<double>(rounds), false, s < 2 ? 0 : 1});
        const std::vector<long long> pieces = even_pipeline(3 * rounds, stages).chunk_layers;
        for (const StageClass& c : split_evenly(segments, stages)) {
          for (const long long stage : c.positions) {
            std::vector<double> expected(4, 0);
            long long from = 0;
            for (long long k = 0; k < stage; ++k) from += pieces[static_cast<std::size_t>(k)];
            for (long long n = 0; n < pieces[static_cast<std::size_t>(stage)]; ++n) ++expected[order[static_cast<std::size_t>(from + n)]];
            CHECK(c.layers() == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("stages: a class with gaps says so") {
  StageClass c;
  c.positions = {1, 3, 5};
  CHECK(c.name() == "1-5 (3 of them)");
}

TEST_CASE("stages: layers that lie evenly among others") {
  const auto text = [](double first, double second, long long stages) { return written(split_evenly({{first, true, -1, 1, true}, {second, true}}, stages)); };
  CHECK(text(4, 4, 4) == "0-3: 1 1; ");
  CHECK(text(4, 5, 3) == "0-1: 1 2; 2: 2 1; ");
  CHECK(text(2, 6, 4) == "0, 2: 0 2; 1, 3: 1 1; ");
  CHECK(text(0, 6, 2) == "0-1: 0 3; ");
  CHECK(text(6, 0, 2) == "0-1: 3 0; ");
}

TEST_CASE("stages: layers of segments that take turns lie evenly in the row of all of them") {
  // Segments with one layer each per round; a part takes layers of each as cut_segments does.
  const auto alternating = [](long long width, long long rounds, long long first_kind) {
    std::vector<SegmentLayers> segments;
    const auto rows = static_cast<double>(rounds);
    for (long long s = 0; s < width; ++s) {
      const auto own = static_cast<double>((s + 1) * rounds * first_kind / (width * rounds) - s * rounds * first_kind / (width * rounds));
      segments.push_back({own, true, 0, rows, true, static_cast<int>(s)});
      segments.push_back({rows - own, true, 0, rows, false, static_cast<int>(s)});
    }
    return segments;
  };
  CHECK(written(split_evenly(alternating(2, 12, 3), 3)) == "0, 2: 0 4 1 3; 1: 1 3 0 4; ");
  CHECK(written(split_evenly(alternating(2, 12, 24), 3)) == "0-2: 4 0 4 0; ");
  for (const long long width : {2, 3, 8}) {
    for (const long long stages : {1, 2, 4, 6}) {
      const long long rounds = 12;
      for (long long each = 0; each * stages <= width * rounds; ++each) {
        for (const StageClass& c : split_evenly(alternating(width, rounds, each * stages), stages)) {
          long long first_kind = 0, all = 0;
          for (std::size_t s = 0; s < c.layers().size(); ++s) {
            first_kind += s % 2 == 0 ? static_cast<long long>(c.layers()[s]) : 0;
            all += static_cast<long long>(c.layers()[s]);
          }
          CHECK(all == width * rounds / stages);
          CHECK_MESSAGE(first_kind == each, width, " in turn, ", stages, " stages, ", each, " each, on ", c.name());
        }
      }
    }
  }
}

TEST_CASE("stages: no layer is lost and no stage has more than one layer more than another") {
  for (long long stages = 1; stages <= 12; ++stages) {
    for (int n = 0; n <= 30; ++n) {
      long long count = 0, layers = 0, most = 0, least = 1000, ends = 0;
      for (const StageClass& c : split_evenly({{1, false}, {static_cast<double>(n), true}, {1, false}}, stages)) {
        const long long here = static_cast<long long>(c.layers()[1]);
        count += c.count();
        layers += c.count() * here;
        ends += c.count() * static_cast<long long>(c.layers()[0] + c.layers()[2]);
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
