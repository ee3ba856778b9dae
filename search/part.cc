#include "search/part.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "search/tile.h"

/// A part is a table: a candidate is a row, values of some axes, and a column, values of the others, and what depends on rows or on columns alone is
/// computed once for each of them. Rows are gathered until there are as many as the kernel has lanes. Each goes with a tile, the columns that are left
/// once the checks that need no row have refused theirs; rows of equal tiles share one. A row goes through the columns of its tile in blocks, whose
/// candidates are the bits of a word: a check clears and counts those that it refuses, in the order of the checks, so that every candidate is refused by
/// the first that it fails. A check that a row fails with all its candidates ends it before any block is computed, unless a column may fail an earlier
/// one. What is left is added to the sums, and kept if it is among the best or on the front.
namespace opledger {
namespace {

constexpr std::size_t kLanes = StagedKernel::kLanes;
constexpr std::size_t kPiece = 4096;  // columns that are held at once

bool alone(StagedKernel::Stage stage) { return stage == StagedKernel::kFixed || stage == StagedKernel::kRow; }

}  // namespace

/// One part.
class PartRunner::Rows {
 public:
  Rows(PartRunner& owner, const Part& part, Diagnostics& diagnostics)
      : space_(owner.space_),
        free_(owner.free_),
        request_(owner.request_),
        diagnostics_(diagnostics),
        assignment_(owner.assignment_),
        stop_(part.stop),
        plan_(*part.plan),
        kernel_(plan_.kernel()),
        frame_(kernel_),
        tiles_(owner.space_, owner.free_, part, owner.stops_, owner.request_.list, owner.assignment_, owner.listings_),
        inputs_(owner.free_.axes.size()) {
    result_.refused.resize(plan_.checks());
    result_.sums.resize(request_.sums.size());
    std::vector<bool> most;
    for (const FrontMetric& metric : request_.front) most.push_back(metric.most);
    result_.front = Front(std::move(most));
    result_.rows.axes = space_.axes.size();
    result_.rows.metrics = request_.metrics.size();
    AxisSet vary = plan_.late();
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if (space_.axes[a].derived == nullptr || (space_.axes[a].reads & vary) == 0) continue;
      vary |= axis_bit(a);
      follows_.push_back(a);
    }
  }

  bool run(AxisSet known) {
    kernel_.fix(frame_, free_.of(assignment_.values));
    if (request_.list && !assignment_.rank(known, diagnostics_)) return false;
    return add_rows(known) && run_rows();
  }

  PartResult take() {
    keep_each_once();
    return std::move(result_);
  }

 private:
  struct Row {
    std::vector<double> values;
    std::vector<std::uint32_t> ranks;  ///< Where all feasible candidates are wanted.
    Tile* tile;
  };

  bool add_rows(AxisSet known) {
    return assignment_.each(known, assignment_.all() & ~plan_.late(), diagnostics_, [&](AxisSet now) { return add_row(now); });
  }

  bool add_row(AxisSet known) {
    Tile* const tile = tiles_.of(known, diagnostics_);
    if (tile == nullptr) return false;
    result_.candidates += tile->all;
    for (std::size_t c = 0; c < tile->refused.size(); ++c) result_.refused[c] += tile->refused[c];
    if (tile->count == 0) return true;
    for (std::size_t i = 0; i < free_.axes.size(); ++i) inputs_[i].push_back(assignment_.values[free_.axes[i]]);
    rows_.push_back({assignment_.values, request_.list ? assignment_.ranks : std::vector<std::uint32_t>{}, tile});
    return rows_.size() < kLanes || run_rows();
  }

  bool run_rows() {
    if (rows_.empty()) return true;
    if (request_.stopped()) return false;
    std::vector<const double*> in;
    for (auto& column : inputs_) {
      column.resize(kLanes);
      in.push_back(column.data());
    }
    kernel_.run_rows(frame_, in, rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) first_.push_back(first_failing(r));
    std::vector<Tile*> done;
    for (const Row& row : rows_) {
      if (contains(done, row.tile)) continue;
      done.push_back(row.tile);
      run_tile(*row.tile);
    }
    rows_.clear();
    first_.clear();
    for (auto& column : inputs_) column.clear();
    return !diagnostics_.has_errors() && !request_.stopped();
  }

  void run_tile(Tile& tile) {
    for (std::size_t from = 0; from < tile.count; from += kPiece) {
      const std::size_t count = std::min(kPiece, tile.count - from);
      std::optional<StagedKernel::Columns> piece;
      std::optional<StagedKernel::Columns>& columns = tile.count <= kPiece ? tile.columns : piece;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (rows_[r].tile != &tile) continue;
        if (request_.stopped()) return;
        const First& first = first_[r];
        if (first.check < plan_.checks() && !first.columns_before) {
          result_.refused[first.check] += count;
          continue;
        }
        if (!columns) columns.emplace(compute(tile, from, count));
        kernel_.enter(frame_, r);
        for (std::size_t b = 0; b < columns->blocks(); ++b) run_block(r, tile, from, *columns, b);
      }
    }
  }

  StagedKernel::Columns compute(const Tile& tile, std::size_t from, std::size_t count) {
    std::vector<const double*> in;
    for (const auto& column : tile.inputs) in.push_back(column.empty() ? nullptr : column.data() + from);
    return kernel_.columns(frame_, in, count);
  }

  /// The first check that all of a row's candidates fail, and whether some may fail one before.
  struct First {
    std::size_t check = 0;
    bool columns_before = false;
  };

  First first_failing(std::size_t r) const {
    First out;
    for (; out.check < plan_.checks(); ++out.check) {
      if (out.check < plan_.sieved()) continue;
      if (!alone(kernel_.stage(out.check)))
        out.columns_before = true;
      else if (kernel_.value(frame_, out.check, r) == 0)
        break;
    }
    return out;
  }

  void run_block(std::size_t r, Tile& tile, std::size_t from, StagedKernel::Columns& columns, std::size_t b) {
    const std::size_t count = std::min(kLanes, columns.count() - b * kLanes);
    kernel_.run_cells(frame_, columns, b, true);
    std::uint64_t alive = count == kLanes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    for (std::size_t c = plan_.sieved(); c < first_[r].check && alive != 0; ++c) {
      if (alone(kernel_.stage(c))) continue;
      const double* const holds = kernel_.values(columns, c, b);
      std::uint64_t fails = 0;
      for (std::size_t i = 0; i < kLanes; ++i) fails |= static_cast<std::uint64_t>(holds[i] == 0 ? 1 : 0) << i;
      result_.refused[c] += static_cast<std::uint64_t>(std::popcount(alive & fails));
      alive &= ~fails;
    }
    if (first_[r].check < plan_.checks()) {
      result_.refused[first_[r].check] += static_cast<std::uint64_t>(std::popcount(alive));
      return;
    }
    if (alive == 0) return;
    if (stop_) return keep_stop(r, tile, from + b * kLanes, alive);
    kernel_.run_cells(frame_, columns, b, false);
    result_.feasible += static_cast<std::uint64_t>(std::popcount(alive));
    keep(r, tile, from, columns, b, alive);
  }

  /// A metric of a block's candidates; what the row or less decides is spread.
  const double* metric(std::size_t m, std::size_t r, const StagedKernel::Columns& columns, std::size_t b) {
    const std::size_t output = plan_.checks() + m;
    if (!alone(kernel_.stage(output))) return kernel_.values(columns, output, b);
    spread_.fill(kernel_.value(frame_, output, r));
    return spread_.data();
  }

  void keep(std::size_t r, const Tile& tile, std::size_t from, const StagedKernel::Columns& columns, std::size_t b, std::uint64_t alive) {
    for (std::size_t m = 0; m < request_.sums.size(); ++m) {
      const double* const values = metric(1 + m, r, columns, b);
      each_lane(alive, [&](std::size_t i) { result_.sums[m].add(values[i]); });
    }
    keep_best(r, tile, from, columns, b, alive);
    if (!request_.front.empty()) keep_front(r, tile, from, columns, b, alive);
    if (request_.list) keep_all(r, tile, from, columns, b, alive);
  }

  /// With which values of the axis that is looked at something is feasible, and those before it.
  void keep_stop(std::size_t r, Tile& tile, std::size_t column, std::uint64_t alive) {
    const auto add_keys = [&](bool of_columns, auto&& add) {
      for (std::size_t input = 0; input < free_.axes.size() && free_.axes[input] <= *stop_; ++input) {
        if (tile.inputs[input].empty() != of_columns) add(free_.axes[input], input);
      }
    };
    if (tile.keys.empty()) {
      tile.keys.resize(tile.count);
      add_keys(true, [&](std::size_t axis, std::size_t input) {
        for (std::size_t c = 0; c < tile.count; ++c) tile.keys[c] += Stops::key(axis, tile.inputs[input][c]);
      });
    }
    Stops::Key of_row = 0;
    add_keys(false, [&](std::size_t axis, std::size_t) { of_row += Stops::key(axis, rows_[r].values[axis]); });
    std::vector<Stops::Key>& with = result_.with;
    each_lane(alive, [&](std::size_t i) {
      const Stops::Key key = of_row + tile.keys[column + i];
      if (with.empty() || with.back() != key) with.push_back(key);
    });
    if (with.size() > 2 * once_ + kPiece) keep_each_once();
  }

  void keep_each_once() {
    std::vector<Stops::Key>& with = result_.with;
    std::sort(with.begin(), with.end());
    with.erase(std::unique(with.begin(), with.end()), with.end());
    once_ = with.size();
  }

  void keep_best(std::size_t r, const Tile& tile, std::size_t from, const StagedKernel::Columns& columns, std::size_t b, std::uint64_t alive) {
    const double* const scores = metric(0, r, columns, b);
    if (result_.best.size() >= request_.top) {
      const double bar = request_.top == 0 ? 0 : result_.best.back().score;
      std::uint64_t reach = 0;
      for (std::size_t i = 0; i < kLanes; ++i) reach |= static_cast<std::uint64_t>((space_.maximise ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0) << i;
      alive &= request_.top == 0 ? 0 : reach;
    }
    each_lane(alive, [&](std::size_t i) {
      if (!std::isfinite(scores[i])) return;
      opledger::keep_best(result_.best, {scores[i], values_of(r, tile, from + b * kLanes + i)}, {request_.top, space_.maximise}, assignment_, diagnostics_);
    });
  }

  void keep_front(std::size_t r, const Tile& tile, std::size_t from, const StagedKernel::Columns& columns, std::size_t b, std::uint64_t alive) {
    const std::size_t width = request_.front.size();
    points_.resize(kLanes * width);
    for (std::size_t m = 0; m < width; ++m) {
      const double* const values = metric(1 + request_.sums.size() + m, r, columns, b);
      each_lane(alive, [&](std::size_t i) { points_[i * width + m] = values[i]; });
    }
    each_lane(alive, [&](std::size_t i) {
      const std::span<const double> point(points_.data() + i * width, width);
      if (!std::all_of(point.begin(), point.end(), [](double value) { return std::isfinite(value); }) || result_.front.beats(point)) return;
      result_.front.add({{point.begin(), point.end()}, values_of(r, tile, from + b * kLanes + i), 1}, assignment_, diagnostics_);
    });
  }

  void keep_all(std::size_t r, const Tile& tile, std::size_t from, const StagedKernel::Columns& columns, std::size_t b, std::uint64_t alive) {
    FoundRows& rows = result_.rows;
    const std::size_t before = rows.count;
    each_lane(alive, [&](std::size_t i) {
      const std::size_t column = from + b * kLanes + i;
      const std::vector<double> values = values_of(r, tile, column);
      rows.values.insert(rows.values.end(), values.begin(), values.end());
      for (std::size_t input = 0; input < free_.axes.size(); ++input)
        rows.ranks.push_back(tile.ranks[input].empty() ? rows_[r].ranks[free_.axes[input]] : tile.ranks[input][column]);
      ++rows.count;
    });
    rows.costs.resize(rows.count * rows.metrics);
    for (std::size_t m = 0; m < rows.metrics; ++m) {
      const double* const values = metric(1 + request_.sums.size() + request_.front.size() + m, r, columns, b);
      std::size_t row = before;
      each_lane(alive, [&](std::size_t i) { rows.costs[row++ * rows.metrics + m] = values[i]; });
    }
  }

  template <class Visit>
  static void each_lane(std::uint64_t lanes, const Visit& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
  }

  /// What a row and a column choose, and what follows from it.
  std::vector<double> values_of(std::size_t r, const Tile& tile, std::size_t column) {
    std::vector<double> out = rows_[r].values;
    for (std::size_t input = 0; input < free_.axes.size(); ++input) {
      if (!tile.inputs[input].empty()) out[free_.axes[input]] = tile.inputs[input][column];
    }
    for (const std::size_t a : follows_) out[a] = assignment_.domains.of(a, out, diagnostics_)->front();
    return out;
  }

  Space& space_;
  const FreeAxes& free_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Assignment& assignment_;
  const std::optional<std::size_t> stop_;
  const Plan& plan_;
  const StagedKernel& kernel_;
  StagedKernel::Frame frame_;
  Tiles tiles_;
  std::vector<std::vector<double>> inputs_;
  std::vector<Row> rows_;
  std::vector<First> first_;
  std::array<double, kLanes> spread_{};
  std::vector<double> points_;
  std::vector<std::size_t> follows_;  ///< Derived axes that depend on columns.
  std::size_t once_ = 0;              ///< Of what is kept of an axis that stops, so many are each there once.
  PartResult result_;
};

PartRunner::PartRunner(Space& space, const FreeAxes& free, const Stops& stops, const SweepRequest& request)
    : space_(space), free_(free), stops_(stops), request_(request), assignment_(space, &stops) {}

PartRunner::~PartRunner() = default;

std::optional<PartResult> PartRunner::run(const Part& part, Diagnostics& diagnostics) {
  assignment_.enter(*part.stretch, part.region);
  assignment_.values = part.values;
  Rows rows(*this, part, diagnostics);
  if (!rows.run(part.known)) return std::nullopt;
  return rows.take();
}

}  // namespace opledger
