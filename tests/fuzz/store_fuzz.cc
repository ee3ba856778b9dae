/// Damaged stores of searches. A list describes the damage: `{delete: yes, in: candidates, row: 3}`, `{byte: 4096,
/// to: 7}`. A resumed search and heatmaps read the store. They end with a message or find the same results as in the
/// undamaged store.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "search/search.h"
#include "search/store/database.h"
#include "search/store/heatmap.h"
#include "search/store/recorded_search.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/tree.h"

namespace opledger::fuzz {
namespace {

namespace fs = std::filesystem;

/// A space of formulas: 2,070 candidates in two ranges.
constexpr const char* kSpace = R"yaml({}
---
kind: accounting
name: a
inputs: {n: {type: integer, min: 1, doc: of all}, m: {type: integer, min: 1, doc: how many}, w: {type: [red, green], doc: a word}}
metrics: {cost: {unit: byte, doc: Cost., is: "1 byte * (n * m + (if w == red then 1 else n / 3))"}, gain: {unit: "1", doc: Gain., is: n / m}}
constraints: [{require: n % m != 1, message: one is left, reason: left over}]
---
kind: search
name: s
accounting: a
axes: [{w: "red, green"}, {n: "range(1, 45)"}, {m: "range(1, n)"}]
minimize: cost
)yaml";

/// A file that is deleted with the object.
class File {
 public:
  explicit File(const char* name) {
    const fs::path memory = "/dev/shm";
    const fs::path folder = fs::is_directory(memory) && ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
    path = (folder / ("opledger_fuzz_" + std::to_string(::getpid()) + "_" + name)).string();
    clear();  // a leftover of a killed process with the same number
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { clear(); }

  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  void clear() const {
    std::error_code error;
    for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(path + suffix, error);
  }

  std::string path;
};

struct Answer {
  std::string report, heatmaps;
};

std::string shown(const Heatmap& map) {
  std::string out = map.x.name + " " + join(map.x.labels, ",") + " " + map.y.name + " " + join(map.y.labels, ",") + " " + map.value + to_string(map.unit);
  for (const auto& row : map.cells) {
    for (const Heatmap::Cell& cell : row) out += " " + std::to_string(static_cast<int>(cell.kind)) + ":" + exact(cell.best);
    out += "\n";
  }
  return out + map.about + "\n";
}

/// Returns the results of a search, without figures about its execution.
std::string shown(const SearchAnswer& answer) {
  std::string out = std::to_string(answer.result.candidates) + " " + std::to_string(answer.result.feasible) + " " + std::to_string(answer.result.partial);
  for (const auto& [reason, number] : answer.result.infeasible) out += "\n" + reason + " " + std::to_string(number);
  for (const auto* list : {&answer.best, &answer.front}) {
    for (const SearchAnswer::Candidate& candidate : *list) {
      out += "\n" + std::to_string(candidate.multiplicity);
      for (const auto* values : {&candidate.execution, &candidate.metrics}) {
        for (const Value& value : *values) out += " " + (value.is_number() ? exact(value.scalar.value) : human(value));
      }
    }
  }
  for (const Value& total : answer.totals) out += " " + exact(total.scalar.value);
  return out;
}

std::string shown(const RecordedSearch& recorded) {
  std::string out;
  for (const auto& row : recorded.rows) {
    for (const RecordedCell& cell : row) out += cell.text + " ";
    out += "\n";
  }
  for (const std::size_t row : recorded.front) out += std::to_string(row) + " ";
  return out + "\n";
}

class Subject {
 public:
  Subject() : file_("store.sqlite") {
    file_.clear();
    Diagnostics diagnostics;
    expected_.report = search_again(false, false, diagnostics);
    finished_ = file_.read();
    expected_.heatmaps = heatmaps(diagnostics);
    file_.clear();
    search_again(false, true, diagnostics);
    interrupted_ = file_.read();
    require(!diagnostics.has_errors() && !finished_.empty() && !interrupted_.empty(), "no store", render(diagnostics));
  }

  void check(const std::string& text) {
    Bundle script(text);
    if (script.diagnostics.has_errors() || !script.requested.is_map()) return;
    const bool interrupted = script.text("store") == "interrupted";
    file_.clear();
    file_.write(interrupted ? interrupted_ : finished_);
    const Datum* damage = script.requested.find("damage");
    for (const Datum& what : damage != nullptr ? damage->items() : std::vector<Datum>{}) inflict(what);
    Diagnostics of_maps, of_search;
    const std::string maps = heatmaps(of_maps);
    if (of_maps.has_errors()) require_message(of_maps, text);
    if (!of_maps.has_errors() && !interrupted) require(maps == expected_.heatmaps, "another map", maps + "of the whole\n" + expected_.heatmaps + text);
    const std::string report = search_again(true, false, of_search);
    if (of_search.has_errors()) return require_message(of_search, text);
    count("an answer");
    require(report == expected_.report, "another answer", report + "\nof the whole\n" + expected_.report + "\n" + text);
    require(heatmaps(of_search) == expected_.heatmaps && !of_search.has_errors(), "another map in the end", render(of_search) + text);
  }

 private:
  std::string search_again(bool resume, bool interrupt, Diagnostics& diagnostics) {
    Bundle bundle(kSpace);
    SearchRequest request;
    request.run = bundle.request;
    request.metrics = {"gain"};
    request.pareto = {"cost", "gain"};
    request.sweep.sums = {"cost"};
    request.sweep.top = 3;
    request.sweep.jobs = 1;
    request.store = file_.path;
    request.resume = resume;
    std::atomic<bool> stop(false);
    request.sweep.stop = &stop;
    request.watch = [&](const SearchStatus& status) { stop = interrupt && status.done > 0; };
    const std::optional<SearchAnswer> answer = search(request, bundle.library, diagnostics);
    return answer ? shown(*answer) : "";
  }

  std::string heatmaps(Diagnostics& diagnostics) const {
    constexpr std::array<std::array<const char*, 3>, 3> kMaps = {{{"n", "m", ""}, {"w", "n", "gain"}, {"m", "w", "+cost"}}};
    std::string out;
    for (const auto& [x, y, value] : kMaps) {
      const std::optional<Heatmap> map = read_heatmap({file_.path, x, y, value}, diagnostics);
      require(map || diagnostics.has_errors(), "no map, and no message", x);
      if (map) out += shown(*map);
    }
    const std::optional<RecordedSearch> recorded = read_recorded({file_.path, "", {}}, diagnostics);
    require(recorded || diagnostics.has_errors(), "no candidates, and no message", "");
    if (recorded) out += shown(*recorded);
    return out;
  }

  static std::int64_t number(const Datum& what, const char* key) {
    const Datum* value = what.find(key);
    const double read = value == nullptr ? 0 : value->number().value_or(0);
    return read > -1e15 && read < 1e15 ? static_cast<std::int64_t>(read) : 0;
  }

  /// Statements without an effect change nothing.
  void inflict(const Datum& what) {
    const auto text = [&](const char* key) { return what.find(key) == nullptr ? std::string() : what.find(key)->text(); };
    if (what.find("byte") != nullptr) return set_byte(number(what, "byte"), number(what, "to"));
    if (what.find("cut") != nullptr) return cut(number(what, "cut"));
    const std::string table = quoted_name(text("in")), row = std::to_string(number(what, "row"));
    const std::string place = " WHERE rowid = (SELECT rowid FROM " + table + " LIMIT 1 OFFSET " + row + ")";
    std::string statement = text("sql");
    if (!text("delete").empty()) statement = "DELETE FROM " + table + place;
    if (!text("copy").empty()) statement = "INSERT INTO " + table + " SELECT * FROM " + table + place;
    if (!text("set").empty()) statement = "UPDATE " + table + " SET " + quoted_name(text("set")) + " = " + value(what) + place;
    if (!text("trigger").empty()) {
      const std::string on = quoted_name(text("trigger"));
      return run("CREATE TRIGGER t AFTER INSERT ON " + on + " BEGIN DELETE FROM " + on + "; END");
    }
    if (!text("drop").empty()) statement = "DROP TABLE " + quoted_name(text("drop"));
    if (harmless(statement)) run(statement);
  }

  void run(const std::string& statement) const {
    Database database;
    if (database.open(file_.path, true)) database.run(statement);
  }

  /// Returns whether a statement changes this file only.
  static bool harmless(const std::string& statement) {
    constexpr std::array<const char*, 6> kBegin = {"DELETE ", "INSERT ", "UPDATE ", "CREATE ", "DROP ", "ALTER "};
    return statement.find(';') == std::string::npos &&
           std::any_of(kBegin.begin(), kBegin.end(), [&](const char* word) { return statement.rfind(word, 0) == 0; });
  }

  static std::string value(const Datum& what) {
    const Datum* to = what.find("to");
    if (to == nullptr || to->is_null()) return "NULL";
    if (to->number()) return exact(*to->number());
    std::string out = "'";
    for (const char c : to->text()) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }

  void set_byte(std::int64_t at, std::int64_t to) const {
    std::string bytes = file_.read();
    if (bytes.empty()) return;
    bytes[static_cast<std::size_t>(at < 0 ? -at : at) % bytes.size()] = static_cast<char>(to);
    file_.write(bytes);
  }

  void cut(std::int64_t at) const {
    const std::string bytes = file_.read();
    file_.write(bytes.substr(0, bytes.empty() ? 0 : static_cast<std::size_t>(at < 0 ? -at : at) % bytes.size()));
  }

  File file_;
  std::string finished_, interrupted_;
  Answer expected_;
};

}  // namespace
}  // namespace opledger::fuzz

OPLEDGER_MUTATES_DOCUMENTS

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static opledger::fuzz::Subject subject;
  subject.check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
