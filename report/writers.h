#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page.h"
#include "report/report.h"

/// Reports in four formats. Text and Markdown, for people, use units that fit each value. JSON and CSV, for programs,
/// use exact values in base units.
namespace opledger {

/// Format of a report.
enum class Format { text, json, csv, markdown };

/// Returns the format with this name, or nothing.
std::optional<Format> find_format(std::string_view name);
/// Returns the names accepted by find_format.
std::vector<std::string> format_names();
/// Returns true for formats that round values for people.
inline bool is_for_people(Format format) { return format == Format::text || format == Format::markdown; }

/// Returns `report` in `format`; `page` affects only formats for people.
std::string write(const Report& report, Format format, const PageSize& page = {});

/// Returns titled sections and tables; empty tables are omitted.
std::string write_text(const Report& report, const PageSize& page = {});

/// Returns JSON: {"format": 1, "model", "execution", "system", "accounting", each metric by its id, "units": {id or
/// table.column: unit}, "metrics": {id: name}, "labels": {id: label}, "tables": {name: [{column: value}]},
/// "violations": [{"reason", "message"}]}. See schemas/output/report.schema.json.
/// A row contains its children as "rows". Optional keys: "totals": {table: row}, "notes": {table: [text]}, "left_out":
/// {table or table.column: number of omitted rows or items}. Integers below 2^63 are written as integers, remaining
/// numbers with enough digits to read back equal.
std::string write_json(const Report& report);

/// Returns `name,value,unit,metric,label` for each metric; then each table after an empty line, with its name in the
/// first column. A column `under` gives the parents of rows. A single part is written as a plain table.
std::string write_csv(const Report& report);

/// Returns each part as a separate CSV text with its name: kMetricsPart, and every table.
std::vector<std::pair<std::string, std::string>> write_csv_files(const Report& report);

/// Returns a Markdown table for each section, with the meaning of each metric, then the tables. A single table has no
/// title.
std::string write_markdown(const Report& report);

}  // namespace opledger
