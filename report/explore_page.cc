#include "report/explore_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <map>

#include "report/output.h"

namespace opledger {
namespace {

constexpr std::size_t kMostPlain = 200'000;  // Maximum bytes of uncompressed data in a page.

constexpr const char* kPacked = "application/gzip";
constexpr std::string_view kProgram = R"(<script type="text/plain" id="program">)", kEnd = "</script>";

std::string base64(const std::string& bytes) {
  namespace from = boost::archive::iterators;
  using Encoded = from::base64_from_binary<from::transform_width<std::string::const_iterator, 6, 8>>;
  std::string out(Encoded(bytes.begin()), Encoded(bytes.end()));
  out.append((3 - bytes.size() % 3) % 3, '=');
  return out;
}

/// Returns `text` with each character in `by` replaced.
std::string replaced(std::string_view text, const std::map<char, std::string_view>& by) {
  std::string out;
  for (const char c : text) {
    const auto found = by.find(c);
    if (found == by.end())
      out += c;
    else
      out += found->second;
  }
  return out;
}

/// Returns a script element with compressed content, without its end tag.
std::string packed_element(std::string_view attributes, std::string_view content) {
  return fmt::format(R"(<script type="{}" {}>{})", kPacked, attributes, base64(gzip(content)));
}

std::string escaped_html(std::string_view text) { return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}}); }

/// Returns JSON without `<`, so that no string can end the script element or open a comment. In JSON, `<` occurs only
/// inside strings, where the escape is equivalent.
std::string escaped_json(std::string_view text) { return replaced(text, {{'<', "\\u003c"}}); }

/// A placeholder of the frame, and its replacement.
struct Filling {
  std::string_view mark;
  std::string text;
};

/// Replaces the placeholders. Their positions are found in the frame alone, because data may contain the same words.
std::string filled(std::string_view frame, const std::vector<Filling>& parts) {
  std::vector<std::pair<std::size_t, const Filling*>> places;
  for (const Filling& part : parts) {
    if (const std::size_t at = frame.find(part.mark); at != std::string_view::npos) places.emplace_back(at, &part);
  }
  std::sort(places.begin(), places.end());
  std::string out;
  std::size_t from = 0;
  for (const auto& [at, part] : places) {
    out.append(frame.substr(from, at - from)).append(part->text);
    from = at + part->mark.size();
  }
  return out.append(frame.substr(from));
}

/// Returns the script element of the program, without its end tag; empty without a program.
std::string_view program_of(std::string_view frame) {
  const std::size_t begin = frame.find(kProgram);
  if (begin == std::string_view::npos) return {};
  return frame.substr(begin, frame.find(kEnd, begin) - begin);
}

/// Returns compressed data, followed by an element for each large list; the data has an empty list in its place.
std::string packed_data(const ExploreData& data) {
  const std::string_view text = data.text;
  std::string rest, elements;
  std::size_t from = 0;
  for (const ExploreList& list : data.lists) {
    rest.append(text.substr(from, list.begin - from)).append("[]");
    const std::string place = fmt::format(R"(class="list" data-place="{}")", escaped_html(list.place));
    elements.append(kEnd).append("\n").append(packed_element(place, text.substr(list.begin, list.end - list.begin)));
    from = list.end;
  }
  rest.append(text.substr(from));
  return base64(gzip(rest)) + elements;
}

}  // namespace

/// Inserts title and data into the frame. Data beyond kMostPlain is compressed with gzip and encoded in base 64; the
/// page's program is then compressed as well, and a loader decompresses both. Large lists become elements of their own,
/// because reading the data of a model with thousands of segments takes seconds.
std::string write_explore_page(std::string_view frame, const std::string& title, const ExploreData& data) {
  const bool packed = data.text.size() > kMostPlain;
  std::vector<Filling> parts = {
      {"@TITLE@", escaped_html(title)}, {"@TYPE@", packed ? kPacked : "application/json"}, {"@DATA@", packed ? packed_data(data) : escaped_json(data.text)}};
  const std::string_view program = program_of(frame);
  if (packed && !program.empty()) parts.push_back({program, packed_element(R"(id="program")", program.substr(kProgram.size()))});
  return filled(frame, parts);
}

}  // namespace opledger
