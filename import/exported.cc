#include "import/exported.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "base/text.h"
#include "import/imported.h"
#include "import/launch.h"
#include "import/written_config.h"
#include "import/yaml_text.h"
#include "questions/difference.h"

namespace opledger {
namespace {

constexpr double kSame = 1e-12;          // relative: sums in another order
constexpr std::size_t kCommentAt = 60;   // the column of comments
constexpr std::size_t kMostNamed = 5;    // of what differs
constexpr const char* kArguments = "ARGS";

std::string flag_value(const Datum& value) {
  std::vector<std::string> words;
  for (const Datum& item : value.all()) words.push_back(shell_word(item.text()));
  return join(words, " ");
}

std::string toml_value(const Datum& value) {
  if (value.is_list()) {
    std::vector<std::string> items;
    for (const Datum& item : value.items()) items.push_back(toml_value(item));
    return "[" + join(items, ", ") + "]";
  }
  return value.quoted() || (!value.number() && !value.boolean()) ? fmt::format("\"{}\"", value.text()) : value.text();
}

std::string commented(std::string line, const std::string& from) {
  if (from.empty()) return line + "\n";
  line.resize(std::max(line.size() + 2, kCommentAt), ' ');
  return line + "# " + from + "\n";
}

std::string header(const ExportRequest& request, const Mapping& mapping, const WrittenConfig& written) {
  std::string out = mapping.flags ? "#!/usr/bin/env bash\n" : "";
  out += "# " + visible(fmt::format("{} as {} runs it, for {}; comments say what an argument comes from.", request.run.model, request.run.execution, request.format)) + "\n";
  for (const auto& [key, value] : written.noted) out += fmt::format("{}{}: {}\n", kNoteMark, key.text(), yaml_flow(value));
  return out;
}

/// A command with the values of fields in it; those are not listed before it.
std::string command(const Mapping& mapping, const WrittenConfig& written, std::vector<const WrittenField*>& listed) {
  std::string out = mapping.command;
  for (const WrittenField& field : written.fields) {
    const std::string place = "{" + field.field->name + "}";
    const std::size_t at = out.find(place);
    if (at == std::string::npos) {
      listed.push_back(&field);
    } else {
      out.replace(at, place.size(), flag_value(field.value));
    }
  }
  return out;
}

std::string script(const Mapping& mapping, const WrittenConfig& written) {
  std::vector<const WrittenField*> listed;
  const std::string last = command(mapping, written, listed);
  std::string out = fmt::format("{}=(\n", kArguments);
  for (const WrittenField* field : listed) {
    const std::string value = field->value.boolean() == true ? "" : " " + flag_value(field->value);
    out += commented("  " + field->field->places[0] + value, field->from);
  }
  return out + ")\n" + last + "\n";
}

std::string toml(const WrittenConfig& written) {
  std::string out;
  std::vector<std::string> sections;
  const auto section = [](const WrittenField& field) { return field.field->places[0].substr(0, field.field->places[0].rfind('.')); };
  for (const WrittenField& field : written.fields) {
    if (!contains(sections, section(field))) sections.push_back(section(field));
  }
  for (const std::string& name : sections) {
    out += fmt::format("\n[{}]\n", name);
    for (const WrittenField& field : written.fields) {
      if (section(field) == name) out += commented(field.field->places[0].substr(name.size() + 1) + " = " + toml_value(field.value), field.from);
    }
  }
  return out;
}

bool same(const Compared& metric) {
  const Value& a = metric.value(0);
  const Value& b = metric.value(1);
  if (!a.is_number() || !b.is_number()) return !metric.differs();
  return std::fabs(a.scalar.value - b.scalar.value) <= kSame * std::max(std::fabs(a.scalar.value), std::fabs(b.scalar.value));
}

class Exporter {
 public:
  Exporter(const ExportRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), library_(library), diagnostics_(diagnostics) {}

  std::string write() {
    const std::optional<Mapping> mapping = launch_mapping(request_.format, request_.mapping, library_, diagnostics_);
    if (!mapping) return {};
    if (mapping->writes.empty()) {
      diagnostics_.error({}, fmt::format("the mapping `{}` has no way back: it can be imported only", mapping->name()));
      return {};
    }
    RunRequest asked = request_.run;
    if (asked.system.empty()) asked.system = mapping->judged_on;
    const std::unique_ptr<Run> run = Run::prepare(asked, library_, diagnostics_);
    const std::optional<WrittenConfig> written = run != nullptr ? write_config(*mapping, *run, diagnostics_) : std::nullopt;
    if (!written) return {};
    std::string text = header(request_, *mapping, *written) + (mapping->flags ? script(*mapping, *written) : toml(*written));
    if (getenv("OPLEDGER_SHOW")) fputs(text.c_str(), stderr);
    return comes_back(text, *mapping, *run, asked) ? text : "";
  }

 private:
  /// Imports what was written, and compares.
  bool comes_back(const std::string& text, const Mapping& mapping, Run& run, const RunRequest& asked) {
    const auto source = std::make_shared<const SourceFile>(mapping.flags ? "exported.sh" : "exported.toml", text);
    ImportRequest request;
    request.file = source->path;
    request.name = request.execution = "exported";
    const std::size_t errors = diagnostics_.errors();
    Diagnostics own;
    const std::optional<LaunchConfig> config = read_launch(source, mapping, {}, own);
    const Imported made = config ? import_config(*config, mapping, request_.format, request, own) : Imported{};
    Library with_made = library_;
    request.base_model = made.text.empty() ? asked.model : "";
    request.system = asked.system;
    const std::unique_ptr<Run> back = made.execution.empty() ? nullptr : build_imported(made, request, with_made, own);
    if (back == nullptr) {
      diagnostics_.error({}, fmt::format("the mapping `{}` has no words for this run: what it would write can't be imported", mapping.name()));
      own = errors_of(std::move(own));
      diagnostics_.append(std::move(own));
      return false;
    }
    tell_differences(run, *back, mapping);
    return diagnostics_.errors() == errors;
  }

  /// Warnings of what is imported are about the framework, not about the run.
  static Diagnostics errors_of(Diagnostics all) {
    Diagnostics out;
    for (const Diagnostic& one : all.all()) {
      if (one.severity == Severity::error) out.add(one);
    }
    return out;
  }

  void tell_differences(Run& run, Run& back, const Mapping& mapping) {
    const Differences all = differences(run, back);
    std::vector<std::string> metrics, inputs;
    for (const Compared& metric : all.metrics) {
      if (!same(metric)) metrics.push_back(fmt::format("{} {} instead of {}", metric.name, human(metric.value(1)), human(metric.value(0))));
    }
    if (metrics.empty()) return;
    for (const Compared& input : all.inputs) inputs.push_back(fmt::format("{} = {} instead of {}", input.name, human(input.value(1)), human(input.value(0))));
    Diagnostic& error = diagnostics_.error({}, fmt::format("the mapping `{}` has no words for all of this run; from what it would write, {}", mapping.name(),
                                                           listed(metrics)));
    if (!inputs.empty()) error.note({}, "inputs that differ: " + listed(inputs));
  }

  static std::string listed(const std::vector<std::string>& all) {
    const std::vector<std::string> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostNamed)));
    return join(some, ", ") + (all.size() > some.size() ? fmt::format(", and {} more", all.size() - some.size()) : "");
  }

  const ExportRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string export_launch(const ExportRequest& request, Library& library, Diagnostics& diagnostics) { return Exporter(request, library, diagnostics).write(); }

}  // namespace opledger
