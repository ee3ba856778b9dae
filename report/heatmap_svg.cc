#include "report/heatmap_svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/cells.h"
#include "report/svg.h"

namespace opledger {
namespace {

constexpr double kDigit = 7.2, kCellHeight = 34, kLeft = 28, kTop = 98, kBar = 18;
constexpr std::size_t kSteps = 9;

/// Viridis (S. van der Walt, N. Smith, 2015; CC0): a perceptually uniform scale, readable in grayscale print and with
/// color blindness.
constexpr std::array<Color, kSteps> kScale = {
    {{68, 1, 84}, {71, 45, 123}, {59, 82, 139}, {44, 114, 142}, {33, 145, 140}, {40, 174, 128}, {94, 201, 98}, {173, 220, 48}, {253, 231, 37}}};

/// Interpolates the scale linearly between its two nearest steps.
Color color_at(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kSteps - 1);
  const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), kSteps - 2);
  const double rest = at - static_cast<double>(low);
  const Color &a = kScale[low], &b = kScale[low + 1];
  return {a.red + (b.red - a.red) * rest, a.green + (b.green - a.green) * rest, a.blue + (b.blue - a.blue) * rest};
}

/// A writer of a heat map. The constructor computes the layout from the widest label, the writer then emits cells,
/// labels and the legend in order.
class Picture {
 public:
  /// Computes the range of values and the layout in pixels. `low_` and `high_` are the smallest and largest value of
  /// feasible cells, `any_` is false without such a cell. The unit is found first, because labels without it are
  /// shorter. All cells have one width, which the widest label of a cell or column decides; row labels decide the left
  /// edge of the grid. Characters count with a fixed width (kDigit).
  explicit Picture(const Heatmap& map) : map_(map) {
    bool first = true;
    for (const auto& row : map.cells) {
      for (const Heatmap::Cell& cell : row) {
        if (cell.kind != Heatmap::Kind::feasible) continue;
        low_ = first ? cell.best : std::min(low_, cell.best);
        high_ = first ? cell.best : std::max(high_, cell.best);
        first = false;
      }
    }
    any_ = !first;
    find_unit();
    std::size_t widest = 4, row_labels = 0;
    for (const auto& row : map.cells) {
      for (const Heatmap::Cell& cell : row) widest = std::max(widest, cell.kind == Heatmap::Kind::feasible ? width(label(cell.best)) : 0);
    }
    for (const std::string& text : map.x.labels) widest = std::max(widest, width(text));
    for (const std::string& text : map.y.labels) row_labels = std::max(row_labels, width(text));
    cell_ = static_cast<double>(widest) * kDigit + 16;
    left_ = kLeft + static_cast<double>(row_labels) * kDigit + 14;
    right_ = left_ + cell_ * static_cast<double>(map.x.labels.size());
    bottom_ = kTop + kCellHeight * static_cast<double>(map.y.labels.size());
  }

  /// Returns the picture as SVG. The total size is the maximum over grid, legend, title and subtitle, each with room
  /// for its texts. Definitions (the hatch pattern and the gradient of the scale) come first, because cells and legend
  /// refer to them. Later elements cover earlier ones.
  std::string write() {
    const double legend = right_ + 34;
    // Characters of the bold title count 11 pixels, those of the legend 8.
    const double wide = std::max({legend + std::max(kBar + 130, static_cast<double>(width(map_.value) + 16) * 8),
                                  left_ + static_cast<double>(width(title())) * 11, left_ + static_cast<double>(width(map_.about)) * kDigit});
    const double high = std::max(bottom_, kTop + 130) + 100;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, "
        "sans-serif\" "
        "font-size=\"13\" fill=\"#1a1a1a\">\n<title>{2}</title>\n<defs>\n<pattern id=\"infeasible\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#f2f2f2\"/><rect width=\"2\" height=\"7\" fill=\"#cccccc\"/></pattern>\n",
        wide, high, escaped_svg(title()));
    add_gradient();
    out_ += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    text(left_, 30, title(), "font-size=\"17\" font-weight=\"bold\"");
    text(left_, 52, map_.about, "fill=\"#666666\"");
    add_cells();
    add_labels();
    add_legend(legend);
    return out_ + "</svg>\n";
  }

 private:
  std::string title() const { return fmt::format("{} {} by {} and {}", map_.largest ? "Largest" : "Smallest", map_.value, map_.x.name, map_.y.name); }

  /// Finds the unit shared by the smallest and largest value, which is then printed once, in the legend.
  void find_unit() {
    std::string common;
    bool same = true;
    for (const double value : {low_, high_}) {
      const std::string text = human(value, map_.unit);
      const std::size_t blank = text.rfind(' ');
      const std::string unit = blank == std::string::npos ? "" : text.substr(blank + 1);
      same = same && (common.empty() || common == unit) && !unit.empty();
      common = unit;
    }
    if (same) unit_ = common;
  }

  std::string label(double value) const {
    const std::string text = human(value, map_.unit);
    const bool ends = !unit_.empty() && text.size() > unit_.size() + 1 && text.ends_with(" " + unit_);
    return ends ? text.substr(0, text.size() - unit_.size() - 1) : text;
  }

  /// Returns the position of a value on the scale, from 0 (worst) to 1 (best).
  double share(double value) const {
    if (high_ == low_) return 1;
    const double part = (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);  // Halves avoid an overflow of the difference.
    return map_.largest ? part : 1 - part;
  }

  void text(double x, double y, const std::string& content, const std::string& attributes) {
    if (!content.empty()) out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped_svg(content));
  }

  void add_gradient() {
    out_ += "<linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">";
    for (std::size_t i = 0; i < kSteps; ++i)
      out_ += fmt::format("<stop offset=\"{:.3f}\" stop-color=\"{}\"/>", static_cast<double>(i) / (kSteps - 1), hex(kScale[i]));
    out_ += "</linearGradient>\n";
  }

  /// Adds a rectangle for each cell, row by row from the bottom. A feasible cell has the color of its value on the
  /// scale and its value as text; an infeasible one is hatched; a cell without candidates is white. `share` is 1 for
  /// the best value, so every best cell gets a frame. Frames are collected and added after the cells, which would cover
  /// them.
  void add_cells() {
    std::string frame;
    for (std::size_t row = 0; row < map_.cells.size(); ++row) {
      for (std::size_t column = 0; column < map_.cells[row].size(); ++column) {
        const Heatmap::Cell& cell = map_.cells[row][column];
        const double x = left_ + cell_ * static_cast<double>(column), y = bottom_ - kCellHeight * static_cast<double>(row + 1);
        const bool feasible = cell.kind == Heatmap::Kind::feasible;
        const Color color = color_at(feasible ? share(cell.best) : 0);
        const std::string fill = feasible ? hex(color) : cell.kind == Heatmap::Kind::infeasible ? "url(#infeasible)" : "#ffffff";
        out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"#ffffff\"/>\n", x, y, cell_, kCellHeight,
                            fill);
        if (!feasible) continue;
        text(x + cell_ / 2, y + kCellHeight / 2 + 4.5, label(cell.best), fmt::format("text-anchor=\"middle\" fill=\"{}\"", ink_on(color)));
        if (share(cell.best) == 1)
          frame += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#d62728\" stroke-width=\"2.5\"/>\n",
                               x + 1, y + 1, cell_ - 2, kCellHeight - 2);
      }
    }
    out_ += frame + fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999999\"/>\n", left_, kTop,
                                right_ - left_, bottom_ - kTop);
  }

  void add_labels() {
    for (std::size_t i = 0; i < map_.x.labels.size(); ++i)
      text(left_ + cell_ * (static_cast<double>(i) + 0.5), bottom_ + 18, map_.x.labels[i], "text-anchor=\"middle\"");
    for (std::size_t i = 0; i < map_.y.labels.size(); ++i)
      text(left_ - 8, bottom_ - kCellHeight * (static_cast<double>(i) + 0.5) + 4.5, map_.y.labels[i], "text-anchor=\"end\"");
    text((left_ + right_) / 2, bottom_ + 42, map_.x.name, "text-anchor=\"middle\" font-weight=\"bold\"");
    const double middle = (kTop + bottom_) / 2;
    text(18, middle, map_.y.name, fmt::format("text-anchor=\"middle\" font-weight=\"bold\" transform=\"rotate(-90 18 {:.1f})\"", middle));
  }

  /// Adds the legend at the horizontal position `x`: the color scale with at most five labeled ticks, worst value at
  /// the bottom, then a sample for each appearance of a cell. The scale has one tick if all values are equal, and is
  /// omitted without a feasible cell. Infeasible cells are explained only if the file lists them.
  void add_legend(double x) {
    constexpr int kTicks = 5;
    const double height = std::max(bottom_ - kTop, 130.0);
    text(x, kTop - 10, map_.value + (unit_.empty() ? "" : " (" + unit_ + ")"), "font-weight=\"bold\"");
    if (any_) {
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"url(#scale)\"/>\n", x, kTop, kBar, height);
      for (int tick = 0; tick < (high_ > low_ ? kTicks : 1); ++tick) {
        const double part = high_ > low_ ? static_cast<double>(tick) / (kTicks - 1) : 1;
        const double worst = map_.largest ? low_ : high_, best = map_.largest ? high_ : low_;
        const double value = worst * (1 - part) + best * part;
        text(x + kBar + 8, kTop + height * (1 - part) + (part == 1 ? 10 : part == 0 ? 0 : 4.5), label(value), "");
      }
    }
    double y = kTop + height + 22;
    if (map_.knows_infeasible) {
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"14\" fill=\"url(#infeasible)\" stroke=\"#cccccc\"/>\n", x, y, kBar);
      text(x + kBar + 8, y + 11.5, "infeasible", "");
      y += 22;
    }
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"14\" fill=\"#ffffff\" stroke=\"#cccccc\"/>\n", x, y, kBar);
    text(x + kBar + 8, y + 11.5, map_.knows_infeasible ? "no candidate" : "none feasible", "");
    if (!any_) return;
    y += 22;
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"14\" fill=\"none\" stroke=\"#d62728\" stroke-width=\"2.5\"/>\n", x, y, kBar);
    text(x + kBar + 8, y + 11.5, "the best", "");
  }

  const Heatmap& map_;
  double low_ = 0, high_ = 0, cell_ = 0, left_ = 0, right_ = 0, bottom_ = 0;
  bool any_ = false;
  std::string unit_, out_;
};

}  // namespace

std::string write_heatmap_svg(const Heatmap& map) { return Picture(map).write(); }

}  // namespace opledger
