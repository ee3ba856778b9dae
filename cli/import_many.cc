#include "cli/import_many.h"

#include <fmt/core.h>

#include <filesystem>
#include <list>
#include <map>

#include "cli/modeline.h"
#include "report/report.h"
#include "report/writers.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

/// Returns the name of a document: the stem of its file, or of its folder for a file with a common name.
std::string name_of(const fs::path& file, std::string_view common_name) {
  std::error_code unknown;
  if (file.filename() != common_name) return file.stem().string();
  return fs::weakly_canonical(file, unknown).parent_path().filename().string();
}

/// Returns the messages of one severity as one text: the first message, and the number of further ones.
std::string messages_of(const Diagnostics& diagnostics, Severity severity) {
  std::string out;
  std::size_t further = 0;
  for (const Diagnostic& message : diagnostics.all()) {
    if (message.severity != severity) continue;
    if (out.empty())
      out = message.message;
    else
      ++further;
  }
  return further == 0 ? out : fmt::format("{} ({} more)", out, further);
}

/// Imports files one by one, and collects documents and rows of the table.
class ManyImports {
 public:
  ManyImports(std::string_view file_in_folder, ImportFunction* import, const Options& options, Library& library)
      : file_in_folder_(file_in_folder), import_(import), options_(options), library_(library) {
    table_.name = "imports";
    table_.columns = {"file", "result", "model", "message"};
    table_.prose = {"message"};
  }

  void add(const std::string& argument) {
    std::error_code unknown;
    const fs::path file = fs::is_directory(argument, unknown) ? fs::path(argument) / file_in_folder_ : fs::path(argument);
    const std::string name = name_of(file, file_in_folder_);
    Diagnostics messages;
    ImportedDocuments imported;
    if (const auto [other, is_new] = files_.emplace(name, argument); is_new) {
      ImportRequest request{file.string(), name, options_.mapping};
      request.trained = options_.unquantized;
      if (!options_.unquantized) request.rules = name + "-weights", request.has_optional_rules = true;
      Library copy = library_;  // The library keeps each read document, and names of configs repeat.
      imported = import_(request, copy, messages);
    } else {
      messages.error({}, fmt::format("`{}` has the same name `{}`: import it alone, with -o FILE", other->second, name));
    }
    add_row(argument, name, imported, messages);
    if (imported.text.empty()) return;
    add_file(name, std::move(imported.text));
    if (!imported.rules.empty()) add_file(name + "-weights", std::move(imported.rules));
  }

  Outcome outcome() {
    Report report;
    const std::size_t count = table_.rows.size();
    table_.title = fmt::format("{} files: {} read, {} of them with warnings, {} refused", count, count - refused_, warned_, refused_);
    report.tables.push_back(std::move(table_));
    report.bare = true;
    Outcome out;
    out.text = write(report, find_format(options_.format).value_or(Format::text), options_.page);
    out.text.erase(0, out.text.find_first_not_of('\n'));  // Removes the empty line before the title.
    out.files = std::move(written_);
    out.wrote_output = true;
    if (refused_ > 0) out.failures.push_back(fmt::format("{} of {} files are refused", refused_, count));
    return out;
  }

 private:
  void add_row(const std::string& argument, const std::string& name, const ImportedDocuments& imported, const Diagnostics& messages) {
    const bool is_refused = imported.text.empty(), has_warnings = !is_refused && !messages.all().empty();
    refused_ += is_refused ? 1 : 0, warned_ += has_warnings ? 1 : 0;
    table_.rows.push_back({text(argument),
                           text(is_refused     ? "refused"
                                : has_warnings ? "warned"
                                               : "read"),
                           is_refused ? Value() : text(name + ".yaml"), text(messages_of(messages, is_refused ? Severity::error : Severity::warning))});
  }

  void add_file(const std::string& name, std::string content) {
    const std::string path = (fs::path(options_.output) / (name + ".yaml")).string();
    written_.emplace_back(path, with_modeline(std::move(content), path));
  }

  /// Returns a text as a value; the object keeps the text.
  Value text(const std::string& content) {
    texts_.push_back(content);
    return text_value(texts_.back());
  }

  const std::string_view file_in_folder_;
  ImportFunction* const import_;
  const Options& options_;
  Library& library_;
  ReportTable table_;
  std::list<std::string> texts_;
  std::map<std::string, std::string> files_;  ///< Argument of each name.
  std::vector<std::pair<std::string, std::string>> written_;
  std::size_t refused_ = 0, warned_ = 0;
};

}  // namespace

Outcome import_many(const std::vector<std::string>& files, std::string_view file_in_folder, ImportFunction* import, const Options& options, Library& library,
                    Diagnostics& diagnostics) {
  if (options.output.empty() || options.output == "-") diagnostics.error({}, "several files need a folder: `-o DIR`");
  if (!options.import_rules.empty()) diagnostics.error({}, "`--rules`: several files have their rules in the folder, as NAME-weights.yaml");
  if (diagnostics.has_errors()) return {};
  ManyImports imports(file_in_folder, import, options, library);
  for (const std::string& file : files) imports.add(file);
  return imports.outcome();
}

}  // namespace opledger
