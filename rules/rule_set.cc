#include "rules/rule_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "rules/rule_reader.h"

namespace opledger {

namespace {

/// Reads one document. Every section is a list of rules, called `document.section[position]`.
class Reader {
 public:
  Reader(const Document& document, const ExprPtr& when, bool quiet, RuleSet& rules, Diagnostics& diagnostics)
      : document_(document), when_(when), quiet_(quiet), rules_(rules), diagnostics_(diagnostics) {}

  void read() {
    section("parts", &Reader::part);
    section("uneven", &Reader::uneven);
    section("shard", &Reader::shard);
    section("nodes", &Reader::node);
    section("weights", &Reader::weight);
    section("activations", &Reader::activation);
    section("recompute", &Reader::recompute);
    section("fuse", &Reader::fuse);
    section("mark", &Reader::mark);
    section("merge", &Reader::merge);
  }

 private:
  void section(const char* name, void (Reader::*one)(const Datum&, const RuleRef&)) {
    const Datum* list = document_.root.find(name);
    if (!list || list->is_null()) return;
    if (!list->is_list()) diagnostics_.error(list->span(), fmt::format("`{}` must be a list of rules, found {}", name, list->describe()));
    for (std::size_t i = 0; i < list->items().size(); ++i) {
      const Datum& item = list->items()[i];
      (this->*one)(item, {fmt::format("{}.{}[{}]", document_.name, name, i), item.span(), quiet_});
    }
  }

  /// Returns the conjunction of a rule's condition and its document's.
  ExprPtr when(const Datum& item) { return both(when_, read_when(item, diagnostics_)); }

  /// Reads the keys that are common to all sections except `parts`, `uneven`, `shard` and `merge`.
  template <class Rule>
  Rule begin(const Datum& item, const RuleRef& ref) {
    if (!item.is_map()) diagnostics_.error(item.span(), fmt::format("a rule must be a mapping, found {}", item.describe()));
    Rule rule;
    rule.match = read_match(item, diagnostics_);
    rule.when = when(item);
    rule.ref = ref;
    return rule;
  }

  std::vector<std::string> words(const Datum& item, const char* key) {
    const Datum* value = item.find(key);
    return value ? read_words(*value, diagnostics_) : std::vector<std::string>{};
  }

  std::optional<std::vector<std::string>> axes(const Datum& item, const char* key) {
    const Datum* value = item.find(key);
    if (!value) return std::nullopt;
    return read_words(*value, diagnostics_);
  }

  /// Reads a part: layers that become a segment of their own. An entry has a name and either `layers`, a number of
  /// layers at a place `at`, or `every`. With `every: n`, one of every n layers belongs to the part, spread evenly. An
  /// entry of another form, or with a malformed formula, is an error and left out.
  void part(const Datum& item, const RuleRef& ref) {
    PartRule rule;
    rule.part.segments = words(item, "segment");
    rule.part.blocks = words(item, "block");
    rule.part.at = static_cast<LayerPart::At>(read_choice(item, "at", {"first", "last", "even"}, diagnostics_));
    rule.part.rule = ref.text;
    rule.part.span = ref.span;
    rule.when = when(item);
    const Datum *name = item.find("name"), *layers = item.find("layers"), *every = item.find("every");
    if (name == nullptr || !name->is_scalar() || (layers == nullptr) == (every == nullptr) || (every != nullptr && item.find("at") != nullptr)) {
      diagnostics_.error(item.span(), "a part is written `{name: NAME, layers: FORMULA, at: first | last | even}` or `{name: NAME, every: FORMULA}`");
      return;
    }
    rule.part.name = name->text();
    (layers != nullptr ? rule.part.layers : rule.part.every) = parse_formula(layers != nullptr ? *layers : *every, name->text(), diagnostics_);
    if (every != nullptr) rule.part.at = LayerPart::At::even;
    if (rule.part.layers || rule.part.every) rules_.parts.push_back(std::move(rule));
  }

  void uneven(const Datum& item, const RuleRef& ref) {
    for (UnevenRule& rule : read_uneven(item, ref, diagnostics_)) {
      rule.when = when_;
      rules_.uneven.push_back(std::move(rule));
    }
  }

  void shard(const Datum& item, const RuleRef& ref) {
    for (ShardRule& rule : read_shard(item, ref, diagnostics_)) {
      rule.when = both(when_, rule.when);
      rules_.shard.push_back(std::move(rule));
    }
  }

  void node(const Datum& item, const RuleRef& ref) {
    auto rule = begin<NodeRule>(item, ref);
    if (const Datum* shard = item.find("shard")) {
      for (const Datum& entry : shard->items()) {
        for (ShardRule& inner : read_shard(entry, ref, diagnostics_)) rule.shard.push_back(std::move(inner));
      }
    }
    rule.freeze = words(item, "freeze");
    rule.thaw = words(item, "thaw");
    rule.avoid = words(item, "avoid");
    rule.pass = words(item, "pass");
    rules_.nodes.push_back(std::move(rule));
  }

  /// Reads a rule for weights: for each state of a weight, the axes over which it is spread besides those by which its
  /// nodes compute; and whether the weight is trained. An absent key stays empty, so that an earlier rule decides.
  /// `keep: gathered` is a word, not an axis. `gradient` is a list of axes that shard the gradient, or a mapping with
  /// the lists `sharded` and `reduced`. It sets both lists; an absent one is empty.
  void weight(const Datum& item, const RuleRef& ref) {
    auto rule = begin<WeightRule>(item, ref);
    if (const Datum* match = item.find("match")) rule.tensor = words(*match, "tensor");
    if (const Datum* trained = item.find("trained")) rule.trained = read_boolean(*trained, "trained", diagnostics_);
    rule.stored = axes(item, "stored");
    rule.optimizer = axes(item, "optimizer");
    const Datum* keep = item.find("keep");
    rule.keep_gathered = keep && keep->is_scalar() && keep->text() == "gathered";
    if (!rule.keep_gathered) rule.keep = axes(item, "keep");
    const Datum* gradient = item.find("gradient");
    if (gradient && gradient->is_map()) {
      rule.gradient = words(*gradient, "sharded");
      rule.reduced = words(*gradient, "reduced");
    } else if (gradient) {
      rule.gradient = read_words(*gradient, diagnostics_);
      rule.reduced.emplace();
    }
    rules_.weights.push_back(std::move(rule));
  }

  void activation(const Datum& item, const RuleRef& ref) {
    auto rule = begin<ActivationRule>(item, ref);
    rule.sharded = read_choice(item, "keep", {"gathered", "sharded"}, diagnostics_) == 1;
    rules_.activations.push_back(std::move(rule));
  }

  void fuse(const Datum& item, const RuleRef& ref) {
    rules_.fuse.push_back(begin<FuseRule>(item, ref));
    rules_.fuse.back().by_input = read_choice(item, "by", {"result", "input"}, diagnostics_) != 0;
  }

  void recompute(const Datum& item, const RuleRef& ref) {
    auto rule = begin<RecomputeRule>(item, ref);
    rule.needed = read_choice(item, "replay", {"whole", "needed"}, diagnostics_) == 1;
    rule.dropped = read_choice(item, "outputs", {"kept", "dropped"}, diagnostics_) == 1;
    rules_.recompute.push_back(std::move(rule));
  }

  /// Reads words that must be in a list.
  std::vector<std::string> known(const Datum& match, const char* key, const std::vector<std::string>& all) {
    std::vector<std::string> out = words(match, key);
    const Span span = out.empty() ? Span{} : match.find(key)->span();
    for (const std::string& word : out) {
      if (!contains(all, word)) diagnostics_.error(span, fmt::format("`{}` is {}, found `{}`{}", key, join(all, ", "), word, suggestion(word, all)));
    }
    return out;
  }

  void mark(const Datum& item, const RuleRef& ref) {
    auto rule = begin<MarkRule>(item, ref);
    if (const Datum* match = item.find("match")) {
      rule.axes = words(*match, "axis");
      rule.collective = known(*match, "collective", {"reduce-scatter", "all-to-all", "all-reduce", "all-gather", "point-to-point"});
      rule.phase = known(*match, "phase", {"forward", "recompute", "agrad", "wgrad", "optimizer"});
      rule.cadence = known(*match, "cadence", {"microbatch", "step"});
      rule.carries = known(*match, "carries", carried_words());
      rule.tensor = words(*match, "tensor");
    }
    for (Marked kind : {Marked::message, Marked::saved, Marked::weight, Marked::node, Marked::cached}) marks(item, kind, rule);
    rules_.mark.push_back(std::move(rule));
  }

  void marks(const Datum& item, Marked kind, MarkRule& rule) {
    const Datum* found = item.find(to_string(kind));
    if (!found) return;
    for (const auto& [name, value] : found->entries()) rule.marks.push_back({kind, name.text(), value.text(), name.span(), value.span(), {}});
    const bool narrowed = !rule.axes.empty() || !rule.collective.empty() || !rule.phase.empty() || !rule.cadence.empty() || !rule.carries.empty();
    if (narrowed && kind != Marked::message)
      diagnostics_.error(found->span(), fmt::format("a `{}` has no axis, collective, phase or cadence: mark it by a rule of its own", to_string(kind)));
  }

  void merge(const Datum& item, const RuleRef& ref) { rules_.merge.push_back({read_words(item, diagnostics_), when_, ref, {}}); }

  const Document& document_;
  const ExprPtr& when_;
  const bool quiet_;
  RuleSet& rules_;
  Diagnostics& diagnostics_;
};

}  // namespace

Uneven RuleSet::uneven_of(const ShardRule& rule, const std::string& dimension) const {
  if (rule.uneven) return *rule.uneven;
  const auto found = std::find_if(uneven.rbegin(), uneven.rend(), [&](const UnevenRule& other) { return contains(other.dimensions, dimension); });
  return found == uneven.rend() ? Uneven::error : found->uneven;
}

bool RuleSet::add(const Document& document, Diagnostics& diagnostics, const ExprPtr& when, bool quiet) {
  std::size_t errors = diagnostics.errors();
  const Datum* quietly = document.root.find("quiet");
  Reader(document, when, quiet || (quietly != nullptr && quietly->text() == "true"), *this, diagnostics).read();
  return diagnostics.errors() == errors;
}

}  // namespace opledger
