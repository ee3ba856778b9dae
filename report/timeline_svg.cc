#include "report/timeline_svg.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "formulas/value.h"
#include "report/svg.h"
#include "report/timeline_names.h"

namespace opledger {
namespace {

struct Kind {
  const char *name, *text;
  Color color;
};
/// The palette of Okabe and Ito, which is readable with color blindness.
constexpr Kind kKinds[] = {{"forward", "forward", {86, 180, 233}},       {"backward", "backward", {230, 159, 0}},
                           {"input", "input gradients", {240, 200, 90}}, {"weight", "weight gradients", {0, 158, 115}},
                           {"end", "end of the step", {150, 150, 150}},  {"message", "sent or copied", {204, 121, 167}}};

const Kind& kind_named(std::string_view name) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.name == name; });
}

/// The time of narrow tasks in a row, by kind and column of the picture. A column is drawn as a stack of the kinds, as high
/// as their shares of its time.
class Densities {
 public:
  static constexpr double kColumn = 4;  ///< Width of a column, which covers several narrow tasks.

  void add(const char* kind, const Color& color, double left, double right, double share) {
    for (auto column = static_cast<std::size_t>(left / kColumn); static_cast<double>(column) * kColumn < right; ++column) {
      const double begin = static_cast<double>(column) * kColumn;
      Part& part = columns_[column][kind];
      part.color = color;
      part.filled += share * (std::min(right, begin + kColumn) - std::max(left, begin)) / kColumn;
    }
  }

  std::string write(double top, double high) const {
    std::string out;
    for (const auto& [column, parts] : columns_) {
      double bottom = top + high;
      for (const auto& [_, part] : parts) {
        bottom -= part.filled * high;
        out += fmt::format("<rect x=\"{:.0f}\" y=\"{:.2f}\" width=\"{:.0f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", static_cast<double>(column) * kColumn, bottom,
                           kColumn, part.filled * high, hex(part.color));
      }
    }
    return out;
  }

 private:
  struct Part {
    Color color;
    double filled = 0;  ///< Share of the column.
  };
  std::map<std::size_t, std::map<std::string_view, Part>> columns_;
};

/// A writer of a step as SVG. Rows are processes and, with operators, their tracks; the horizontal axis is time up to
/// the last drawn task.
class StepPicture {
 public:
  explicit StepPicture(const Timeline& timeline) : timeline_(timeline), end_(shown_end(timeline)) {
    std::size_t boxes = 0;
    for (const TimelineProcess& p : timeline.processes) {
      for (const TimelineTask& w : timeline.stages[p.stage].tasks) boxes += 1 + (w.inside != nullptr ? w.inside->spans.size() : 0);
    }
    has_tooltips_ = boxes <= kMostTooltips;
    for (std::size_t p = 0; p < timeline.processes.size(); ++p) {
      rows_.push_back({p, kTasks});
      for (std::size_t t = 0; timeline.operators && t < timeline.tracks.size(); ++t) rows_.push_back({p, t});
    }
    for (const Row& row : rows_) left_ = std::max(left_, kMargin + kDigit * static_cast<double>(label_of(row).size()));
  }

  std::string write(const std::string& about) {
    const double bottom = kTop + (kRow + kGap) * static_cast<double>(rows_.size()), high = bottom + 74;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, "
        "sans-serif\" font-size=\"12\" fill=\"#1a1a1a\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        kWide, high, escaped_svg(title()));
    text(left_, 28, title(), "font-size=\"16\" font-weight=\"bold\"");
    text(left_, 48, about, "fill=\"#666666\"");
    add_axis(bottom);
    for (std::size_t r = 0; r < rows_.size(); ++r) add_row(r);
    add_legend(bottom + 52);
    return out_ + "</svg>\n";
  }

 private:
  static constexpr double kWide = 1200, kLeast = 76, kMargin = 24, kRight = 24, kTop = 74, kRow = 26, kGap = 4, kDigit = 6.6, kDarkest = 0.5;
  static constexpr double kNarrow = 2, kWideTask = 6;             ///< Rows of tasks with a smaller mean width are drawn by density, except for wide tasks.
  static constexpr std::size_t kTicks = 8, kMostTooltips = 4000;  ///< Maximum number of boxes with tooltips.

  /// A row of the picture: the tasks of a process, or a track inside them.
  struct Row {
    std::size_t process, track;
  };
  static constexpr std::size_t kTasks = static_cast<std::size_t>(-1);

  std::string label_of(const Row& row) const { return row.track == kTasks ? timeline_.processes[row.process].name : timeline_.tracks[row.track]; }

  static double shown_end(const Timeline& timeline) {
    double end = 0;
    for (const TimelineStage& stage : timeline.stages) {
      for (const TimelineTask& work : stage.tasks) end = std::max(end, work.end);
    }
    return end > 0 ? end : 1;
  }

  std::string title() const {
    const double idle = timeline_.work_end > 0 ? 1 - timeline_.busiest() / timeline_.work_end : 0;
    return fmt::format("{}: {} stages, {} microbatches, {:.1f} % bubble", timeline_.schedule, timeline_.size.stages, timeline_.size.microbatches, idle * 100);
  }

  double x(double seconds) const { return left_ + (kWide - left_ - kRight) * seconds / end_; }

  void text(double at, double y, const std::string& content, const char* attributes) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at, y, attributes, escaped_svg(content));
  }

  /// Returns the distance of ticks: 1, 2 or 5 times a power of ten.
  double tick() const {
    const double rough = end_ / static_cast<double>(kTicks), power = std::pow(10, std::floor(std::log10(rough)));
    for (const double n : {1.0, 2.0, 5.0}) {
      if (rough <= n * power) return n * power;
    }
    return 10 * power;
  }

  void add_axis(double bottom) {
    const double step = tick();
    for (std::size_t i = 0; static_cast<double>(i) * step <= end_; ++i) {
      const double at = static_cast<double>(i) * step;
      out_ += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>\n", x(at), kTop - 6, bottom);
      text(x(at), bottom + 16, i == 0 ? "0" : text_of(at), "text-anchor=\"middle\" fill=\"#666666\"");
    }
  }

  void add_row(std::size_t number) {
    const Row& row = rows_[number];
    const double top = kTop + (kRow + kGap) * static_cast<double>(number);
    const bool is_process = row.track == kTasks;
    text(left_ - 8, top + kRow / 2 + 4, label_of(row), is_process ? "text-anchor=\"end\"" : "text-anchor=\"end\" fill=\"#666666\"");
    const std::vector<TimelineTask>& tasks = timeline_.stages[timeline_.processes[row.process].stage].tasks;
    is_dense_ = is_process && static_cast<double>(tasks.size()) * kNarrow > x(end_) - left_;
    for (const TimelineTask& work : tasks) {
      if (is_process)
        add_task(work, top);
      else
        add_inside(work, row.track, top);
    }
    out_ += densities_.write(top, kRow);
    densities_ = {};
  }

  void add_inside(const TimelineTask& work, std::size_t track, double top) {
    if (work.inside == nullptr) return;
    for (const PassPicture::Span& s : work.inside->spans) {
      if (s.track != track) continue;
      const char* kind = track > 0 ? "message" : s.phase == "agrad" ? "input" : s.phase == "wgrad" ? "weight" : "forward";
      add_box(kind, kind_named(kind).color, opledger::name_of(s), "", work.start + s.start * work.scale(), work.start + s.end * work.scale(), top, kRow);
    }
  }

  /// Returns the color of a task; later chunks of a stage are darker.
  Color color_of(const char* kind, const Batch& batch) const {
    const Color out = kind_named(kind).color;
    const std::size_t chunk = batch.actions.empty() ? 0 : batch.actions[0].stage_chunk / timeline_.size.stages,
                      chunks = timeline_.size.stage_chunks / timeline_.size.stages;
    const double left = chunks > 1 ? 1 - kDarkest * static_cast<double>(chunk) / static_cast<double>(chunks - 1) : 1;
    return {out.red * left, out.green * left, out.blue * left};
  }

  /// Adds a task. Actions on several microbatches at once are stacked inside the row.
  void add_task(const TimelineTask& work, double top) {
    std::vector<Batch> parts;
    for (const Action& a : work.batch.actions) {
      const bool same = !parts.empty() && parts.back().actions[0].stage_chunk == a.stage_chunk && parts.back().actions[0].microbatch == a.microbatch;
      if (same)
        parts.back().actions.push_back(a);
      else
        parts.push_back({{a}, false});
    }
    if (parts.empty()) parts.emplace_back();
    const double high = kRow / static_cast<double>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      add_part({work.start, work.end, parts[i]}, opledger::name_of(work), top + high * static_cast<double>(i), high);
  }

  void add_part(const TimelineTask& part, const std::string& name, double top, double high) {
    const std::string label = part.batch.actions.empty() ? "" : std::to_string(part.batch.actions[0].microbatch);
    add_box(kind_of(part), color_of(kind_of(part), part.batch), name, label, part.start, part.end, top, high);
  }

  void add_box(const char* kind, const Color& color, const std::string& name, const std::string& label, double start, double end, double top, double high) {
    const double left = x(start), wide = x(end) - left;
    if (wide <= 0) return;
    drawn_.insert(kind);
    if (is_dense_ && wide < kWideTask) return densities_.add(kind, kind_named(kind).color, left, left + wide, high / kRow);
    const std::string box = fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"{}", left, top, wide, high, hex(color),
                                        wide > 3 ? " stroke=\"#ffffff\" stroke-width=\"0.7\"" : "");
    if (has_tooltips_)
      out_ += fmt::format("{}><title>{}, {} to {}</title></rect>\n", box, escaped_svg(name), text_of(start), text_of(end));
    else
      out_ += box + "/>\n";
    if (!label.empty() && wide > static_cast<double>(label.size()) * kDigit + 3)
      text(left + wide / 2, top + high / 2 + 4, label, fmt::format("text-anchor=\"middle\" font-size=\"11\" fill=\"{}\"", ink_on(color)).c_str());
  }

  static std::string text_of(double seconds) { return human(number_value(real(seconds), parse_unit("s")->dimension)); }

  void add_legend(double y) {
    double at = left_;
    for (const Kind& kind : kKinds) {
      if (drawn_.count(kind.name) == 0) continue;
      out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"14\" fill=\"{}\"/>\n", at, y - 11, hex(kind.color));
      text(at + 20, y, kind.text, "");
      at += 44 + static_cast<double>(std::string_view(kind.text).size()) * kDigit;
    }
    if (timeline_.size.stage_chunks > timeline_.size.stages) text(at, y, "darker: later chunks of the model", "fill=\"#666666\"");
  }

  const Timeline& timeline_;
  const double end_;
  double left_ = kLeast;  ///< Left edge of the time axis.
  std::vector<Row> rows_;
  bool has_tooltips_ = false;
  bool is_dense_ = false;  ///< The row has many narrow tasks.
  Densities densities_;
  std::set<std::string> drawn_;  ///< Kinds that occur, for the legend.
  std::string out_;
};

}  // namespace

std::string write_timeline_svg(const Timeline& timeline, const std::string& about) { return StepPicture(timeline).write(about); }

}  // namespace opledger
