#include "cli/report_outcome.h"

#include <fmt/core.h>

#include <filesystem>

#include "report/writers.h"

namespace opledger {
namespace {

/// Returns whether a table's name can be the name of a file inside the folder.
bool is_file_name(const std::string& name) { return !name.empty() && name[0] != '.' && name.find_first_of(std::string("/\0", 2)) == std::string::npos; }

void warn_of_omissions(const ReportTable& table, Diagnostics& diagnostics) {
  if (table.left_out > 0) diagnostics.warning({}, fmt::format("table `{}`: {} rows are left out: they are too many", table.name, table.left_out));
  for (const auto& [column, items] : table.left_out_items)
    diagnostics.warning({}, fmt::format("table `{}`: {} items of `{}` are left out: they are too many", table.name, items, column));
}

void add_files(const Report& report, const Options& options, Outcome& outcome, Diagnostics& diagnostics) {
  if (options.format != "csv") {
    diagnostics.error({}, fmt::format("`-o {}`: in a folder each table is written as CSV: `--format csv`", options.output));
    return;
  }
  for (auto& [name, text] : write_csv_files(report)) {
    if (!is_file_name(name)) diagnostics.error({}, fmt::format("`-o {}`: the table `{}` can't give a file its name", options.output, name));
    outcome.files.emplace_back((std::filesystem::path(options.output) / (name + ".csv")).string(), std::move(text));
  }
}

}  // namespace

bool names_folder(const std::string& output) {
  std::error_code unknown;
  return !output.empty() && output != "-" && (output.back() == '/' || std::filesystem::is_directory(output, unknown));
}

Outcome report_outcome(const Report& report, const Options& options, Diagnostics& diagnostics) {
  const Format format = find_format(options.format).value_or(Format::text);
  const bool folder = names_folder(options.output);
  Outcome outcome{"", infeasible_lines(report.violations)};
  outcome.wrote_output = folder;
  if (folder)
    add_files(report, options, outcome, diagnostics);
  else
    outcome.text = write(report, format, options.page);
  for (const ReportTable& table : report.tables) {
    if (folder || (report.bare && !is_for_people(format))) warn_of_omissions(table, diagnostics);
  }
  return outcome;
}

}  // namespace opledger
