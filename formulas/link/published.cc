#include "formulas/link/published.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kMaxSpellings = 10'000;

std::vector<std::string> word_sets(const Program& program) {
  std::vector<std::string> names;
  for (const auto& set : program.sets) {
    if (!set->words.empty() && !set->elements) names.push_back(set->name);
  }
  return names;
}

void publish_metric(Program& program, Linker& linker, const Name& metric, const Span& span, Diagnostics& diagnostics) {
  // Appends all published names of a metric to Program::published. A metric without `as` has its own name. A template
  // such as `block_<phase>_flops` gives a name for each word of the set. Words in front of the templates, such as
  // `forward: …`, belong to one set; each restricts its template to this word. Nothing is published for a template with
  // an error.
  if (metric.published.empty()) {
    program.published.push_back({metric.name, &metric, {}});
    return;
  }
  std::vector<std::string> words;
  for (const auto& [word, _] : metric.published) {
    if (!word.empty()) words.push_back(word);
  }
  const SetId set = words.empty() ? SetId() : linker.set_of(words, std::vector<Span>(words.size(), span));
  if (!words.empty() && !set) return;
  for (const auto& [word, text] : metric.published) {
    std::vector<std::pair<SetId, WordId>> at;
    if (!word.empty()) at.emplace_back(set, program.set(set).index.at(word));
    for (Spelling& s : spell(program, text, std::move(at), span, diagnostics)) program.published.push_back({std::move(s.name), &metric, std::move(s.at)});
  }
}

}  // namespace

std::vector<Spelling> spell(const Program& program, const std::string& text, std::vector<std::pair<SetId, WordId>> at, const Span& span,
                            Diagnostics& diagnostics) {
  // Expands one `<set>` of the template after another, from left to right. `all` has the spellings of the text so far.
  // Each expansion multiplies the list by the words of the set; kMaxSpellings bounds the product.
  std::vector<Spelling> all = {{"", std::move(at)}};
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t open = text.find('<', from), close = open == std::string::npos ? open : text.find('>', open);
    for (Spelling& s : all) s.name += text.substr(from, (close == std::string::npos ? text.size() : open) - from);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    const SetId id = program.find_set(name);
    if (!id || program.set(id).elements || program.set(id).words.empty() || all.size() * program.set(id).words.size() > kMaxSpellings) {
      diagnostics.error(span, fmt::format("`{}`: `{}` is no set of words{}", text, name, suggestion(name, word_sets(program))));
      return {};
    }
    std::vector<Spelling> longer;
    const Set& set = program.set(id);
    for (const Spelling& s : all) {
      for (std::size_t w = 0; w < set.words.size(); ++w) {
        longer.push_back(s);
        longer.back().name += set.texts[w];
        longer.back().at.emplace_back(id, static_cast<WordId>(w));
      }
    }
    all = std::move(longer);
    from = close + 1;
  }
  return all;
}

void publish(Program& program, Linker& linker, Diagnostics& diagnostics) {
  // Publishes all metrics, then reports published names that are another global name, or that occur twice. The check
  // follows all metrics, because a conflict may be with a later metric.
  for (const Name* metric : program.metrics) {
    const Span span = metric->defs.empty() ? Span{} : metric->defs.back()->span;
    publish_metric(program, linker, *metric, span, diagnostics);
  }
  std::map<std::string, const Name*> seen;
  for (const Published& p : program.published) {
    const Name* other = program.find(p.name);
    const bool taken = (other != nullptr && other != p.metric) || !seen.emplace(p.name, p.metric).second;
    if (taken) diagnostics.error(p.metric->defs.empty() ? Span{} : p.metric->defs.back()->span, fmt::format("two metrics are published as `{}`", p.name));
  }
}

std::string declared_unit(const Name& metric) {
  for (const Def* def : metric.defs) {
    if (def->unit) return def->unit_text;
  }
  return {};
}

bool same_label(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) { return x == y || (x == '_' && y == ' ') || (x == ' ' && y == '_'); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

const Published* find_labeled(const Program& program, std::string_view label) {
  for (const auto& [_, parts] : program.reports) {
    for (const ReportPart& part : parts) {
      for (const auto& [key, metric] : part.metrics) {
        const Published* found = same_label(key, label) ? program.find_published(metric) : nullptr;
        if (found != nullptr) return found;
      }
    }
  }
  return nullptr;
}

}  // namespace opledger
