#include "import/model_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace opledger {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string without_owner(const std::string& name) { return name.substr(name.rfind('/') + 1); }

/// Returns a name without owner and without the ending of quantized copies; empty for a name without such an ending.
std::string name_of_original(const std::string& name, const std::vector<std::string>& endings) {
  for (const std::string& ending : endings) {
    if (name.ends_with(lower_case(ending))) return without_owner(name.substr(0, name.size() - ending.size()));
  }
  return {};
}

}  // namespace

ModelNames read_model_names(const Mapping& mapping) {
  return {mapping.last_value("names_model").text(), mapping.merged_section("model_names"), mapping.all_texts("copy_endings")};
}

std::optional<std::string> find_named_model(const Datum& name, const ModelNames& names, Diagnostics& diagnostics) {
  const std::string name_in_config = lower_case(name.text()), original = name_of_original(name_in_config, names.endings);
  std::vector<std::string> known;
  for (const auto& [pattern, model] : names.models.entries()) {
    const std::string lower = lower_case(pattern.text());
    if (glob_match(lower, name_in_config) || (!original.empty() && glob_match(without_owner(lower), original))) return model.text();
    known.push_back(pattern.text());
  }
  diagnostics.error(name.span(), fmt::format("`{}` is no known name of a model{}: name the model of the library with `--base MODEL`", visible(name.text()),
                                             suggestion(name.text(), known)));
  return std::nullopt;
}

}  // namespace opledger
