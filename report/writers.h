#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page.h"
#include "report/report.h"

/// A report in one of the formats. Text and Markdown are for people: values in fitting units. JSON and CSV are for programs: values exactly, in base units.
namespace opledger {

enum class Format { text, json, csv, markdown };

std::optional<Format> find_format(std::string_view name);
std::vector<std::string> format_names();
inline bool is_for_people(Format format) { return format == Format::text || format == Format::markdown; }

std::string write(const Report& report, Format format, const PageSize& page = {});

/// Titled sections and tables. Empty tables are left out.
std::string write_text(const Report& report, const PageSize& page = {});

/// schemas/output/report.schema.json: {"format": 1, "model", "execution", "system", "accounting", every metric by its id, "units": {id or table.column: unit},
/// "metrics": {id: name}, "labels": {id: label}, "tables": {name: [{column: value}]},
/// "violations": [{"reason", "message"}]}. A row has those that stand under it as "rows". Where there are such: "totals": {table: its row of sums}, "notes": {table: [text]},
/// "left_out": {table or table.column: rows, or items of lists, that are too many}. Whole numbers below 2^63 are written as such, other numbers so that they read back the same.
std::string write_json(const Report& report);

/// `name,value,unit,metric,label` for every metric; then each table after an empty line, its name in the first column. `under` says which row one stands under. One part
/// alone is a plain table.
std::string write_csv(const Report& report);

/// Every part alone, by its name: kMetricsPart, and all tables.
std::vector<std::pair<std::string, std::string>> write_csv_files(const Report& report);

/// One table with the meaning of each metric for every section, then the tables. One table alone has no titles.
std::string write_markdown(const Report& report);

}  // namespace opledger
