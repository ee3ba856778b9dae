#include "search/part.h"

#include <algorithm>
#include <array>
#include <bit>

namespace opledger {
namespace {

constexpr std::size_t kLanes = StagedKernel::kLanes;
constexpr std::size_t kPiece = 4096;  // columns that are held at once

bool alone(StagedKernel::Stage stage) { return stage == StagedKernel::kFixed || stage == StagedKernel::kRow; }

/// The columns that belong to some rows: those that no early check refuses.
struct Tile {
  std::vector<std::vector<double>> inputs;       ///< By input of the tape; those of columns only.
  std::size_t count = 0, all = 0;                ///< Columns that are left, and with those that were refused.
  std::vector<std::uint64_t> refused;            ///< By check.
  std::optional<StagedKernel::Columns> columns;  ///< Of tiles of one piece, once computed.
};

}  // namespace

/// One part.
class PartRunner::Rows {
 public:
  Rows(PartRunner& owner, const Plan& plan, Diagnostics& diagnostics)
      : space_(owner.space_),
        free_(owner.free_),
        request_(owner.request_),
        diagnostics_(diagnostics),
        assignment_(owner.assignment_),
        plan_(plan),
        kernel_(plan.kernel()),
        frame_(plan.kernel()),
        inputs_(owner.free_.axes.size()) {
    result_.refused.resize(plan.checks());
    result_.sums.resize(request_.sums.size());
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if ((plan.columns() & axis_bit(a)) != 0) read_by_columns_ |= space_.axes[a].reads;
    }
  }

  bool run(AxisSet known) {
    fixed_.clear();
    for (const std::size_t axis : free_.axes) fixed_.push_back(assignment_.values[axis]);
    kernel_.fix(frame_, fixed_);
    return add_rows(known) && run_rows();
  }

  PartResult take() { return std::move(result_); }

 private:
  struct Row {
    std::vector<double> values;
    Tile* tile;
  };

  template <class Visit>
  bool each(AxisSet known, AxisSet wanted, const Visit& visit) {
    const Assigned derived = assignment_.derive(known, diagnostics_);
    if (derived != Assigned::good) return derived == Assigned::empty;
    const std::size_t axis = assignment_.next(known, wanted);
    if (axis == space_.axes.size()) return visit(known);
    const std::vector<double>* domain = assignment_.domain(axis, diagnostics_);
    if (domain == nullptr) return false;
    for (const double value : *domain) {
      assignment_.values[axis] = value;
      if (!each(known | axis_bit(axis), wanted, visit)) return false;
    }
    return true;
  }

  bool add_rows(AxisSet known) {
    return each(known, assignment_.all() & ~plan_.columns(), [&](AxisSet now) { return add_row(now); });
  }

  bool add_row(AxisSet known) {
    Tile* const tile = tile_of(known);
    if (tile == nullptr) return false;
    result_.candidates += tile->all;
    for (std::size_t c = 0; c < tile->refused.size(); ++c) result_.refused[c] += tile->refused[c];
    if (tile->count == 0) return true;
    for (std::size_t i = 0; i < free_.axes.size(); ++i) inputs_[i].push_back(assignment_.values[free_.axes[i]]);
    rows_.push_back({assignment_.values, tile});
    return rows_.size() < kLanes || run_rows();
  }

  /// The columns of a row depend on those of its values that their domains read.
  Tile* tile_of(AxisSet known) {
    std::vector<double> key;
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      if ((known & read_by_columns_ & axis_bit(a)) != 0) key.push_back(assignment_.values[a]);
    }
    std::unique_ptr<Tile>& tile = tiles_[key];
    if (tile != nullptr) return tile.get();
    tile = std::make_unique<Tile>();
    tile->inputs.resize(free_.axes.size());
    const std::vector<double> before = assignment_.values;
    const bool good = each(known, assignment_.all(), [&](AxisSet) {
      for (std::size_t i = 0; i < free_.axes.size(); ++i) {
        if ((plan_.columns() & axis_bit(free_.axes[i])) != 0) tile->inputs[i].push_back(assignment_.values[free_.axes[i]]);
      }
      ++tile->all;
      return true;
    });
    assignment_.values = before;
    if (!good) return nullptr;
    sieve(*tile);
    return tile.get();
  }

  /// Refuses columns by the checks that come first and need nothing of rows.
  void sieve(Tile& tile) {
    const std::size_t checks = plan_.sieved();
    tile.refused.resize(checks);
    tile.count = tile.all;
    if (checks == 0 || tile.all == 0) return;
    std::vector<std::vector<double>> holds(checks, std::vector<double>(tile.all)), spread(free_.axes.size());
    std::vector<const double*> in;
    std::vector<double*> out;
    for (std::size_t i = 0; i < free_.axes.size(); ++i) {
      if (tile.inputs[i].empty()) spread[i].assign(tile.all, fixed_[i]);
      in.push_back(tile.inputs[i].empty() ? spread[i].data() : tile.inputs[i].data());
    }
    for (auto& column : holds) out.push_back(column.data());
    plan_.sieve().run(in, out, tile.all);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < tile.all; ++k) {
      std::size_t c = 0;
      while (c < checks && holds[c][k] != 0) ++c;
      if (c < checks) {
        ++tile.refused[c];
        continue;
      }
      for (auto& column : tile.inputs) {
        if (!column.empty()) column[kept] = column[k];
      }
      ++kept;
    }
    tile.count = kept;
  }

  bool run_rows() {
    if (rows_.empty()) return true;
    std::vector<const double*> in;
    for (auto& column : inputs_) {
      column.resize(kLanes);
      in.push_back(column.data());
    }
    kernel_.run_rows(frame_, in, rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) first_.push_back(first_failing(r));
    std::vector<Tile*> done;
    for (const Row& row : rows_) {
      if (std::find(done.begin(), done.end(), row.tile) != done.end()) continue;
      done.push_back(row.tile);
      run_tile(*row.tile);
    }
    rows_.clear();
    first_.clear();
    for (auto& column : inputs_) column.clear();
    return !diagnostics_.failed();
  }

  void run_tile(Tile& tile) {
    for (std::size_t from = 0; from < tile.count; from += kPiece) {
      const std::size_t count = std::min(kPiece, tile.count - from);
      std::optional<StagedKernel::Columns> piece;
      std::optional<StagedKernel::Columns>& columns = tile.count <= kPiece ? tile.columns : piece;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (rows_[r].tile != &tile) continue;
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

  void run_block(std::size_t r, const Tile& tile, std::size_t from, StagedKernel::Columns& columns, std::size_t b) {
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
      const double* const values = metric(m + 1, r, columns, b);
      double sum = 0;
      for (std::size_t i = 0; i < kLanes; ++i) sum += (alive >> i & 1u) != 0 ? values[i] : 0;
      result_.sums[m] += sum;
    }
    const double* const scores = metric(0, r, columns, b);
    std::uint64_t worth = alive;
    if (result_.best.size() >= request_.top) {
      const double bar = request_.top == 0 ? 0 : result_.best.back().score;
      std::uint64_t reach = 0;
      for (std::size_t i = 0; i < kLanes; ++i) reach |= static_cast<std::uint64_t>((space_.maximise ? scores[i] >= bar : scores[i] <= bar) ? 1 : 0) << i;
      worth &= request_.top == 0 ? 0 : reach;
    }
    for (; worth != 0; worth &= worth - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(worth));
      keep_best(result_.best, {scores[i], values_of(r, tile, from + b * kLanes + i)}, request_.top, space_.maximise, assignment_, diagnostics_);
    }
  }

  /// What a row and a column choose, and what follows from it.
  std::vector<double> values_of(std::size_t r, const Tile& tile, std::size_t column) {
    std::vector<double> out = rows_[r].values;
    for (std::size_t a = 0; a < out.size(); ++a) {
      if (space_.axes[a].derived != nullptr)
        out[a] = assignment_.domains.of(a, out, diagnostics_)->front();
      else if ((plan_.columns() & axis_bit(a)) != 0)
        out[a] = tile.inputs[static_cast<std::size_t>(free_.input_of[a])][column];
    }
    return out;
  }

  Space& space_;
  const FreeAxes& free_;
  const SweepRequest& request_;
  Diagnostics& diagnostics_;
  Assignment& assignment_;
  const Plan& plan_;
  const StagedKernel& kernel_;
  StagedKernel::Frame frame_;
  AxisSet read_by_columns_ = 0;
  std::vector<double> fixed_;
  std::map<std::vector<double>, std::unique_ptr<Tile>> tiles_;
  std::vector<std::vector<double>> inputs_;
  std::vector<Row> rows_;
  std::vector<First> first_;
  std::array<double, kLanes> spread_{};
  PartResult result_;
};

PartRunner::PartRunner(Space& space, const FreeAxes& free, const SweepRequest& request) : space_(space), free_(free), request_(request), assignment_(space) {}

PartRunner::~PartRunner() = default;

std::optional<PartResult> PartRunner::run(const Plan& plan, const std::vector<double>& values, AxisSet known, Diagnostics& diagnostics) {
  assignment_.values = values;
  Rows rows(*this, plan, diagnostics);
  if (!rows.run(known)) return std::nullopt;
  return rows.take();
}

}  // namespace opledger
