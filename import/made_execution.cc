#include "import/made_execution.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "import/yaml_text.h"

namespace opledger {
namespace {

constexpr const char* kRules = "rules";
constexpr const char* kEntry = "n";  // what a list's formula calls the entry's number
constexpr double kMostEntries = 4096;
constexpr std::size_t kKeyComments = 33;  // the column of comments

bool is_value(const Datum& written) {
  return std::any_of(written.entries().begin(), written.entries().end(), [](const Datum::Entry& entry) {
    const std::string& key = entry.first.text();
    return key == "is" || key == "literal" || key == "when" || key == "list";
  });
}

class ExecutionLinker {
 public:
  ExecutionLinker(Program& program, Diagnostics& diagnostics)
      : linker_(program, program, diagnostics), global_(*program.global), entry_(linker_.scope(program.global)), diagnostics_(diagnostics) {
    entry_.locals.emplace(kEntry, 0);
  }

  LinkedExecution link(const Mapping& mapping) {
    LinkedExecution out;
    for (const auto& [key, value] : mapping.execution) {
      if (key.text() == kRules) {
        for (const Datum& rule : value.all()) add_rule(rule, out);
      } else {
        out.keys.emplace_back(key.text(), this->value(value));
      }
    }
    return out;
  }

 private:
  const Formula* formula(const Datum* text, const NameScope& scope) { return link_mapped(text, linker_, scope, diagnostics_); }

  void add_rule(const Datum& rule, LinkedExecution& out) {
    if (rule.is_scalar()) out.rules.emplace_back(rule.text(), nullptr);
    for (const auto& [name, when] : rule.entries()) out.rules.emplace_back(name.text(), formula(&when, global_));
  }

  LinkedValue value(const Datum& written) {
    LinkedValue out;
    out.written = &written;
    if (written.is_list()) {
      for (const Datum& choice : written.items()) out.choices.push_back(value(choice));
    } else if (!written.is_map()) {
      out.is = formula(&written, global_);
    } else if (!is_value(written)) {
      for (const auto& [key, inner] : written.entries()) out.inner.emplace_back(key.text(), value(inner));
    } else {
      const Datum* is = written.find("is");
      out.when = formula(written.find("when"), global_);
      out.count = formula(written.find("list"), global_);
      out.literal = written.find("literal");
      if (is != nullptr && is->is_map()) {
        for (const auto& [key, inner] : is->entries()) out.inner.emplace_back(key.text(), value(inner));
      } else {
        out.is = formula(is, out.count != nullptr ? entry_ : global_);
      }
    }
    return out;
  }

  Linker linker_;
  const NameScope& global_;
  NameScope& entry_;
  Diagnostics& diagnostics_;
};

class ExecutionMaker {
 public:
  ExecutionMaker(MappedConfig& config, Diagnostics& diagnostics) : config_(config), diagnostics_(diagnostics) {}

  std::optional<std::string> make(const LinkedExecution& execution, const MadeHeading& heading) {
    const std::size_t errors = diagnostics_.errors();
    std::string out = fmt::format("# {}\nkind: execution\nname: {}\ndoc: {}\nsource: {}\n", heading.comment, yaml_text(heading.name), yaml_text(heading.doc),
                                  yaml_text(heading.source));
    for (const auto& [key, value] : execution.keys) out += line(key, value);
    std::vector<std::string> rules;
    for (const auto& [name, when] : execution.rules) {
      if (config_.holds(when)) rules.push_back(name);
    }
    out += fmt::format("{}: [{}]\n", kRules, join(rules, ", "));
    if (diagnostics_.errors() > errors) return std::nullopt;
    return out;
  }

 private:
  std::string line(const std::string& key, const LinkedValue& value) {
    const LinkedValue* chosen = choose(value);
    const std::optional<std::string> text = chosen != nullptr ? written(*chosen) : std::nullopt;
    if (!text) return {};
    std::string out = fmt::format("{}: {}", key, *text);
    const std::string from = comment(*chosen);
    if (from.empty()) return out + "\n";
    out.resize(std::max(out.size() + 1, kKeyComments), ' ');
    return out + "# " + from + "\n";
  }

  const LinkedValue* choose(const LinkedValue& value) {
    if (!config_.holds(value.when)) return nullptr;
    if (value.choices.empty()) return &value;
    for (const LinkedValue& choice : value.choices) {
      if (const LinkedValue* chosen = choose(choice)) return chosen;
    }
    return nullptr;
  }

  std::string comment(const LinkedValue& value) const {
    if (value.is != nullptr) return config_.comment(*value.is);
    std::vector<std::string> parts;
    for (const auto& [key, inner] : value.inner) {
      const std::string from = comment(inner);
      if (!from.empty()) parts.push_back(key + ": " + from);
    }
    return join(parts, "; ");
  }

  /// Empty: there is nothing to be written.
  std::optional<std::string> written(const LinkedValue& value) {
    if (value.literal != nullptr) return yaml_flow(*value.literal);
    if (value.count != nullptr) return list(value);
    if (value.is != nullptr) return text(config_.worth(*value.is));
    std::vector<std::string> parts;
    for (const auto& [key, inner] : value.inner) {
      const LinkedValue* chosen = choose(inner);
      const std::optional<std::string> part = chosen != nullptr ? written(*chosen) : std::nullopt;
      if (part) parts.push_back(yaml_text(key) + ": " + *part);
    }
    return "{" + join(parts, ", ") + "}";
  }

  std::optional<std::string> list(const LinkedValue& value) {
    const double count = config_.worth(*value.count).scalar.value;
    if (!(count >= 0 && count <= kMostEntries)) {
      diagnostics_.error(config_.place_of(*value.count), fmt::format("a list of {} entries: there may be {:.0f}", exact(count), kMostEntries));
      return std::nullopt;
    }
    std::vector<std::string> items;
    for (double n = 0; n < count; ++n) {
      const std::vector<Value> number = {number_value(integer(n))};
      const Answer answer = config_.ask(*value.is, &number);
      if (!answer.tell(diagnostics_)) return std::nullopt;
      items.push_back(text(answer.value));
    }
    return "[" + join(items, ", ") + "]";
  }

  static std::string text(const Value& value) {
    if (value.kind == Value::Kind::truth) return value.scalar.value != 0 ? "true" : "false";
    if (value.kind == Value::Kind::word || value.kind == Value::Kind::text) return value.text != nullptr ? yaml_text(*value.text) : "null";
    return exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit));
  }

  MappedConfig& config_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<LinkedExecution> link_made_execution(const Mapping& mapping, Program& program, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  LinkedExecution execution = ExecutionLinker(program, diagnostics).link(mapping);
  if (diagnostics.errors() > errors) return std::nullopt;
  return execution;
}

std::optional<std::string> make_execution(const LinkedExecution& execution, MappedConfig& config, const MadeHeading& heading, Diagnostics& diagnostics) {
  return ExecutionMaker(config, diagnostics).make(execution, heading);
}

}  // namespace opledger
