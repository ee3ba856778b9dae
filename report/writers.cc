#include "report/writers.h"

namespace opledger {
namespace {

struct FormatWriter {
  std::string_view name;
  Format format;
  std::string (*write)(const Report&, const PageSize&);
};

template <std::string (*write)(const Report&)>
std::string without_page(const Report& report, const PageSize&) {
  return write(report);
}

// The table of formats, which is the only place to extend for a new format.
constexpr FormatWriter kWriters[] = {{"text", Format::text, write_text},
                                     {"json", Format::json, without_page<write_json>},
                                     {"csv", Format::csv, without_page<write_csv>},
                                     {"markdown", Format::markdown, without_page<write_markdown>}};

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  for (const FormatWriter& writer : kWriters) {
    if (writer.name == name) return writer.format;
  }
  return std::nullopt;
}

std::vector<std::string> format_names() { return names_of(kWriters); }

std::string write(const Report& report, Format format, const PageSize& page) {
  for (const FormatWriter& writer : kWriters) {
    if (writer.format == format) return writer.write(report, page);
  }
  return {};
}

}  // namespace opledger
