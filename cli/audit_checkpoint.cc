// `audit --checkpoint`: compares the files of a checkpoint with the model.
#include "cli/audit_checkpoint.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "base/text.h"
#include "import/checkpoint/checkpoint_audit.h"
#include "import/hf.h"
#include "report/checkpoint_report.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMappingKey = "checkpoint";  // Key of a model document with the name of a mapping.
constexpr const char* kConfig = "config.json";

/// Returns the mapping document that names the checkpoint's tensors. The sources are, in order: `--mapping`, the key
/// `checkpoint` of the model, and the mapping for the config.json in the checkpoint's folder. Returns null, with an
/// error, if no source exists or the document can't be read.
const Document* find_mapping(const Options& options, Library& library, Diagnostics& diagnostics) {
  if (!options.mapping.empty()) return library.load(options.mapping, {"import"}, diagnostics);
  const Document* model = library.load(options.arguments[0], {"model"}, diagnostics);
  if (model == nullptr) return nullptr;
  if (const Datum* mapping_name = model->root.find(kMappingKey))
    return library.load(mapping_name->text(), {"import"}, diagnostics, mapping_name->span(), model->path);
  std::error_code unknown;
  const fs::path path = options.checkpoint.front();
  const fs::path config = (fs::is_directory(path, unknown) ? path : path.parent_path()) / kConfig;
  if (fs::is_regular_file(config, unknown)) return mapping_of_config(config.string(), library, diagnostics);
  diagnostics
      .error({}, fmt::format("no mapping is known for the tensors of `{}`: there is no `{}` in the model, and no {} in the checkpoint's folder",
                             visible(model->name), kMappingKey, kConfig))
      .note({}, "--mapping NAME gives the mapping of its family (`opledger list import`)");
  return nullptr;
}

}  // namespace

/// Reads the checkpoint (headers of its files only), its mapping and the model, then compares the tensors stored with
/// those that the model's weights need. The mapping's patterns give the name of each weight's tensors. Each step needs
/// the previous one, so the first failure ends the comparison. The cost is linear in the number of tensors.
std::optional<CheckpointPart> checkpoint_part(const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::optional<Checkpoint> checkpoint = read_checkpoint(options.checkpoint, diagnostics);
  const Document* document = checkpoint ? find_mapping(options, library, diagnostics) : nullptr;
  const std::optional<Mapping> mapping = document != nullptr ? load_mapping(*document, library, diagnostics) : std::nullopt;
  if (!mapping) return std::nullopt;
  const std::unique_ptr<Run> run = Run::prepare(run_request(options, {options.arguments[0]}), library, diagnostics);
  if (!run) return std::nullopt;
  const CheckpointNames patterns = read_checkpoint_names(*mapping);
  const bool lacks_tensors = patterns.tensors.entries().empty();
  if (lacks_tensors || !run->has_graph()) {
    diagnostics.error({}, lacks_tensors ? fmt::format("the mapping `{}` names no tensors", visible(patterns.mapping_name))
                                        : fmt::format("the accounting `{}` has no graph, whose weights would be compared", run->accounting()));
    return std::nullopt;
  }
  const std::optional<TensorNames> names = tensor_names(*run, patterns, diagnostics);
  if (!names) return std::nullopt;
  CheckpointAudit audit = audit_checkpoint(*names, patterns, *checkpoint);
  CheckpointPart out;
  out.tables = checkpoint_tables(audit, out.kept);
  out.checks = std::move(audit.checks);
  return out;
}

}  // namespace opledger
