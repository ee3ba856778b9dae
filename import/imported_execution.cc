#include "import/imported_execution.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

constexpr const char* kRules = "rules";
constexpr std::size_t kKeyComments = 33;  // Column of comments.

/// Adds the rules of a list: a name alone, or a name with the formula of its condition.
void add_rules(const Datum& listed, ValueLinker& linker, LinkedExecution& out) {
  for (const Datum& rule : listed.all()) {
    if (rule.is_scalar()) out.rules.emplace_back(rule.text(), nullptr);
    for (const auto& [name, when] : rule.entries()) out.rules.emplace_back(name.text(), linker.formula(&when));
  }
}

/// Writes the document of an execution from linked keys and rules.
class ExecutionMaker {
 public:
  ExecutionMaker(MappedConfig& config, const std::vector<Datum::Entry>& comment_keys, const std::vector<std::string>& published_rules, Diagnostics& diagnostics)
      : config_(config), comment_keys_(comment_keys), published_rules_(published_rules), writer_(config.evaluator(), diagnostics), diagnostics_(diagnostics) {}

  /// Writes the keys in the mapping's order, then keys from comments of the config, then one line of rules. A key
  /// from a comment replaces the mapping's formula, because a user states it for this run. Rules from comments are
  /// added after the rules whose conditions hold. Returns nothing and reports errors if a formula has no value.
  std::optional<std::string> make(const LinkedExecution& execution, const DocumentHeading& heading) {
    const std::size_t errors = diagnostics_.errors();
    std::string out = fmt::format("# {}\nkind: execution\nname: {}\ndoc: {}\nsource: {}\n", heading.comment, yaml_text(heading.name), yaml_text(heading.doc),
                                  yaml_text(heading.source));
    for (const auto& [key, value] : execution.keys) {
      if (!is_comment_key(key)) out += line(key, value);
    }
    std::vector<std::string> rules, comment_rules;
    for (const auto& [key, value] : comment_keys_) {
      if (key.text() != kRules) out += line(key.text(), value, "the file's own note");
      for (const Datum& rule : key.text() == kRules ? value.all() : std::vector<Datum>{}) comment_rules.push_back(yaml_flow(rule));
    }
    for (const auto& [name, when] : execution.rules) {
      if (writer_.holds(when)) rules.push_back(name);
    }
    if (execution.loads_published != nullptr && !is_comment_key(kRules) && writer_.holds(execution.loads_published)) {
      for (const std::string& rule : published_rules_) {
        if (!contains(rules, rule)) rules.push_back(yaml_text(rule));
      }
    }
    rules.insert(rules.end(), comment_rules.begin(), comment_rules.end());
    out += fmt::format("{}: [{}]\n", kRules, join(rules, ", "));
    if (diagnostics_.errors() > errors) return std::nullopt;
    return out;
  }

 private:
  bool is_comment_key(const std::string& key) const {
    return std::any_of(comment_keys_.begin(), comment_keys_.end(), [&](const Datum::Entry& entry) { return entry.first.text() == key; });
  }

  std::string line(const std::string& key, const LinkedValue& value) {
    const LinkedValue* chosen = writer_.choose(value);
    const std::optional<Datum> datum = chosen != nullptr ? writer_.value(*chosen) : std::nullopt;
    return datum ? line(key, *datum, comment(*chosen)) : "";
  }

  static std::string line(const std::string& key, const Datum& value, const std::string& from) {
    std::string out = fmt::format("{}: {}", key, yaml_flow(value));
    if (from.empty()) return out + "\n";
    out.resize(std::max(out.size() + 1, kKeyComments), ' ');
    return out + "# " + from + "\n";
  }

  /// Returns the sources of a value for a comment. Nested keys have one part each, joined by semicolons.
  std::string comment(const LinkedValue& value) {
    if (value.is != nullptr) return config_.comment(*value.is);
    std::vector<std::string> parts;
    for (const auto& [key, inner] : value.inner) {
      const LinkedValue* chosen = writer_.choose(inner);
      const std::string from = chosen != nullptr ? comment(*chosen) : "";
      if (!from.empty()) parts.push_back(key + ": " + from);
    }
    return join(parts, "; ");
  }

  MappedConfig& config_;
  const std::vector<Datum::Entry>& comment_keys_;
  const std::vector<std::string>& published_rules_;
  ValueWriter writer_;
  Diagnostics& diagnostics_;
};

}  // namespace

/// Links every key, also after an error, so that one call reports all errors. Rules are a list of names with
/// conditions and are linked separately from all other keys.
std::optional<LinkedExecution> link_imported_execution(const LaunchMapping& launch, Program& program, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  Linker linker(program, program, diagnostics);
  ValueLinker values(linker, *program.global, diagnostics);
  LinkedExecution out;
  for (const auto& [key, value] : launch.execution.entries()) {
    if (key.text() == kRules) {
      add_rules(value, values, out);
    } else {
      out.keys.emplace_back(key.text(), values.link(value));
    }
  }
  if (!launch.loads_published.is_null()) out.loads_published = values.formula(&launch.loads_published);
  if (diagnostics.errors() > errors) return std::nullopt;
  return out;
}

std::optional<std::string> make_execution(const LinkedExecution& execution, MappedConfig& config, const std::vector<Datum::Entry>& comment_keys,
                                          const std::vector<std::string>& published_rules, const DocumentHeading& heading, Diagnostics& diagnostics) {
  return ExecutionMaker(config, comment_keys, published_rules, diagnostics).make(execution, heading);
}

}  // namespace opledger
