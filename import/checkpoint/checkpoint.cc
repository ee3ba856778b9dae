#include "import/checkpoint/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "import/checkpoint/json_table.h"
#include "import/checkpoint/safetensors.h"
#include "schemas/finder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLongestIndex = 100'000'000;  // Bytes; the limit of headers applies to an index, too.
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::string_view kIndexSuffix = ".json";
constexpr const char* kIndexFiles = "*.safetensors.index.json";
constexpr std::size_t kMostFiles = 10'000;

class CheckpointReader {
 public:
  explicit CheckpointReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Checkpoint> read(const std::vector<std::string>& paths) {
    const std::size_t errors = diagnostics_.errors();
    for (const std::string& path : paths) read(path);
    if (diagnostics_.errors() > errors) return std::nullopt;
    if (out_.tensors.empty()) return error("the checkpoint has no tensors"), std::nullopt;
    return std::move(out_);
  }

 private:
  void error(std::string message) { diagnostics_.error({}, std::move(message)); }

  /// Reads a folder, a pattern of file names, an index, or a file of tensors. A `*` counts as a pattern only if no
  /// file has this name. Any other path is an error.
  void read(const fs::path& path) {
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) {
      folder(path);
    } else if (!fs::exists(path, unknown) && path.filename().string().find('*') != std::string::npos) {
      matching(path);
    } else if (path.extension() == kIndexSuffix) {
      index(path);
    } else if (path.extension() == kSuffix) {
      file(path, path.string(), NamedBy::user);
    } else {
      error(fmt::format("`{}` is neither a {} file nor an index of some ({})", visible(path.string()), kSuffix, kIndexFiles));
    }
  }

  std::vector<fs::path> files_in(const fs::path& folder, const std::string& pattern) {
    std::vector<fs::path> out;
    std::error_code unknown;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, unknown), end; !unknown && it != end; it.increment(unknown)) {
      if (glob_match(pattern, it->path().filename().string())) out.push_back(folder / it->path().filename());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// Reads the index of a folder; without an index, all files of tensors. Several indices are an error, because they
  /// describe different checkpoints.
  void folder(const fs::path& path) {
    const std::vector<fs::path> indices = files_in(path, kIndexFiles);
    if (indices.size() == 1) return index(indices[0]);
    if (indices.size() > 1) return error(fmt::format("`{}` has {} indices: which one is meant?", visible(path.string()), indices.size()));
    matching(path / ("*" + std::string(kSuffix)));
  }

  void matching(const fs::path& pattern) {
    const std::vector<fs::path> found = files_in(pattern.parent_path(), pattern.filename().string());
    if (found.empty()) error(fmt::format("there is no file `{}`", visible(pattern.string())));
    for (const fs::path& path : found) file(path, path.string(), NamedBy::user);
  }

  /// Reads the header of one file and adds its tensors; `name` is the file's name in reports. An index may have added
  /// an entry of a tensor already, with the listed file and without a shape: this entry is completed. A tensor that
  /// another file has, too, is an error.
  void file(const fs::path& path, const std::string& name, NamedBy by) {
    if (out_.files.size() == kMostFiles) return error(fmt::format("a checkpoint of more than {} files is not read", kMostFiles));
    std::optional<SafetensorsHeader> header = read_safetensors(path, diagnostics_, by);
    if (!header) return;
    out_.files.push_back({name, true, header->data_bytes, header->present_bytes});
    for (StoredTensor& tensor : header->tensors) {
      Checkpoint::Tensor& own = out_.tensors[tensor.name];
      if (own.file >= 0) {
        error(fmt::format("`{}` is in `{}` and in `{}`", visible(tensor.name), visible(out_.files[static_cast<std::size_t>(own.file)].name), visible(name)));
        return;
      }
      own.file = static_cast<int>(out_.files.size()) - 1;
      own.stored = std::move(tensor);
    }
  }

  /// Reads an index, which lists the file of each tensor, then the headers of these files. The index may be large, so
  /// a streaming reader passes each value to `entry`, and its size is limited. Reports an error if a second index is
  /// given, or if the file is no index.
  void index(const fs::path& path) {
    const auto wrong = [&](const std::string& why) { error(fmt::format("`{}` is no index of a checkpoint: {}", visible(path.string()), why)); };
    if (!out_.index.empty()) return wrong(fmt::format("`{}` is one already", visible(out_.index)));
    InputFile file(path, NamedBy::user);
    if (!file.problem().empty() || !file.is_regular()) return wrong("there is no file of this name");
    if (file.size() > kLongestIndex) return wrong(fmt::format("it has more than {} bytes", kLongestIndex));
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    if (file.read(text.data(), text.size()) != static_cast<std::int64_t>(text.size())) return wrong("it can't be read");
    out_.index = path.string();
    const JsonVisitor visitor{[](const auto&) { return std::string(); }, [this](const auto& keys, const JsonScalar& value) { return entry(keys, value); }};
    const std::string problem = read_json_table(text, visitor);
    if (!problem.empty()) return wrong(problem);
    if (out_.tensors.empty()) return wrong("it has no `weight_map`, or an empty one");
    shards(path);
  }

  /// Stores one value of an index. `keys` is the path of mapping keys to the value: a total below `metadata`, or the
  /// file of a tensor below `weight_map`. Values at any other path are ignored. Returns an error text; empty if the
  /// value is valid.
  std::string entry(const std::vector<std::string>& keys, const JsonScalar& value) {
    if (keys.size() != 2) return {};
    if (keys[0] == "metadata") {
      const bool bytes = keys[1] == "total_size", parameters = keys[1] == "total_parameters";
      if (!bytes && !parameters) return {};
      if (value.kind != JsonScalar::Kind::whole) return fmt::format("its `{}` is no whole number", keys[1]);
      (bytes ? out_.total_bytes : out_.total_parameters) = value.number;
    } else if (keys[0] == "weight_map") {
      // Files lie in the folder of the index. A path is an error, because an index must not open files elsewhere.
      const fs::path file = value.text;
      if (value.kind != JsonScalar::Kind::text || file.empty() || file != file.filename() || file == "." || file == "..")
        return fmt::format("`{}` is in `{}`, which is no file name", visible(keys[1]), visible(value.text));
      Checkpoint::Tensor& tensor = out_.tensors[keys[1]];
      tensor.stored.name = keys[1];
      tensor.listed = value.text;
    }
    return {};
  }

  /// Reads the header of each file that the index lists. A file that is not in the folder is recorded as missing,
  /// without tensors. A link out of the folder is an error, because an index must not open files elsewhere.
  void shards(const fs::path& index) {
    std::map<std::string, bool> names;
    for (const auto& [_, tensor] : out_.tensors) names.emplace(tensor.listed, true);
    const Finder finder({});
    for (const auto& [name, _] : names) {
      const fs::path path = index.parent_path() / name;
      std::error_code unknown;
      if (!fs::exists(path, unknown) || path.extension() != kSuffix) {
        out_.files.push_back({name, false});
      } else if (const Finder::Result found = finder.find_file(name, index); found.path) {
        file(path, name, NamedBy::document);
      } else {
        error(fmt::format("in the index `{}`: {}", visible(index.string()), found.error));
      }
    }
  }

  Diagnostics& diagnostics_;
  Checkpoint out_;
};

}  // namespace

bool Checkpoint::has_shapes() const {
  return std::all_of(files.begin(), files.end(), [](const CheckpointFile& file) { return file.found; });
}

std::optional<Checkpoint> read_checkpoint(const std::vector<std::string>& paths, Diagnostics& diagnostics) { return CheckpointReader(diagnostics).read(paths); }

}  // namespace opledger
