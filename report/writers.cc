#include "report/writers.h"

namespace opledger {
namespace {

struct FormatWriter {
  std::string_view name;
  Format format;
  std::string (*write)(const Report&);
};

// The one table to extend for a new format.
constexpr FormatWriter kWriters[] = {
    {"text", Format::text, write_text}, {"json", Format::json, write_json}, {"csv", Format::csv, write_csv}, {"markdown", Format::markdown, write_markdown}};

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  for (const FormatWriter& writer : kWriters) {
    if (writer.name == name) return writer.format;
  }
  return std::nullopt;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatWriter& writer : kWriters) names.emplace_back(writer.name);
  return names;
}

std::string write(const Report& report, Format format) {
  for (const FormatWriter& writer : kWriters) {
    if (writer.format == format) return writer.write(report);
  }
  return {};
}

}  // namespace opledger
