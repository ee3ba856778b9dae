#include "import/quantized.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "formulas/link/linker.h"
#include "import/mapped_config.h"
#include "import/places.h"
#include "schemas/yaml_text.h"

namespace opledger {
namespace {

/// Returns the config of one group of modules: entries of the group replace entries of the whole config.
Datum with_group(const Datum& config, const std::string& groups, const Datum& group) {
  std::vector<Datum::Entry> entries;
  for (const Datum::Entry& entry : config.entries()) {
    if (entry.first.text() != groups && group.find(entry.first.text()) == nullptr) entries.push_back(entry);
  }
  entries.insert(entries.end(), group.entries().begin(), group.entries().end());
  return Datum::map(std::move(entries), group.span());
}

/// The config of one group of modules, and the names of the modules if the config lists modules singly.
struct Group {
  Datum config;
  std::optional<std::vector<Datum>> names;
};

/// Returns one config for each group of modules, so that every group is read like a config of its own. The mapping
/// names the config's key with the groups; a method without such a key has one group, the config itself. Returns an
/// empty list and reports an error if the key has no groups. A group that is no mapping is an error, and the other
/// groups are still returned.
std::vector<Group> groups_of(const Datum& config, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  const Datum* place = mapping.rules.find("groups");
  if (place == nullptr) return {{config, std::nullopt}};
  const Datum* groups = config.find(place->text());
  if (groups == nullptr || !groups->is_map() || groups->entries().empty()) {
    diagnostics.error(groups != nullptr ? groups->span() : config.span(), fmt::format("`{}` lists no group of modules", place->text()));
    return {};
  }
  std::vector<Group> out;
  for (const auto& [name, group] : groups->entries()) {
    if (group.is_map()) {
      out.push_back({with_group(config, place->text(), group), std::nullopt});
    } else {
      diagnostics.error(group.span(), fmt::format("`{}.{}` must be a mapping, found {}", place->text(), name.text(), group.describe()));
    }
  }
  return out;
}

/// Returns the name of a module with 0 for each number behind the first. The first number counts layers, further numbers
/// count instances of a module in a layer, of which instance 0 represents all.
std::string of_first_instance(const std::string& module) {
  std::vector<std::string> parts = split(module, '.');
  bool is_layer = true;
  for (std::string& part : parts) {
    if (part.empty() || part.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!is_layer) part = "0";
    is_layer = false;
  }
  return join(parts, ".");
}

/// The settings of single modules in a config: `{MODULE: {FIELD: VALUE}}` at the place `modules.at` of the mapping. The
/// place `.` stands for the config itself, of which entries that are mappings or `false` name modules.
class ModuleSettings {
 public:
  ModuleSettings(const Datum& config, const QuantizationMapping& mapping, Diagnostics& diagnostics)
      : modules_(mapping.rules.find("modules")), whole_(config), diagnostics_(diagnostics) {
    if (modules_ == nullptr) return;
    place_ = modules_->find("at")->text();
    const bool is_whole_config = place_ == ".";
    const Datum* const listed = is_whole_config ? &config : config.find(place_);
    if (listed == nullptr || listed->is_null()) return;
    if (!listed->is_map()) {
      diagnostics_.error(listed->span(), fmt::format("`{}` must be a mapping, found {}", place_, listed->describe()));
      return;
    }
    std::vector<Datum::Entry> others;
    for (const Datum::Entry& entry : listed->entries()) {
      const bool names_module = !is_whole_config || entry.second.is_map() || entry.second.boolean() == false;
      if (names_module)
        add(entry);
      else
        others.push_back(entry);
    }
    if (is_whole_config) whole_ = Datum::map(std::move(others), config.span());
  }

  /// The config without the settings of single modules.
  const Datum& whole() const { return whole_; }
  /// Names of modules that keep their precision.
  const std::vector<Datum>& exceptions() const { return exceptions_; }

  /// Returns one group for all modules with equal settings, in the order of the config.
  std::vector<Group> groups() const {
    std::vector<Group> out;
    for (const auto& [settings, names] : groups_) out.push_back({with_group(whole_, "", settings), names});
    return out;
  }

 private:
  /// Adds the settings of one module. Prefixes of names state that the rest is a regular expression, or an exception.
  void add(const Datum::Entry& entry) {
    const auto& [name, settings] = entry;
    const auto rest = [&](const char* key) -> std::optional<std::string> {
      const Datum* const prefixes = modules_->find(key);
      for (const Datum& prefix : prefixes != nullptr ? prefixes->all() : std::vector<Datum>{}) {
        if (name.text().starts_with(prefix.text())) return "re:" + name.text().substr(prefix.text().size());
      }
      return std::nullopt;
    };
    if (const auto regex = rest("exceptions_after")) {
      exceptions_.push_back(Datum::scalar(*regex, true, name.span()));
    } else if (settings.boolean() == false) {
      exceptions_.push_back(name);
    } else if (!settings.is_map()) {
      diagnostics_.error(settings.span(), fmt::format("the settings of `{}` must be a mapping, found {}", name.text(), settings.describe()));
    } else if (const auto regex = rest("regex_after")) {
      group_of(settings).push_back(Datum::scalar(*regex, true, name.span()));
    } else {
      add_named(name, settings);
    }
  }

  /// Adds a module by name. All instances of a module in a layer have the settings of the first one in the config;
  /// different settings of another instance give one warning.
  void add_named(const Datum& name, const Datum& settings) {
    const std::string module = of_first_instance(name.text());
    const std::string text = yaml_flow(settings);
    const auto [known, is_new] = settings_of_.emplace(module, text);
    if (is_new) {
      group_of(settings).push_back(Datum::scalar(module, true, name.span()));
    } else if (known->second != text && !has_warned_) {
      has_warned_ = true;
      diagnostics_.warning(
          settings.span(),
          fmt::format("`{}` has other settings than the same module with another number; the first settings are counted for all", name.text()));
    }
  }

  std::vector<Datum>& group_of(const Datum& settings) {
    const auto [at, is_new] = index_.emplace(yaml_flow(settings), groups_.size());
    if (is_new) groups_.emplace_back(settings, std::vector<Datum>{});
    return groups_[at->second].second;
  }

  const Datum* const modules_;
  Datum whole_;
  Diagnostics& diagnostics_;
  std::string place_;
  std::vector<std::pair<Datum, std::vector<Datum>>> groups_;  ///< Settings, and the modules that have them.
  std::map<std::string, std::size_t> index_;                  ///< Position of each settings' text in `groups_`.
  std::map<std::string, std::string> settings_of_;            ///< Text of the settings of each module.
  std::vector<Datum> exceptions_;
  bool has_warned_ = false;
};

/// Adds fields of the model's config that the mapping reads (`from_model`), and a group for the modules that each
/// present field concerns.
void add_model_fields(const Datum& model, const QuantizationMapping& mapping, Datum& config, std::vector<Group>& groups) {
  const Datum* const fields = mapping.rules.find("from_model");
  std::vector<Group> added;
  for (const auto& [field, modules] : fields != nullptr ? fields->entries() : std::vector<Datum::Entry>{}) {
    const Datum* const value = model.find(field.text());
    if (value == nullptr || value->is_null()) continue;
    config = with_value(config, field.text(), *value);
    for (const auto& [module, settings] : modules.entries()) added.push_back({settings, std::vector<Datum>{module}});
  }
  for (Group& group : added) groups.push_back({with_group(config, "", group.config), std::move(group.names)});
}

std::string text_of(const Value& value) {
  if (value.kind != Value::Kind::number) return value.text != nullptr ? *value.text : value.scalar.value != 0 ? "true" : "false";
  return exact(value.scalar.value) + (value.unit.plain() ? "" : " " + to_string(value.unit));
}

/// Returns the modules that a config converts: the list at the mapping's place `targets_at`, else the mapping's own
/// `targets`.
std::vector<Datum> targets(const Datum& config, const QuantizationMapping& mapping) {
  const Datum* at = mapping.rules.find("targets_at");
  const Datum* listed = at != nullptr ? config.find(at->text()) : nullptr;
  if (listed == nullptr || listed->is_null()) listed = mapping.rules.find("targets");
  std::vector<Datum> out;
  for (const Datum& several : listed != nullptr ? listed->all() : std::vector<Datum>{}) {
    for (const Datum& entry : several.all()) out.push_back(entry);  // An entry may be a list of modules that are converted together.
  }
  return out;
}

/// Returns whether the condition at a key of the section `rules` holds; false without the key.
bool holds(const char* key, const QuantizationMapping& mapping, MappedConfig& mapped, Linker& linker, const NameScope& scope, Diagnostics& diagnostics) {
  const Formula* const condition = link_mapped(mapping.rules.find(key), linker, scope, diagnostics);
  return condition != nullptr && mapped.holds(condition);
}

/// Reads the scheme of one group: its modules, and the marks whose conditions hold. Returns nothing and reports
/// errors if a field or formula is invalid.
std::optional<Scheme> read_scheme(const Group& group, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  const std::optional<ConfigFields> fields = read_config(group.config, mapping.config, diagnostics);
  std::optional<Program> program = fields ? link_config(mapping.config, *fields, diagnostics) : std::nullopt;
  const auto marks = program ? link_quantized(mapping, *program, diagnostics) : std::nullopt;
  if (!marks) return std::nullopt;
  Linker linker(*program, *program, diagnostics);
  MappedConfig mapped(mapping.config, *fields, group.config, *program, diagnostics);
  if (!mapped.check()) return std::nullopt;
  Scheme out{group.names ? *group.names : targets(group.config, mapping), true, {}};
  out.converts = !holds("unconverted", mapping, mapped, linker, *program->global, diagnostics);
  if (!group.names && holds("listed_only", mapping, mapped, linker, *program->global, diagnostics)) out.targets.clear();
  for (const LinkedMark& mark : *marks) {
    const auto& [name, value, when] = mark.formula;
    if (mapped.holds(when)) out.marks.push_back({mark.of, name, text_of(mapped.value_of(*value)), mapped.comment(*value)});
  }
  return out;
}

}  // namespace

std::optional<std::vector<LinkedMark>> link_quantized(const QuantizationMapping& mapping, Program& program, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  Linker linker(program, program, diagnostics);
  std::vector<LinkedMark> out;
  for (const char* of : {"node", "cached"}) {
    const Datum* marks = mapping.rules.find(of);
    if (marks == nullptr) continue;
    for (const Datum::Entry& mark : marks->entries()) out.push_back({of, link_mapped(mark, linker, *program.global, diagnostics)});
  }
  if (diagnostics.errors() > errors) return std::nullopt;
  return out;
}

Schemes read_schemes(const Datum& config, const Datum& model, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  // Groups of single modules come first, because the first scheme that names a module wins.
  const std::size_t errors = diagnostics.errors();
  ModuleSettings modules(config, mapping, diagnostics);
  std::vector<Group> groups = modules.groups();
  Datum whole = modules.whole();
  add_model_fields(model, mapping, whole, groups);
  for (Group& group : groups_of(whole, mapping, diagnostics)) groups.push_back(std::move(group));
  Schemes out{{}, modules.exceptions()};
  std::set<std::string> reported;  // Groups may have the same remarks.
  for (const Group& group : groups) {
    Diagnostics messages;
    if (std::optional<Scheme> scheme = read_scheme(group, mapping, messages)) out.all.push_back(std::move(*scheme));
    for (const Diagnostic& message : messages.all()) {
      if (reported.insert(message.message).second) diagnostics.add(message);
    }
  }
  if (diagnostics.errors() > errors) return {};
  return out;
}

}  // namespace opledger
