// `export chakra`: execution traces of one step for network simulators.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "cli/export_command.h"
#include "report/chakra.h"
#include "report/output.h"
#include "report/unfinished.h"
#include "report/writers.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroups = "comm_group.json";
constexpr double kMostBytes = 4e9;  // Bytes of all files together.

std::optional<TraceOptions> trace_options(const Options& options, Diagnostics& diagnostics) {
  TraceOptions out;
  const std::vector<std::string> details = {"phases", "operators"};
  if (!options.detail.empty() && !contains(details, options.detail))
    diagnostics.error({}, fmt::format("`--detail` is one of {}, not `{}`{}", join(details, ", "), options.detail, suggestion(options.detail, details)));
  out.operators = options.detail == details[1];
  out.microbatches = static_cast<std::size_t>(std::max(0, options.microbatches));
  if (options.output.empty() || options.output == "-") diagnostics.error({}, "`export chakra` writes a file for each rank: `-o FOLDER` says where");
  return diagnostics.has_errors() ? std::nullopt : std::optional(out);
}

/// A new folder for several files. Files are written into a temporary folder, which gets its final name after the
/// last file. A failure or a signal therefore leaves no incomplete folder.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& path) : path_(path) {
    std::error_code unknown;
    if (path_.filename().empty()) path_ = path_.parent_path();
    if (fs::exists(path_, unknown) && !(fs::is_directory(path_, unknown) && fs::is_empty(path_, unknown))) {
      problem_ = fmt::format("`{}` is there already: traces are written into a new folder, or an empty one", visible(path_.string()));
      return;
    }
    std::error_code error;
    temporary_ = path_;
    temporary_ += fmt::format(".{}.new", ::getpid());
    Unfinished unfinished;
    fs::create_directory(temporary_, error);
    if (!error) unfinished.add(temporary_);
    if (error) problem_ = fmt::format("can't make the folder `{}`: {}", visible(temporary_.string()), error.message());
    exists_ = !error;
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!exists_) return;
    fs::remove_all(temporary_, ignored);
    Unfinished().remove(temporary_);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::string& problem() const { return problem_; }
  bool write(const std::string& name, const std::string& text) {
    if (problem_.empty()) problem_ = write_file((temporary_ / name).string(), text);
    return problem_.empty();
  }
  bool link(const std::string& name, const std::string& to) {
    std::error_code error;
    Unfinished unfinished;  // No link may be made while a signal removes the folder.
    fs::create_hard_link(temporary_ / to, temporary_ / name, error);
    if (error) {  // Some file systems lack hard links.
      error.clear();
      fs::copy_file(temporary_ / to, temporary_ / name, error);
    }
    if (error) problem_ = fmt::format("can't write `{}`: {}", visible((temporary_ / name).string()), error.message());
    return problem_.empty();
  }
  bool commit() {
    std::error_code error;
    Unfinished unfinished;
    fs::rename(temporary_, path_, error);
    if (!error) unfinished.remove(temporary_);
    exists_ = static_cast<bool>(error);
    if (error) problem_ = fmt::format("can't write `{}`: {}", visible(path_.string()), error.message());
    return !error;
  }

 private:
  fs::path path_, temporary_;
  std::string problem_;
  bool exists_ = false;
};

/// Returns the beginning of the file names, before the number of the rank.
std::string stem_of(const std::string& execution) {
  std::string out = fs::path(execution).stem().string();
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c <= ' ' || c == 127 || c == '/'; }, '_');
  return out.empty() ? "trace" : out;
}

std::string table_of_groups(const StepTrace& trace, const ChakraWriter& writer) {
  std::string out;
  for (std::size_t g = 0; g < trace.groups.size(); ++g) {
    const RankGroups& groups = trace.groups[g];
    const std::size_t first = writer.first_name(g), last = first + groups.groups.size() - 1;
    out += fmt::format("  {:<12} {}\n", first == last ? std::to_string(first) : fmt::format("{} to {}", first, last),
                       fmt::format("{}: {} ranks", visible(groups.axes), groups.groups.ranks()));
  }
  return out;
}

/// Returns a summary of the traces. The first number of nodes, and the sent bytes, are those of the stage with most
/// nodes.
std::string summary(const StepTrace& trace, const ChakraWriter& writer, const std::string& name, std::size_t files, double bytes) {
  std::size_t most = 0, nodes = 0;
  for (std::size_t k = 0; k < trace.stages.size(); ++k) {
    nodes += trace.stages[k].size();
    if (trace.stages[k].size() > trace.stages[most].size()) most = k;
  }
  return fmt::format("traces     {}.0.et to {}.{}.et: {} ranks, {} different files, {:.1f} MB\n", name, name, trace.ranks.size() - 1, trace.ranks.size(), files,
                     bytes / 1e6) +
         fmt::format("nodes      {} on a rank of stage {}, {} on one rank of each stage\n", trace.stages[most].size(), most, nodes) +
         fmt::format("sent       {:.6g} GB by a rank of stage {}\n", static_cast<double>(writer.sent_bytes(most)) / 1e9, most) +
         fmt::format("step       {:.6g} s as the whole of it is played\ngroups     {}\n", trace.end, kGroups) + table_of_groups(trace, writer);
}

}  // namespace

Outcome export_chakra(const Options& options, Library& library, Diagnostics& diagnostics) {
  // Writes the trace of one step, a file for each rank, into a new folder. Many ranks have equal traces: one file is
  // written for each kind of rank (ChakraWriter::kind), and further ranks of the kind get hard links to it. The total
  // size is estimated before any file is written, from one file of each stage: names of groups and ranks hardly change
  // it. The folder has a temporary name until `commit`, so a failure leaves no incomplete folder.
  const std::optional<TraceOptions> requested = trace_options(options, diagnostics);
  if (!requested) return {};
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, {options.arguments.begin() + 1, options.arguments.end()}), library, diagnostics);
  if (!run) return {};
  if (!run->has_graph() || !run->has_system()) {
    diagnostics.error({}, run->has_graph() ? "a trace needs a SYSTEM: its steps have durations"
                                           : fmt::format("the accounting `{}` counts by formulas alone: there is no step to trace", run->accounting()));
    return {};
  }
  const std::vector<Violation> violations = run->violations(diagnostics);
  const std::optional<StepTrace> trace = step_trace(*run, *requested, diagnostics);
  if (!trace || diagnostics.has_errors()) return {};
  const ChakraWriter writer(*trace);
  std::map<std::string, std::size_t> first_of_kind;  // First rank of each kind.
  for (std::size_t rank = 0; rank < trace->ranks.size(); ++rank) first_of_kind.try_emplace(writer.kind(rank), rank);
  std::map<std::size_t, double> size;  // Bytes of a file by stage; numbers of ranks hardly change the size.
  double expected = 0;
  for (const auto& [_, rank] : first_of_kind) {
    double& bytes = size[trace->ranks[rank].stage];
    if (bytes == 0) bytes = static_cast<double>(writer.file(rank).size());
    expected += bytes;
  }
  if (expected > kMostBytes) {
    diagnostics.error({}, fmt::format("traces of {} ranks would have {:.0f} GB, and at most {:.0f} are written: `--microbatches N` takes the first N of a step",
                                      trace->ranks.size(), expected / 1e9, kMostBytes / 1e9));
    return {};
  }
  NewFolder folder(options.output);
  const std::string name = stem_of(run->execution_name());
  double bytes = 0;
  const auto file_of = [&](std::size_t rank) { return fmt::format("{}.{}.et", name, rank); };
  for (std::size_t rank = 0; rank < trace->ranks.size() && folder.problem().empty(); ++rank) {
    const std::size_t first_rank = first_of_kind.find(writer.kind(rank))->second;
    if (first_rank != rank) {
      folder.link(file_of(rank), file_of(first_rank));
      continue;
    }
    const std::string text = writer.file(rank);
    bytes += static_cast<double>(text.size());
    folder.write(file_of(rank), text);
  }
  if (!folder.problem().empty() || !folder.write(kGroups, writer.groups()) || !folder.commit()) {
    diagnostics.error({}, folder.problem());
    return {};
  }
  Outcome out{summary(*trace, writer, name, first_of_kind.size(), bytes), infeasible_lines(violations)};
  out.wrote_output = true;
  return out;
}

}  // namespace opledger
