#include <algorithm>
#include <cmath>
#include <utility>

#include "base/lists.h"
#include "report/explore_page.h"
#include "report/json_objects.h"
#include "report/timeline_names.h"

namespace opledger {
namespace {

Json cells_json(const Drawing::Cells& cells) { return {{"table", cells.table}, {"by", cells.by}, {"columns", cells.columns}}; }

Json drawing_json(const Drawing& d) {
  Json out = {{"draw", d.draw}};
  const std::pair<const char*, const std::string*> texts[] = {{"report", &d.report}, {"table", &d.cells.table}, {"by", &d.cells.by},
                                                              {"limit", &d.limit},   {"title", &d.title},       {"total", &d.total}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) out[key] = *text;
  }
  if (!d.cells.columns.empty()) out["columns"] = d.cells.columns;
  for (const Drawing::Series& s : d.series) out["series"][s.name] = {s.intensity, s.rate, s.size};
  if (!d.parts.empty()) out["parts"] = array_of(d.parts, [](const Drawing::Parts& of) { return Json{{"group", of.name}, {"metrics", of.metrics}}; });
  if (d.ceilings) out["ceilings"] = cells_json(*d.ceilings);
  if (d.slopes) out["slopes"] = cells_json(*d.slopes);
  return out;
}

Json section_json(const ReportSection& section) {
  return {{"title", section.title},
          {"metrics", array_of(section.metrics, [](const ReportMetric& metric) { return metric.id; })},
          {"labels", array_of(section.metrics, [](const ReportMetric& metric) { return metric.key; })}};
}

/// A writer of a simulated step as JSON. Tasks of a stage are stored as lists of equal length, a list for each field,
/// which is smaller than an object for each task. A start equal to the previous end is null.
class TimelineWriter {
 public:
  explicit TimelineWriter(const Timeline& timeline) : timeline_(timeline) {}

  Json write() {
    Json out = {{"schedule", timeline_.schedule}, {"work_end", timeline_.work_end}, {"end", timeline_.end}};
    Json stages = array_of(timeline_.stages, [this](const TimelineStage& stage) { return stage_json(stage); });
    out["kinds"] = kinds_;
    out["stages"] = std::move(stages);
    if (timeline_.microbatches > 0) out["microbatches"] = timeline_.microbatches;
    return out;
  }

 private:
  std::size_t kind(const std::string& name) {
    const auto found = std::find(kinds_.begin(), kinds_.end(), name);
    if (found != kinds_.end()) return static_cast<std::size_t>(found - kinds_.begin());
    kinds_.push_back(name);
    return kinds_.size() - 1;
  }

  /// Returns a time of a curve with six significant digits of the step's duration, below the resolution of a page; full
  /// precision triples the size.
  double rounded(double at) const {
    if (timeline_.end <= 0) return at;
    const double parts = std::pow(10, 5 - std::floor(std::log10(timeline_.end)));  // The number of parts of a second.
    return std::round(at * parts) / parts;
  }

  void add_task(const TimelineTask& work, double before, Json& out) {
    const bool named = !work.batch.actions.empty();
    out["start"].push_back(work.start == before ? Json() : Json(work.start));
    out["end"].push_back(work.end);
    out["work"].push_back(name_of(work));
    out["kind"].push_back(kind(kind_of(work)));
    out["piece"].push_back(named ? Json(work.batch.actions[0].stage_chunk) : Json(-1));
    out["microbatch"].push_back(named ? Json(work.batch.actions[0].microbatch) : Json(-1));
  }

  Json stage_json(const TimelineStage& stage) {
    Json out;
    for (const char* key : {"start", "end", "work", "kind", "piece", "microbatch"}) out[key] = Json::array();
    double before = -1;  // End of the previous task.
    for (const TimelineTask& work : stage.tasks) {
      add_task(work, before, out);
      before = work.end;
    }
    out["levels"] = {{"at", array_of(stage.levels, [this](const TimelineLevel& level) { return rounded(level.at); })},
                     {"activations", array_of(stage.levels, [](const TimelineLevel& level) { return level.activations; })}};
    out["standing"] = Json::object();
    for (const auto& [kind, bytes] : stage.resident) out["standing"][kind] = bytes;
    return out;
  }

  const Timeline& timeline_;
  std::vector<std::string> kinds_;
};

constexpr std::size_t kLargeList = 100'000;  // Bytes of a list from which a page stores it separately.

/// A writer that appends JSON to a text. The parts of an object are written one by one: as one tree, the data of a model
/// with thousands of segments would take ten times the memory of its text. The writer records where large lists stand.
class PartsWriter {
 public:
  explicit PartsWriter(ExploreData& out) : out_(out) {}

  void begin() {
    open_ += '{';
    place_.emplace_back();
  }
  void end() {
    out_.text += open_ + "}";
    open_.clear();
    place_.erase(place_.size() - 1);
  }
  void key(const std::string& name) {
    out_.text += (open_.empty() ? "," : open_) + text_of(name) + ":";
    open_.clear();
    place_.back() = name;
  }
  void value(const Json& value) {
    const std::size_t begin = out_.text.size();
    out_.text += text_of(value);
    if (value.is_array() && out_.text.size() - begin >= kLargeList) out_.lists.push_back({text_of(place_), begin, out_.text.size()});
  }
  void add(const std::string& name, const Json& part) {
    key(name);
    value(part);
  }
  void add_parts(const std::string& name, const Json& object) {
    key(name);
    begin();
    for (const auto& [inner, part] : object.items()) add(inner, part);
    end();
  }
  /// Calls `write` for each item of a list.
  void list(const std::string& name, std::size_t size, FunctionRef<void(std::size_t)> write) {
    key(name);
    out_.text += "[";
    place_.emplace_back();
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) out_.text += ",";
      place_.back() = i;
      write(i);
    }
    place_.erase(place_.size() - 1);
    out_.text += "]";
  }

 private:
  static std::string text_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

  ExploreData& out_;
  std::string open_;            ///< An opening brace before the first key.
  Json place_ = Json::array();  ///< Keys and indices from the root to the value.
};

/// Writes a report like `report_json`, table by table.
void write_report(const Report& report, PartsWriter& out) {
  out.begin();
  const Json whole = report_without_tables(report);
  for (const auto& [name, part] : whole.items()) {
    if (name != "tables") {
      out.add(name, part);
      continue;
    }
    out.key(name);
    out.begin();
    for (const ReportTable& table : report.tables) out.add(table.name, table_json(table));
    out.end();
  }
  out.end();
}

/// Returns the small parts of a run's data.
Json outline_json(const ExploredRun& run) {
  Json out = Json::object();
  out["sections"] = Json::object();
  for (const auto& [report, sections] : run.sections) out["sections"][report] = array_of(sections, section_json);
  out["headline"] = array_of(run.headline, [](const auto& one) { return Json{{"label", one.first}, {"metric", one.second}}; });
  out["layers"] = Json::object();
  for (const auto& [segment, layers] : run.layers) out["layers"][segment] = json_value(number_value(real(layers)));
  out["titles"] = Json::object();
  for (const ReportTable& table : run.report.tables) out["titles"][table.name] = table.title;
  out["minor"] = Json::object();
  for (const ReportTable& table : run.report.tables) {
    if (!table.minor.empty()) out["minor"][table.name] = table.minor;
  }
  out["docs"] = Json::object();
  for (const auto& [table, doc] : run.docs) out["docs"][table] = doc;
  out["views"] = array_of(run.views, [](const View& view) { return Json{{"name", view.name}, {"drawings", array_of(view.drawings, drawing_json)}}; });
  out["hints"] = array_of(run.hints, [](const GivenHint& hint) { return Json{{"message", hint.message}, {"see", hint.see}}; });
  return out;
}

/// Writes the data of a run for the explorer's page, one key for each part: command, report, sections, views, graph,
/// explanations and timeline. Metrics are stored once in `report`; sections refer to them by identifier. A part that
/// the run lacks, such as the graph or the timeline, is null.
void write_run(const ExploredRun& run, PartsWriter& out) {
  out.begin();
  out.add("command", run.command);
  out.key("report");
  write_report(run.report, out);
  const Json outline = outline_json(run);
  for (const auto& [name, part] : outline.items()) out.add(name, part);
  out.key("graph");
  if (run.graph != nullptr) {
    out.begin();
    each_part_of_graph(*run.graph, run.annotations, [&](const std::string& name, const Json& part) { out.add(name, part); });
    out.end();
  } else {
    out.value(Json());
  }
  out.add_parts("explanations", explained_json(run.opened));
  out.add("timeline", run.timeline ? TimelineWriter(*run.timeline).write() : Json());
  out.end();
}

/// Returns the value of a cell: a number, a text, or null.
Json cell_json(const RecordedCell& cell) {
  if (cell.number) return json_value(number_value(real(*cell.number)));
  return cell.text.empty() ? Json() : Json(cell.text);
}

/// Returns the candidates as lists of equal length, a list for each column.
Json candidates_json(const RecordedSearch& recorded) {
  Json out = Json::object();
  std::size_t at = 0;
  for (const std::vector<RecordedSearch::Column>* columns : {&recorded.axes, &recorded.metrics}) {
    for (const RecordedSearch::Column& column : *columns) {
      out[column.name] = array_of(recorded.rows, [&](const std::vector<RecordedCell>& cells) { return cell_json(cells[at]); });
      ++at;
    }
  }
  return out;
}

/// Returns the candidates of a search for the explorer's page: names and units of axes and metrics, the objective, the
/// candidates by column, and the Pareto front. `front` and `best` are indices of candidates. `runs` tells which
/// candidates have a whole run on the page. Columns as lists are smaller than an object for each candidate.
Json space_json(const ExploredSpace& space) {
  const RecordedSearch& recorded = space.recorded;
  Json out = {{"about", space.about}, {"axes", names_of(recorded.axes)}, {"metrics", names_of(recorded.metrics)}};
  out["objective"] = {{"metric", recorded.objective}, {"largest", recorded.largest}};
  out["units"] = Json::object();
  for (const std::vector<RecordedSearch::Column>* columns : {&recorded.axes, &recorded.metrics}) {
    for (const RecordedSearch::Column& column : *columns) {
      if (!column.unit.empty()) out["units"][column.name] = column.unit;
    }
  }
  out["total"] = recorded.total;
  out["candidates"] = candidates_json(recorded);
  out["pareto"] = Json::array();
  for (const auto& [metric, largest] : recorded.pareto) out["pareto"].push_back({{"metric", recorded.metrics[metric].name}, {"largest", largest}});
  out["front"] = recorded.front;
  out["front_size"] = recorded.front_size;
  out["complete"] = recorded.is_complete();
  out["best"] = recorded.best;
  out["commands"] = space.commands;
  out["runs"] = array_of(space.included, [](const ExploredSpace::IncludedRun& r) { return Json{{"candidate", r.candidate}, {"run", r.run}}; });
  return out;
}

}  // namespace

ExploreData write_explore_json(const ExploredPage& page) {
  ExploreData data;
  PartsWriter out(data);
  out.begin();
  out.add(kFormatKey, kFormat);
  out.add("title", page.title);
  out.list("runs", page.runs.size(), [&](std::size_t i) { write_run(*page.runs[i], out); });
  out.add("differences", page.differences != nullptr ? report_json(*page.differences) : Json());
  out.add("space", page.space != nullptr ? space_json(*page.space) : Json());
  out.end();
  return data;
}

}  // namespace opledger
