#include "base/bytes.h"

#include <doctest/doctest.h>

#include <limits>

namespace opledger {
namespace {

constexpr std::uint64_t kNumbers[] = {0, 127, 128, 300, std::numeric_limits<std::uint64_t>::max()};
constexpr std::int64_t kDifferences[] = {0, -1, 1, -64, 64, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

std::string written() {
  ByteWriter out;
  for (const std::uint64_t number : kNumbers) out.number(number);
  for (const std::int64_t number : kDifferences) out.difference(number);
  out.fixed(0x01020304, 4);
  out.real(-0.1);
  out.text("a text");
  out.byte(255);
  return out.take();
}

/// Returns whether all written values are read back.
bool read(ByteReader in) {
  bool same = true;
  for (const std::uint64_t number : kNumbers) same = in.number() == number && same;
  for (const std::int64_t number : kDifferences) same = in.difference() == number && same;
  same = in.fixed(4) == 0x01020304 && same;
  same = in.real() == -0.1 && same;
  same = in.text() == "a text" && same;
  return in.byte() == 255 && in.good() && in.at_end() && same;
}

}  // namespace

TEST_CASE("bytes: what is written is read again, and nothing of less") {
  const std::string bytes = written();
  CHECK(read(ByteReader(bytes)));
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(!read(ByteReader(std::string_view(bytes).substr(0, size))));
}

TEST_CASE("bytes: they are the same on every machine") {
  ByteWriter out;
  out.number(300);
  out.difference(-2);
  out.fixed(258, 4);
  out.text("a");
  CHECK(out.take() == std::string("\xac\x02\x03\x02\x01\x00\x00\x01"
                                  "a",
                                  9));
}

TEST_CASE("bytes: sizes and counts beyond what there is are mistakes, after which nothing is read") {
  ByteReader text(
      "\x05"
      "abc");
  CHECK(text.text().empty());
  CHECK(!text.good());
  CHECK(text.byte() == 0);
  ByteReader endless("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  CHECK(endless.number() == 0);
  CHECK(!endless.good());
  ByteReader many(
      "\x02"
      "abc");
  CHECK(many.count(2) == 0);
  CHECK(!many.good());
  ByteReader some(
      "\x02"
      "abcd");
  CHECK(some.count(2) == 2);
  CHECK(some.good());
}

}  // namespace opledger
