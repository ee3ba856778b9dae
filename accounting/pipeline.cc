#include "accounting/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/limits.h"
#include "base/text.h"

namespace opledger {
namespace {

constexpr std::size_t kShownChunks = 16;  // Limit of chunks in a message.

class PipelineReader {
 public:
  PipelineReader(Inquiry& inquiry, long long layers, long long stages, const Span& span, const RecordedChunks* recorded)
      : inquiry_(inquiry), layers_(layers), stages_(stages), span_(span), recorded_(recorded) {}

  /// Reads the chunks of each stage, then the layers of each chunk. `piece_of` and `piece_layers` are functions that
  /// the accounting may define, called for every stage and slot, and for every chunk. Without `piece_layers`, layers
  /// are distributed over chunks as evenly as possible. Returns nothing, with an error, if a result is invalid or the
  /// layers of the chunks don't add up to the model.
  std::optional<Pipeline> read() {
    const Function* piece_of = find("piece_of", 3);
    const Function* piece_layers = find("piece_layers", 3);
    const std::optional<long long> slots = slots_of_stage();
    if (!slots) return std::nullopt;
    Pipeline out;
    if (!assign_chunks(piece_of, *slots, out)) return std::nullopt;
    std::size_t chunks = 0;  // Number of chunks: the highest number in use, plus one.
    for (const auto& stage : out.stages) chunks = std::max(chunks, *std::max_element(stage.begin(), stage.end()) + 1);
    if (piece_layers == nullptr) {
      out.chunk_layers = even_pipeline(layers_, static_cast<long long>(chunks)).chunk_layers;
      return out;
    }
    std::vector<Arguments> all;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) all.push_back({static_cast<long long>(chunk), stages_, layers_});
    std::optional<std::vector<long long>> layers = call(*piece_layers, all);
    if (!layers || !adds_up(*layers, *piece_layers)) return std::nullopt;
    out.chunk_layers = std::move(*layers);
    return out;
  }

 private:
  using Arguments = ChunkTapes::Arguments;

  /// Determines the chunks of each stage and stores them in `out.stages`, in the order of slots. By default slot s of
  /// stage k holds chunk s * stages + k, as in interleaved schedules. Chunks are numbered in the order of the model.
  /// Several stages may hold one chunk, but every number up to the highest must be in use. Returns false, with an
  /// error, otherwise. Linear in stages times slots.
  bool assign_chunks(const Function* piece_of, long long slots, Pipeline& out) {
    std::vector<Arguments> all;
    for (long long stage = 0; stage < stages_; ++stage) {
      for (long long slot = 0; slot < slots; ++slot) all.push_back({stage, slot, stages_});
    }
    std::vector<long long> chunks;
    if (piece_of == nullptr) {
      for (const auto& [stage, slot, stages] : all) chunks.push_back(slot * stages + stage);
    } else if (std::optional<std::vector<long long>> found = call(*piece_of, all)) {
      chunks = std::move(*found);
    } else {
      return false;
    }
    // Slots times stages is the limit of numbers, which `is_chunk` checks.
    std::vector<bool> used(static_cast<std::size_t>(slots * stages_));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (piece_of != nullptr && !is_chunk(chunks[i], slots, *piece_of)) return false;
      if (all[i][1] == 0) out.stages.emplace_back();
      out.stages.back().push_back(static_cast<std::size_t>(chunks[i]));
      used[static_cast<std::size_t>(chunks[i])] = true;
    }
    const long long count = *std::max_element(chunks.begin(), chunks.end()) + 1, different = std::count(used.begin(), used.end(), true);
    if (different == count) return true;
    inquiry_.error(piece_of->span, fmt::format("`piece_of` must use every piece: stages have {} of {}", different, count));
    return false;
  }

  /// Returns the accounting's function of this name; null if it has none with this number of arguments.
  const Function* find(const char* name, std::size_t arguments) const {
    const Function* const f = inquiry_.program().find_function(name);
    return f != nullptr && f->parameters.size() == arguments ? f : nullptr;
  }

  /// Returns the number of chunks on each stage, by default 1; nothing, with an error, if the number is invalid.
  std::optional<long long> slots_of_stage() {
    const Name* name = inquiry_.program().find("stage_pieces");
    const std::optional<long long> n = name == nullptr ? 1 : whole(inquiry_.ask(*name), "stage_pieces", span_);
    if (!n) return std::nullopt;
    if (*n >= 1 && *n <= static_cast<long long>(kMaxStages) / stages_) return n;
    inquiry_.error(span_,
                   fmt::format("{} pieces on each of {} stages: a stage needs at least one piece, and all stages have at most {}", *n, stages_, kMaxStages));
    return std::nullopt;
  }

  /// Evaluates a function for all arguments: by recorded tapes if possible, else one call each until an error.
  std::optional<std::vector<long long>> call(const Function& f, const std::vector<Arguments>& all) {
    if (recorded_ != nullptr) {
      std::optional<std::vector<long long>> known = recorded_->tapes.call(f, all, inquiry_.evaluator(), recorded_->inputs, recorded_->read);
      if (known) return known;
    }
    std::vector<long long> out;
    for (const Arguments& one : all) {
      std::vector<Value> arguments;
      for (const long long x : one) arguments.push_back(number_value(integer(static_cast<double>(x))));
      const std::optional<long long> n = whole(inquiry_.ask(f, arguments), f.name, f.span);
      if (!n) return std::nullopt;
      out.push_back(*n);
    }
    return out;
  }

  /// Returns a value as a whole number of at most 1e9 in magnitude, under a guard; else nothing, with an error.
  std::optional<long long> whole(const Value& v, const std::string& name, const Span& span) {
    if (inquiry_.stopped()) return std::nullopt;
    double n = 0;
    if (v.is_number()) n = specialize(inquiry_.tape(), v.scalar);
    if (v.is_number() && std::abs(n) <= 1e9 && n == static_cast<double>(static_cast<long long>(n))) return static_cast<long long>(n);
    inquiry_.error(span, fmt::format("`{}` must be a whole number, not {}", name, v.is_number() ? exact(n) : describe(v)));
    return std::nullopt;
  }

  bool is_chunk(long long chunk, long long slots, const Function& f) {
    if (chunk >= 0 && chunk < slots * stages_) return true;
    inquiry_.error(f.span, fmt::format("`{}` gives piece {} of at most {}", f.name, chunk, slots * stages_));
    return false;
  }

  /// Checks that the layers of the chunks are not negative and add up to the model; reports an error otherwise.
  bool adds_up(const std::vector<long long>& chunks, const Function& f) {
    const long long sum = std::accumulate(chunks.begin(), chunks.end(), 0LL);
    if (sum == layers_ && *std::min_element(chunks.begin(), chunks.end()) >= 0) return true;
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(chunks.size(), kShownChunks); ++i) shown.push_back(fmt::format("{}", chunks[i]));
    if (chunks.size() > kShownChunks) shown.push_back("…");
    Diagnostic& d = inquiry_.error(span_, fmt::format("{} stages can't hold {} layers as {}{}", stages_, layers_, join(shown, ", "),
                                                      sum == layers_ ? "" : fmt::format(": these are {}", sum)));
    d.note(f.span, f.defs.empty() || f.defs[0]->doc.empty() ? "layers are assigned here" : f.defs[0]->doc);
    return false;
  }

  Inquiry& inquiry_;
  const long long layers_, stages_;
  const Span& span_;
  const RecordedChunks* const recorded_;
};

}  // namespace

std::optional<Pipeline> read_pipeline(Inquiry& inquiry, long long layers, long long stages, const Span& span, const RecordedChunks* recorded) {
  return PipelineReader(inquiry, layers, stages, span, recorded).read();
}

}  // namespace opledger
