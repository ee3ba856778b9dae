#include "report/candidate_file.h"

#include <nlohmann/json.hpp>

#include "base/csv.h"

namespace opledger {
namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

/// Reports a problem, if its text is not empty. Returns true without a problem.
bool succeeded(const std::string& problem, Diagnostics& diagnostics) {
  if (!problem.empty()) diagnostics.error({}, problem);
  return problem.empty();
}

}  // namespace

std::string csv_text(const Value& value) {
  if (value.kind == Value::Kind::nothing) return {};
  return value.is_number() ? exact(value.scalar.value) : csv_cell(human(value));
}

std::string json_text(const Value& value) {
  if (value.kind == Value::Kind::truth) return value.scalar.value != 0 ? "true" : "false";
  if (value.text != nullptr) return quoted(*value.text);
  return value.is_number() ? exact(value.scalar.value) : "null";
}

std::optional<CandidateFile::Form> CandidateFile::form_of(const std::string& path) {
  const std::string name = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  if (name.ends_with(".csv")) return Form::csv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Form::lines;
  if (name.ends_with(".json")) return Form::array;
  return std::nullopt;
}

CandidateSink CandidateFile::sink() {
  return {[this](const CandidateColumns& columns, Diagnostics& diagnostics) { return begin(columns, diagnostics); },
          [this](const RangeResult& found, Diagnostics& diagnostics) { return write(found.rows, diagnostics); },
          [this](bool complete, Diagnostics& diagnostics) { return end(complete, diagnostics); }};
}

bool CandidateFile::begin(const CandidateColumns& columns, Diagnostics& diagnostics) {
  columns_ = &columns;
  if (!succeeded(out_.open(path_), diagnostics)) return false;
  text_.clear();
  if (form_ == Form::csv) {
    for (const auto* names : {&columns.axes(), &columns.metrics()}) {
      for (const std::string& name : *names) text_ += (text_.empty() ? "" : ",") + csv_cell(name);
    }
    text_ += '\n';
  } else if (form_ == Form::array) {
    text_ = "[";
  }
  return succeeded(out_.write(text_), diagnostics);
}

void CandidateFile::append_csv(const CandidateRows& rows, std::size_t row) {
  const std::size_t before = text_.size();
  for (std::size_t a = 0; a < columns_->axes().size(); ++a) {
    if (a > 0) text_ += ',';
    text_ += csv_text(columns_->axis(a, rows.values_of(row)));
  }
  for (std::size_t m = 0; m < rows.metrics; ++m) {
    if (text_.size() > before) text_ += ',';
    text_ += csv_text(columns_->metric(m, rows.costs_of(row)[m]));
  }
  text_ += '\n';
}

void CandidateFile::append_json(const CandidateRows& rows, std::size_t row) {
  if (form_ == Form::array) text_ += any_ ? ",\n" : "\n";
  text_ += "{\"execution\": {";
  for (std::size_t a = 0; a < columns_->axes().size(); ++a)
    text_ += (a > 0 ? ", " : "") + quoted(columns_->axes()[a]) + ": " + json_text(columns_->axis(a, rows.values_of(row)));
  text_ += "}, \"metrics\": {";
  for (std::size_t m = 0; m < rows.metrics; ++m)
    text_ += (m > 0 ? ", " : "") + quoted(columns_->metrics()[m]) + ": " + json_text(columns_->metric(m, rows.costs_of(row)[m]));
  text_ += form_ == Form::array ? "}}" : "}}\n";
}

bool CandidateFile::write(const CandidateRows& rows, Diagnostics& diagnostics) {
  for (std::size_t row = 0; row < rows.count; ++row) {
    text_.clear();
    if (form_ == Form::csv)
      append_csv(rows, row);
    else
      append_json(rows, row);
    any_ = true;
    if (!succeeded(out_.write(text_), diagnostics)) return false;
  }
  return true;
}

bool CandidateFile::end(bool complete, Diagnostics& diagnostics) {
  if (form_ == Form::array && !succeeded(out_.write("\n]\n"), diagnostics)) return false;
  return succeeded(out_.finish(complete), diagnostics);
}

}  // namespace opledger
