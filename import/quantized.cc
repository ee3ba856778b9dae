#include "import/quantized.h"

#include <fmt/core.h>

#include "base/units.h"
#include "import/mapped_config.h"

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

/// Returns one config for each group of modules, so that every group is read like a config of its own. The mapping
/// names the config's key with the groups; a method without such a key has one group, the config itself. Returns an
/// empty list and reports an error if the key has no groups. A group that is no mapping is an error, and the other
/// groups are still returned.
std::vector<Datum> configs(const Datum& config, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  const Datum* place = mapping.rules.find("groups");
  if (place == nullptr) return {config};
  const Datum* groups = config.find(place->text());
  if (groups == nullptr || !groups->is_map() || groups->entries().empty()) {
    diagnostics.error(groups != nullptr ? groups->span() : config.span(), fmt::format("`{}` lists no group of modules", place->text()));
    return {};
  }
  std::vector<Datum> out;
  for (const auto& [name, group] : groups->entries()) {
    if (group.is_map()) {
      out.push_back(with_group(config, place->text(), group));
    } else {
      diagnostics.error(group.span(), fmt::format("`{}.{}` must be a mapping, found {}", place->text(), name.text(), group.describe()));
    }
  }
  return out;
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

/// Reads the scheme of one group: its modules, and the marks whose conditions hold. Returns nothing and reports
/// errors if a field or formula is invalid.
std::optional<Scheme> read_scheme(const Datum& config, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  const std::optional<ConfigFields> fields = read_config(config, mapping.config, diagnostics);
  std::optional<Program> program = fields ? link_config(mapping.config, *fields, diagnostics) : std::nullopt;
  const auto marks = program ? link_quantized(mapping, *program, diagnostics) : std::nullopt;
  if (!marks) return std::nullopt;
  MappedConfig mapped(mapping.config, *fields, config, *program, diagnostics);
  if (!mapped.check()) return std::nullopt;
  Scheme out{targets(config, mapping), {}};
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

std::vector<Scheme> read_schemes(const Datum& config, const QuantizationMapping& mapping, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.errors();
  std::vector<Scheme> out;
  for (const Datum& group : configs(config, mapping, diagnostics)) {
    if (std::optional<Scheme> scheme = read_scheme(group, mapping, diagnostics)) out.push_back(std::move(*scheme));
  }
  if (diagnostics.errors() > errors) return {};
  return out;
}

}  // namespace opledger
