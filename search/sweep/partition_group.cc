#include "search/sweep/partition_group.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "search/sweep/collector.h"
#include "search/sweep/refusal_counter.h"

/// A group is evaluated by backtracking over a tree of prefixes, in blocks of lanes, as in vectorized query engines.
/// Each level assigns one more axis. The kernel computes every instruction at most once per prefix, at the outermost
/// level that knows its inputs, or takes it from a table; all variants share it. Children of a block are gathered until
/// they fill the lanes of the kernel, then visited depth first: memory stays at one block per level.
///
/// A variant leaves a lane when a check fails, and its subtree is counted without a visit. Candidates are counted by
/// their first failing check. If an earlier check is still undecided, the prune is pending. Either RefusalCounter
/// splits the subtree over the checks, or the variant stays in the lane with a mark. A lane without variants is
/// dropped. Variants that reach the last level without a mark are feasible.
namespace opledger {

/// The evaluation of one share of a group.
class GroupRunner::Evaluation {
 public:
  /// Prepares the working memory of one share: the kernel's frame, the tree of prefixes, one set of lanes for each
  /// level. Members depend on members before them. Counts of refusals start at 0, by variant and check.
  Evaluation(GroupRunner& owner, const PartitionGroup& group, std::size_t share, Diagnostics& diagnostics)
      : context_{owner.space_, owner.free_, owner.request_, owner.assignment_, diagnostics},
        share_(share),
        plan_(group.plan->get()),
        kernel_(plan_.kernel()),
        frame_(kernel_),
        variants_(group.variants.size()),
        inputs_(plan_.inputs(group.variants)),
        prefixes_(owner.space_, group, owner.assignment_, owner.request_.list),
        refusal_counter_(plan_, prefixes_, inputs_),
        root_(variants_),
        lanes_(plan_.levels().size(), Lanes(variants_)),
        path_(plan_.levels().size() + 1),
        collector_(context_, group, frame_, prefixes_, lanes_, result_) {
    for (std::size_t s = 0; s < variants_; ++s) result_.refused.emplace_back(plan_.checks_of(s).size());
  }

  /// Evaluates the share. Returns false, with errors or after an interruption, if it is incomplete.
  bool run() {
    const std::optional<VariantSet> any = prefixes_.begin(context_.diagnostics);
    if (!any) return false;
    kernel_.fix(frame_, inputs_, prefixes_.all());
    check_fixed(*any);
    if (lanes_.empty())
      collector_.keep(root_, 1);
    else if (!all_gone(root_))
      expand(0, 1);
    return !context_.diagnostics.has_errors() && !context_.request.stopped();
  }

  GroupResult take() {
    collector_.finish();
    for (std::size_t s = 0; s < variants_; ++s)
      result_.candidates += std::accumulate(result_.refused[s].begin(), result_.refused[s].end(), result_.feasible[s]);
    return std::move(result_);
  }

 private:
  bool all_gone(Lanes& lanes) const {
    for (std::size_t s = 0; s < variants_; ++s) {
      if (lanes.plain || lanes.of(s)[0] != Lanes::kGone) return false;
    }
    return true;
  }

  /// Evaluates the checks that read fixed axes only, before any level, and marks the failed variants in the root lane.
  /// `any`: variants that may have candidates. The first failed check of a variant, in the variant's own order, is
  /// certain if no earlier check depends on levels (`decided_at` is -1). All candidates of the variant are then counted
  /// under this check, by the first share only. Otherwise the variant goes on with a mark: an earlier check may refuse
  /// some of its candidates first.
  void check_fixed(VariantSet any) {
    for (std::size_t s = 0; s < variants_; ++s) {
      const std::vector<std::size_t>& checks = plan_.checks_of(s);
      const auto fails = [&](std::size_t c) { return kernel_.level(c) < 0 && kernel_.fixed_check(frame_, c) == 0; };
      const auto place = static_cast<std::size_t>(std::find_if(checks.begin(), checks.end(), fails) - checks.begin());
      const bool is_gone = (any & variant_bit(s)) == 0, fail = place < checks.size();
      if (!is_gone && !fail) continue;
      const bool is_decided = fail && plan_.order_of(s).decided_at[place] < 0;
      if (!is_gone && is_decided && share_ == 0) result_.refused[s][place] += prefixes_.subtree_size(-1, path_.data(), s, context_.diagnostics);
      root_.fill(1);
      root_.of(s)[0] = is_gone || is_decided ? Lanes::kGone : static_cast<std::uint32_t>(place + 1);
    }
  }

  /// Visits the children of the first `parents` lanes of the previous level. A lane is a prefix of values; its children
  /// add the value of one more axis. Children of several parents fill a block of kLanes lanes, which `visit` evaluates
  /// together and expands in turn: a depth-first walk with one block per level in memory. Parents with the same number
  /// have the same choices of values (memoized by `prefixes_`); consecutive parents of this kind are written together.
  /// Returns false after an error or an interruption.
  bool expand(std::size_t level, std::size_t parents) {
    if (context_.request.stopped()) return false;
    CodeKey& key = prefixes_.choice_key(level);
    std::uint32_t numbers[kLanes];  // A local array, because deeper levels run before the loop ends.
    number_parents(level, parents, key, numbers);
    std::size_t count = 0, same = 0;
    for (std::size_t p = 0; p < parents; p += same) {
      for (same = 1; p + same < parents && numbers[p + same] == numbers[p];) ++same;
      const Prefixes::Choices* const choices = choices_of(level, p, numbers[p]);
      if (choices == nullptr) return false;
      const std::size_t all = same * choices->codes.size();
      for (std::size_t from = 0; from < all;) {
        const std::size_t added = std::min(all - from, kLanes - count);
        add_lanes(level, p, *choices, from, added, count);
        from += added;
        count += added;
        if (count < kLanes) continue;
        if (!visit(level, count)) return false;
        count = 0;
      }
    }
    return count == 0 || visit(level, count);
  }

  /// Writes children into `count` lanes of a level, from `lane` on. A lane is one prefix, a choice of values up to the
  /// level. Each lane gets its parent (a lane of the previous level), its last value, and the value's code (its number
  /// on the level). `parent` is the first of several consecutive parents with the same choices. Their children are
  /// numbered one parent after the other, and `from` is the number of the first child to write; a block may end amid
  /// the children of a parent. Ranks (positions in domains) are needed to sort listed rows, variants if some variants
  /// lack a value.
  void add_lanes(std::size_t level, std::size_t parent, const Prefixes::Choices& choices, std::size_t from, std::size_t count, std::size_t lane) {
    Lanes& lanes = lanes_[level];
    const std::size_t all = choices.codes.size(), width = choices.ranks.size() / all;
    const bool has_kinds = plan_.levels()[level].kinds.representatives.size() > 1, list = context_.request.list;
    std::uint32_t* const parents = frame_.parents(level);
    std::uint32_t* const codes = frame_.codes(level);
    double* const values = frame_.values(level);
    const std::uint32_t* const code = choices.codes.data();
    const double* const value = choices.values.data();
    parent += from / all;
    std::size_t c = from % all;
    for (std::size_t i = lane; i < lane + count; ++i) {
      parents[i] = static_cast<std::uint32_t>(parent);
      codes[i] = code[c];
      values[i] = value[c];
      if (has_kinds) lanes.variants[i] = choices.variants[c];
      if (list) lanes.ranks[i] = choices.ranks.data() + c * width;
      if (++c == all) {
        c = 0;
        ++parent;
      }
    }
  }

  /// Writes to `numbers` the number of each lane (prefix) of the previous level in a key. Lanes with equal codes on the
  /// key's levels have equal numbers; a code is the number of a value on its level. A direct number is a sum of codes
  /// times strides, computed for all lanes of a level at once. Other numbers come from a map, lane by lane.
  void number_parents(std::size_t level, std::size_t parents, CodeKey& key, std::uint32_t* numbers) {
    if (!key.direct()) {
      for (std::size_t p = 0; p < parents; ++p) {
        find_path(level, p, key.levels());
        numbers[p] = key.number(path_.data());
      }
      return;
    }
    std::fill_n(numbers, parents, 0);
    for (std::size_t k = 0; k < key.levels().size(); ++k) {
      const std::size_t earlier = key.levels()[k];
      add_scaled(frame_.codes(earlier), earlier + 1 == level ? nullptr : frame_.ancestors(level - 1, earlier), key.stride(k), numbers, parents);
    }
  }

  /// Fills `path_` with the codes of a lane of the previous level and its ancestors, on the listed levels.
  void find_path(std::size_t level, std::size_t lane, const std::vector<std::size_t>& levels) {
    for (const std::size_t earlier : levels) {
      if (earlier < level) path_[earlier] = frame_.codes(earlier)[earlier + 1 == level ? lane : frame_.ancestors(level - 1, earlier)[lane]];
    }
  }

  /// Fills `path_` with the codes of a lane of `level` itself and its ancestors.
  void find_path_at(std::size_t level, std::size_t lane, const std::vector<std::size_t>& levels) {
    path_[level] = frame_.codes(level)[lane];
    if (level > 0) find_path(level, frame_.parents(level)[lane], levels);
  }

  /// Returns the choices of a parent; the path is found only for a missing memo.
  const Prefixes::Choices* choices_of(std::size_t level, std::size_t parent, std::uint32_t number) {
    if (const Prefixes::Choices* const known = prefixes_.known(level, number)) return known;
    find_path(level, parent, prefixes_.choice_key(level).levels());
    return prefixes_.choices(level, number, path_.data(), context_.diagnostics);
  }

  /// Evaluates a block of lanes: checks first, because results of refused lanes are not needed. Then expands the
  /// children, or collects feasible candidates at the last level. Returns false after an error or an interruption.
  bool visit(std::size_t level, std::size_t count) {
    if (level == plan_.shares().level && plan_.shares().count > 1) count = select_share(level, count);
    if (count == 0) return true;
    kernel_.begin(frame_, level, count);
    if (!check(level)) return !context_.diagnostics.has_errors();
    kernel_.finish(frame_, level);
    if (level + 1 < lanes_.size()) return expand(level + 1, frame_.count(level));
    collector_.keep(lanes_[level], frame_.count(level));
    return !context_.diagnostics.has_errors();
  }

  /// Keeps the lanes of this share, and returns their number. Among n shares, a share has every n-th lane of the level.
  std::size_t select_share(std::size_t level, std::size_t count) {
    kept_.select(count, [&](std::size_t) { return lanes_seen_++ % plan_.shares().count == share_; });
    const auto take = [&](auto* all) { pick(all, kept_.begin(), all, kept_.count); };
    take(frame_.parents(level));
    take(frame_.codes(level));
    take(frame_.values(level));
    for (std::size_t i = 0; i < kept_.count; ++i) {
      lanes_[level].variants[i] = lanes_[level].variants[kept_[i]];
      lanes_[level].ranks[i] = lanes_[level].ranks[kept_[i]];
    }
    return kept_.count;
  }

  /// Evaluates the checks that become known at this level, for all lanes and variants together. A lane is one prefix (a
  /// choice of values up to this level); a variant is one of several traces that share the lanes. Marks are first
  /// copied from the parents. A failed check marks its variants in the lane. The mark is 1 + the position of the check
  /// in the variant's order, which differs from the order of evaluation (CheckOrder); the smallest mark is kept. Marked
  /// variants are then pruned where possible, and lanes without variants are dropped (`drop_refused`). `plain` lanes
  /// have no marks, and their tables are not even filled: the common case. Returns false if no lane is left.
  bool check(std::size_t level) {
    Lanes& lanes = lanes_[level];
    const std::size_t count = frame_.count(level);
    inherit(level, count);
    for (const std::size_t c : plan_.levels()[level].checks) {
      const double* const holds = kernel_.check(frame_, c);
      if (all_hold(holds, count)) continue;
      lanes.fill(count);
      each_variant(plan_.checks()[c].variants, [&](std::size_t s) {
        const auto place = static_cast<std::uint32_t>(plan_.checks()[c].places[s] + 1);
        std::uint32_t* const own = lanes.of(s);
        for (std::size_t i = 0; i < count; ++i) own[i] = holds[i] == 0 && place < own[i] ? place : own[i];
      });
    }
    return lanes.plain || drop_refused(level, count);
  }

  /// Copies the marks of a lane's variants from its parent, and removes variants without the lane's value. If the
  /// parents have no marks and all variants have every value, lanes stay `plain` and nothing is copied.
  void inherit(std::size_t level, std::size_t count) {
    Lanes &lanes = lanes_[level], &before = level == 0 ? root_ : lanes_[level - 1];
    const bool all = plan_.levels()[level].kinds.representatives.size() == 1;
    lanes.plain = true;
    if (before.plain && all) return;
    lanes.fill(count);
    for (std::size_t s = 0; s < variants_; ++s) {
      std::uint32_t* const own = lanes.of(s);
      if (!before.plain) pick(before.of(s), frame_.parents(level), own, count);
      for (std::size_t i = 0; i < count && !all; ++i) own[i] = (lanes.variants[i] & variant_bit(s)) != 0 ? own[i] : Lanes::kGone;
    }
  }

  /// Prunes marked variants where possible and compacts the lanes. A lane is one prefix, shared by variants (traces
  /// that are evaluated together). A mark says which check a variant fails in a lane: kNone for none, kGone if the
  /// variant has left the lane. `refuse_same_check` counts and removes the lanes of `failing_` with one mark; a removed
  /// lane becomes kGone, a lane whose prune must wait keeps its mark. A lane survives if a variant is left: the bitwise
  /// OR of its marks is not kGone. Surviving lanes move to the front, in the marks and in the kernel. Returns false if
  /// no lane is left.
  bool drop_refused(std::size_t level, std::size_t count) {
    Lanes& lanes = lanes_[level];
    std::fill_n(alive_.begin(), count, 0);
    bool plain = true;
    for (std::size_t s = 0; s < variants_; ++s) {
      std::uint32_t* const own = lanes.of(s);
      // Selects lanes with a failed check: neither kGone nor kNone, because kNone + 1 wraps to 0.
      failing_.select(count, [&](std::size_t i) { return own[i] + 1 > Lanes::kGone + 1; });
      while (failing_.count > 0) refuse_same_check(level, s, own);
      for (std::size_t i = 0; i < count; ++i) alive_[i] |= own[i];
    }
    kept_.select(count, [&](std::size_t i) { return alive_[i] != Lanes::kGone; });
    if (kept_.count == 0) return false;
    for (std::size_t s = 0; s < variants_; ++s) {
      std::uint32_t* const own = lanes.of(s);
      if (kept_.count < count) pick(own, kept_.begin(), own, kept_.count);
      for (std::size_t i = 0; i < kept_.count; ++i) plain = plain && own[i] == Lanes::kNone;
    }
    lanes.plain = plain;
    if (kept_.count == count) return true;
    for (std::size_t i = 0; i < kept_.count && context_.request.list; ++i) lanes.ranks[i] = lanes.ranks[kept_[i]];
    kernel_.narrow(frame_, level, std::span(kept_.begin(), kept_.end()));
    return true;
  }

  template <class Visit>
  static void each_variant(VariantSet variants, const Visit& visit) {
    for (; variants != 0; variants &= variants - 1) visit(static_cast<std::size_t>(std::countr_zero(variants)));
  }

  /// Takes the lanes of `failing_` with the mark of its last lane, and prunes the variant there. The lanes keep their
  /// marks if the prune must wait.
  void refuse_same_check(std::size_t level, std::size_t variant, std::uint32_t* own) {
    const std::uint32_t mark = own[failing_[failing_.count - 1]];
    const auto others = std::partition(failing_.begin(), failing_.end(), [&](std::uint32_t i) { return own[i] != mark; });
    const std::span<const std::uint32_t> same(others, failing_.end());  // The lanes come in any order.
    if (refuse(level, variant, mark - 1, same)) {
      for (const std::uint32_t i : same) own[i] = Lanes::kGone;
    }
    failing_.count -= same.size();
  }

  /// Counts the candidates below lanes (prefixes of `level`) where a variant fails the check at `place`, a position in the
  /// variant's order.
  /// Candidates count under the first check that fails. If all earlier checks are known at this level, `place` is
  /// certainly the first, and the subtree sizes are added to it. Otherwise a small table splits each subtree over the
  /// checks, or the prune must wait and the result is false. Sizes and splits are memoized by a few levels: lanes get
  /// numbers in the memo's key, and a missing entry is computed from the lane's path of codes.
  bool refuse(std::size_t level, std::size_t variant, std::size_t place, std::span<const std::uint32_t> lanes) {
    const CheckOrder& order = plan_.order_of(variant);
    std::vector<std::uint64_t>& refused = result_.refused[variant];
    const CheckOrder::PendingPrune& pending = order.pending_prunes[level][place];
    const bool is_decided = order.decided_at[place] <= static_cast<int>(level);
    if (!is_decided && !pending.is_counted) return false;
    if (level < plan_.shares().level && share_ > 0) return true;  // all shares visit these levels; only the first one counts
    if (!is_decided) {
      RefusalCounter::CountTable& known = refusal_counter_.table(level, variant, place);
      number_lanes(level, lanes, known.key);
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (known.add(numbers_[i], refused)) continue;
        find_path_at(level, lanes[i], known.key.levels());
        refusal_counter_.add(level, variant, place, path_.data(), refused, context_.diagnostics);
      }
    } else if (level + 1 == lanes_.size()) {
      refused[place] += lanes.size();
    } else {
      number_lanes(level, lanes, prefixes_.size_key(level));
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::uint64_t* known = prefixes_.known_subtree_size(level, numbers_[i], variant);
        if (known == nullptr) find_path_at(level, lanes[i], plan_.levels()[level].size_levels);
        refused[place] += known != nullptr ? *known : prefixes_.subtree_size(static_cast<int>(level), path_.data(), variant, context_.diagnostics);
      }
    }
    return true;
  }

  /// Writes to `numbers_` the number of each of the given lanes (prefixes) of `level` in a key, an index into a memo. A
  /// code is the number of a value on its level. A direct number is the sum of codes times strides over the key's
  /// levels, computed for all lanes at once. The codes of earlier levels belong to the ancestors of a lane: `above_`
  /// has the parents, `further_` the ancestors on one earlier level. Other numbers come from a map.
  void number_lanes(std::size_t level, std::span<const std::uint32_t> lanes, CodeKey& key) {
    if (!key.direct()) {
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        find_path_at(level, lanes[i], key.levels());
        numbers_[i] = key.number(path_.data());
      }
      return;
    }
    std::fill_n(numbers_.begin(), lanes.size(), 0);
    if (level > 0) pick(frame_.parents(level), lanes.data(), above_.data(), lanes.size());
    for (std::size_t k = 0; k < key.levels().size(); ++k) {
      const std::size_t key_level = key.levels()[k];
      if (key_level + 1 < level) pick(frame_.ancestors(level - 1, key_level), above_.data(), further_.data(), lanes.size());
      const std::uint32_t* const at = key_level == level ? lanes.data() : key_level + 1 == level ? above_.data() : further_.data();
      add_scaled(frame_.codes(key_level), at, key.stride(k), numbers_.data(), lanes.size());
    }
  }

  const GroupContext context_;
  const std::size_t share_;
  const Plan& plan_;
  const LevelKernel& kernel_;
  LevelKernel::Frame frame_;
  const std::size_t variants_;
  const std::vector<double> inputs_;  ///< Inputs of the kernel.
  Prefixes prefixes_;
  RefusalCounter refusal_counter_;
  Lanes root_;                       ///< State before any level, one lane.
  std::vector<Lanes> lanes_;         ///< One entry per level.
  std::vector<std::uint32_t> path_;  ///< Codes of one prefix, one per level; scratch.
  std::array<std::uint32_t, kLanes> alive_{}, numbers_{}, above_{}, further_{};
  LaneList failing_, kept_;
  std::size_t lanes_seen_ = 0;  ///< Lanes so far of the level that is divided into shares.
  GroupResult result_;
  Collector collector_;
};

GroupRunner::GroupRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request)
    : space_(space), free_(free), stops_(stops), request_(request), assignment_(space, &stops) {}

GroupRunner::~GroupRunner() = default;

std::optional<GroupResult> GroupRunner::run(const PartitionGroup& group, std::size_t share, Diagnostics& diagnostics) {
  assignment_.enter(*group.range, group.region);
  Evaluation evaluation(*this, group, share, diagnostics);
  if (!evaluation.run()) return std::nullopt;
  return evaluation.take();
}

}  // namespace opledger
