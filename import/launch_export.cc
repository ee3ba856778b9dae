#include "import/launch_export.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string_view>

#include "base/lists.h"
#include "base/text.h"
#include "compare/difference.h"
#include "import/config_writer.h"
#include "import/import_steps.h"
#include "import/launch.h"
#include "import/value_writer.h"
#include "import/yaml_text.h"

namespace opledger {
namespace {

constexpr double kRelativeTolerance = 1e-12;  // Relative tolerance: sums may be added in another order.
constexpr std::size_t kCommentAt = 60;        // Column of comments.
constexpr std::size_t kMostNamed = 5;         // Limit of differences that a message lists.
constexpr const char* kArguments = "ARGS";

std::string flag_value(const Datum& value) {
  std::vector<std::string> words;
  for (const Datum& item : value.all()) words.push_back(shell_word(item.text()));
  return join(words, " ");
}

/// Returns a text as a basic string of TOML: quotes, backslashes and control characters are escaped.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string toml_value(const Datum& value) {
  if (value.is_list()) {
    std::vector<std::string> items;
    for (const Datum& item : value.items()) items.push_back(toml_value(item));
    return "[" + join(items, ", ") + "]";
  }
  return value.quoted() || (!value.number() && !value.boolean()) ? toml_text(value.text()) : value.text();
}

std::string commented(std::string line, const std::string& from) {
  if (from.empty()) return line + "\n";
  line.resize(std::max(line.size() + 2, kCommentAt), ' ');
  return line + "# " + from + "\n";
}

bool is_script(const ExportMapping& mapping) { return mapping.export_format == "script"; }

std::string header(const ExportRequest& request, const ExportMapping& mapping, const WrittenConfig& config) {
  std::string out = is_script(mapping) ? "#!/usr/bin/env bash\n" : "";
  out += "# " +
         visible(fmt::format(
             "{} as {} runs it, for {}; comments name the sources of each argument. Arguments without a cost (data, learning rate, …) are left out.",
             request.run.model, request.run.execution, request.format)) +
         "\n";
  if (!config.rules.empty()) out += fmt::format("{}rules: [{}]\n", kNoteMark, join(config.rules, ", "));
  for (const auto& [key, value] : config.comment_keys) out += fmt::format("{}{}: {}\n", kNoteMark, key.text(), yaml_flow(value));
  return out;
}

/// Fills the values of fields into the command. Appends each field without a place in the command to `listed`.
std::string command(const ExportMapping& mapping, const WrittenConfig& config, std::vector<const WrittenField*>& listed) {
  std::string out = mapping.command;
  for (const WrittenField& field : config.fields) {
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

std::string script(const ExportMapping& mapping, const WrittenConfig& config) {
  std::vector<const WrittenField*> listed;
  const std::string last = command(mapping, config, listed);
  std::string out = fmt::format("{}=(\n", kArguments);
  for (const WrittenField* field : listed) {
    const std::string value = field->value.boolean() == true ? "" : " " + flag_value(field->value);
    out += commented("  " + field->field->places[0] + value, field->from);
  }
  return out + ")\n" + last + "\n";
}

/// Returns the fields as TOML, a section for each place in front of a field's last dot. Sections follow the order of
/// their first fields, because TOML permits each section once. The cost is sections times fields.
std::string toml(const WrittenConfig& config) {
  std::string out;
  std::vector<std::string> sections;
  const auto section = [](const WrittenField& field) { return field.field->places[0].substr(0, field.field->places[0].rfind('.')); };
  for (const WrittenField& field : config.fields) {
    if (!contains(sections, section(field))) sections.push_back(section(field));
  }
  for (const std::string& name : sections) {
    out += fmt::format("\n[{}]\n", name);
    for (const WrittenField& field : config.fields) {
      if (section(field) == name) out += commented(field.field->places[0].substr(name.size() + 1) + " = " + toml_value(field.value), field.from);
    }
  }
  return out;
}

/// Returns whether a metric has the same value in both runs, up to rounding; other values than numbers must be equal.
bool same(const ComparedQuantity& metric) {
  const Value& a = metric.value(0);
  const Value& b = metric.value(1);
  if (!a.is_number() || !b.is_number()) return !metric.differs();
  return std::fabs(a.scalar.value - b.scalar.value) <= kRelativeTolerance * std::max(std::fabs(a.scalar.value), std::fabs(b.scalar.value));
}

/// Writes a run as a config and proves the result by a round trip: the text is imported again, and every metric must
/// be equal. Wrong arguments are thus found here and not on the cluster.
class Exporter {
 public:
  Exporter(const ExportRequest& request, Library& library, Diagnostics& diagnostics) : request_(request), library_(library), diagnostics_(diagnostics) {}

  /// Prepares the run of the request, writes it as a config, and proves the text by an import. Without a system in
  /// the request, the proof uses the mapping's system. Returns an empty text and reports errors if the mapping only
  /// imports, or if a step fails.
  std::string write() {
    const std::optional<Mapping> mapping = load_launch_mapping(request_.format, request_.mapping, library_, diagnostics_);
    if (!mapping) return {};
    launch_ = read_launch_mapping(*mapping);
    export_mapping_ = read_export_mapping(*mapping);
    if (export_mapping_.export_format.empty()) {
      diagnostics_.error({}, fmt::format("the mapping `{}` can't export: it only imports", mapping->name()));
      return {};
    }
    RunRequest requested = request_.run;
    if (requested.system.empty()) requested.system = export_mapping_.compared_on;
    const std::unique_ptr<Run> run = Run::prepare(requested, library_, diagnostics_);
    std::optional<WrittenConfig> config = run != nullptr ? write_config(launch_, export_mapping_, *run, diagnostics_) : std::nullopt;
    if (!config) return {};
    return write(*run, requested, std::move(*config));
  }

 private:
  /// Writes the config, imports the text again and compares both runs. If inputs differ that the framework does not
  /// decide, they are added as comments, and import and comparison are repeated. Inputs that the execution states come
  /// first, because others may follow from them. Returns an empty text and reports errors if the text can't be imported or
  /// a metric differs.
  std::string write(Run& run, const RunRequest& requested, WrittenConfig config) {
    std::string text = text_of(config);
    std::unique_ptr<Run> back = import_again(text, requested);
    if (back == nullptr) return {};
    Differences all = differences(run, *back);
    for (const bool only_stated : {true, false}) {
      if (!only_stated && std::all_of(all.metrics.begin(), all.metrics.end(), same)) break;
      if (!add_notes(all, run, only_stated, config)) continue;
      text = text_of(config);
      back = import_again(text, requested);
      if (back == nullptr) return {};
      all = differences(run, *back);
    }
    return report_differences(all) ? text : "";
  }

  /// Returns whether the execution or a setting of the request states an input.
  bool is_stated(const Run& run, const std::string& input) const {
    const auto names_input = [&](const auto& setting) { return setting.first == input; };
    return run.execution_document()->root.find(input) != nullptr || std::any_of(request_.run.overrides.begin(), request_.run.overrides.end(), names_input);
  }

  std::string text_of(const WrittenConfig& config) const {
    return header(request_, export_mapping_, config) + (is_script(export_mapping_) ? script(export_mapping_, config) : toml(config));
  }

  /// Adds differing inputs as comments, if the mapping lists them as `assumed` or `approximated`; an `approximated` input
  /// gives a warning. If `only_stated`, only inputs that the execution states. Returns whether any comment was added.
  bool add_notes(const Differences& all, const Run& run, bool only_stated, WrittenConfig& config) {
    const std::size_t before = config.comment_keys.size();
    for (const ComparedQuantity& input : all.inputs) {
      const Datum* const approximated = launch_.approximated.find(input.name);
      if (approximated == nullptr && !contains(launch_.assumed, input.name)) continue;
      if (only_stated && !is_stated(run, input.name)) continue;
      const Datum value = written_value(input.value(0), {});
      config.comment_keys.emplace_back(Datum::scalar(input.name, false, {}), value);
      if (approximated != nullptr)
        diagnostics_.warning({}, fmt::format("{} = {}, which {} can't express: {}", input.name, value.text(), request_.format, approximated->text()));
    }
    return config.comment_keys.size() > before;
  }

  /// Imports an exported text and prepares its run. Returns null and reports errors if the text can't be imported.
  /// Every import gets a copy of the library, so that its documents do not collide with earlier ones. The copies live
  /// as long as this object, because a run loads documents during the comparison. Warnings are dropped: they describe
  /// the framework, not the run.
  std::unique_ptr<Run> import_again(const std::string& text, const RunRequest& requested) {
    const auto source = std::make_shared<const SourceFile>(is_script(export_mapping_) ? "exported.sh" : "exported.toml", text);
    ImportRequest request;
    request.file = source->path;
    request.name = request.execution = "exported";
    Diagnostics messages;
    const std::optional<LaunchConfig> config = read_launch(source, launch_, {}, messages);
    const ImportedDocuments imported = config ? import_config(*config, launch_, request_.format, request, messages) : ImportedDocuments{};
    request.base_model = imported.text.empty() ? requested.model : "";
    request.system = requested.system;
    libraries_.push_back(library_);
    std::unique_ptr<Run> back = imported.execution.empty() ? nullptr : build_imported(imported, request, libraries_.back(), messages);
    if (back != nullptr) return back;
    diagnostics_.error({}, fmt::format("the mapping `{}` can't express this run: the exported text can't be imported", launch_.family.config.name()));
    diagnostics_.append(errors_of(std::move(messages)));
    return nullptr;
  }

  /// Returns errors without warnings: warnings describe the framework, not the run.
  static Diagnostics errors_of(Diagnostics all) {
    Diagnostics out;
    for (const Diagnostic& one : all.all()) {
      if (one.severity == Severity::error) out.add(one);
    }
    return out;
  }

  /// Reports each metric that differs. Returns whether all metrics are equal.
  bool report_differences(const Differences& all) {
    std::vector<std::string> metrics, inputs;
    for (const ComparedQuantity& metric : all.metrics) {
      if (!same(metric)) metrics.push_back(fmt::format("{} {} instead of {}", metric.name, human(metric.value(1)), human(metric.value(0))));
    }
    if (metrics.empty()) return true;
    for (const ComparedQuantity& input : all.inputs)
      inputs.push_back(fmt::format("{} = {} instead of {}", input.name, human(input.value(1)), human(input.value(0))));
    Diagnostic& error = diagnostics_.error(
        {}, fmt::format("the mapping `{}` can't express all of this run; the exported text gives {}", launch_.family.config.name(), listed(metrics)));
    if (!inputs.empty()) error.note({}, "inputs that differ: " + listed(inputs));
    return false;
  }

  static std::string listed(const std::vector<std::string>& all) {
    const std::vector<std::string> listed_items(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostNamed)));
    return join(listed_items, ", ") + (all.size() > listed_items.size() ? fmt::format(", and {} more", all.size() - listed_items.size()) : "");
  }

  const ExportRequest& request_;
  Library& library_;
  Diagnostics& diagnostics_;
  LaunchMapping launch_;
  ExportMapping export_mapping_;
  std::deque<Library> libraries_;  ///< Libraries of the imported runs; runs load documents lazily during the comparison.
};

}  // namespace

std::string export_launch(const ExportRequest& request, Library& library, Diagnostics& diagnostics) { return Exporter(request, library, diagnostics).write(); }

}  // namespace opledger
