#include "import/checkpoint/checkpoint_audit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/text.h"
#include "import/checkpoint/findings.h"

namespace opledger {
namespace {

using State = AuditCheck::State;
using TensorIterator = std::map<std::string, Checkpoint::Tensor>::const_iterator;

constexpr std::uint64_t kPackedBits[] = {1, 2, 3, 4, 5, 6, 8};  // Bits of one packed element of a quantized weight.
constexpr std::uint64_t kWidths[] = {1, 2, 4, 8};               // Bytes of one element that a whole checkpoint may use.
constexpr std::uint64_t kWidest = 4;                            // Bytes of one element that vectors may use in a narrower checkpoint.

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return glob_match(pattern, name); });
}

/// Matches checkpoint tensors with model weights in two passes. The first pass looks up each expected name and marks
/// each tensor found; the second pass explains unmarked tensors. Every tensor thus ends as a weight, as explained or
/// as unknown.
class Auditor {
 public:
  Auditor(const TensorNames& names, const CheckpointNames& patterns, const Checkpoint& checkpoint)
      : names_(names), patterns_(patterns), checkpoint_(checkpoint), shapes_known_(checkpoint.has_shapes()) {
    out_.mapping = patterns.mapping_name;
    out_.naming = find_naming(names, checkpoint);
    for (const auto& [packed, plain] : patterns.packed.entries()) packed_.emplace_back(packed.text(), plain.text());
  }

  CheckpointAudit audit() {
    compare_weights();
    explain_rest();
    for (const TensorNames::NamedWeight& weight : names_.weights) parameters_ += weight.elements;
    check_names();
    check_shapes();
    check_bytes();
    check_files();
    out_.missing = missing_.take(), out_.unknown = unknown_.take(), out_.misshapen = misshapen_.take(), out_.explained = explained_.take();
    return std::move(out_);
  }

 private:
  TensorIterator find(const std::string& name) const {
    for (const std::string& own : out_.naming.names(name)) {
      const auto found = checkpoint_.tensors.find(own);
      if (found != checkpoint_.tensors.end()) return found;
    }
    return checkpoint_.tensors.end();
  }

  /// Finds the tensor under the name that a quantized weight has: `qweight` for `weight`.
  TensorIterator find_packed(const std::string& name) const {
    for (const auto& [packed, plain] : packed_) {
      if (!name.ends_with(plain)) continue;
      const auto found = find(name.substr(0, name.size() - plain.size()) + packed);
      if (found != checkpoint_.tensors.end()) return found;
    }
    return checkpoint_.tensors.end();
  }

  bool is_stored(const std::string& name) const { return find(name) != checkpoint_.tensors.end() || find_packed(name) != checkpoint_.tensors.end(); }

  /// Returns the number of layers for which the checkpoint has a tensor of the group.
  std::size_t layers_found(const TensorGroup& group) const {
    const TensorEntry& entry = names_.entries[group.entry];
    return static_cast<std::size_t>(
        std::count_if(group.layers.begin(), group.layers.end(), [&](std::size_t layer) { return is_stored(group.name(entry, layer, 0)); }));
  }

  /// Chooses a group of tensors for each weight and compares its tensors. A mapping may know several names of one
  /// weight, and each name gives a group; the group with tensors in most layers wins. A tied weight may be stored
  /// only under the name of another use. If no group of the weight has a tensor, a group of copies is therefore
  /// chosen. Copies that were not chosen are compared afterwards and never count as missing. The cost is a few map
  /// lookups for each expected name.
  void compare_weights() {
    std::set<std::size_t> chosen;
    std::vector<std::size_t> count(names_.groups.size());  // Layers of each group with a tensor in the checkpoint.
    for (std::size_t g = 0; g < names_.groups.size(); ++g) count[g] = layers_found(names_.groups[g]);
    for (std::size_t w = 0; w < names_.weights.size(); ++w) {
      const std::vector<std::size_t>& groups = names_.weights[w].groups;
      if (groups.empty()) {
        out_.unnamed.push_back(names_.weights[w].name);
        continue;
      }
      const auto best = std::max_element(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) { return count[a] < count[b]; });
      const auto copy = count[*best] > 0 ? names_.groups.size() : copy_of(w, count);
      chosen.insert(copy < names_.groups.size() ? copy : *best);
    }
    for (const std::size_t g : chosen) compare_group(names_.groups[g]);
    for (std::size_t g = 0; g < names_.groups.size(); ++g) {
      if (names_.groups[g].copy && chosen.count(g) == 0) compare_copies(names_.groups[g]);
    }
  }

  /// Returns the group that stores a copy of one tied weight and has tensors; the number of groups if no group does.
  std::size_t copy_of(std::size_t weight, const std::vector<std::size_t>& count) const {
    for (std::size_t g = 0; g < names_.groups.size(); ++g) {
      const TensorGroup& group = names_.groups[g];
      if (group.copy && count[g] > 0 && group.weights == std::vector<std::size_t>{weight}) return g;
    }
    return names_.groups.size();
  }

  std::string weights_of(const TensorGroup& group) const {
    std::vector<std::string> out;
    for (const std::size_t w : group.weights) out.push_back(names_.weights[w].name);
    return join(out, " ");
  }

  /// Looks up every tensor of a group, one for each layer and matrix of a stack, and compares its shape. A tensor is
  /// found under its own name, or under the name that a quantized weight has. `expected_` counts the expected tensors,
  /// `vectors_` the elements of tensors with at most one dimension or without a common shape. A tensor under neither
  /// name is reported as missing.
  void compare_group(const TensorGroup& group) {
    const TensorEntry& entry = names_.entries[group.entry];
    const std::string weights = weights_of(group);
    for (const std::size_t layer : group.layers) {
      for (std::size_t matrix = 0; matrix < group.matrices; ++matrix) {
        const std::string name = group.name(entry, layer, matrix);
        ++expected_;
        if (group.shape.size() < 2) vectors_ += group.elements;
        if (const TensorIterator found = find(name); found != checkpoint_.tensors.end()) {
          compare_tensor(group, entry, weights, found, false);
        } else if (const TensorIterator packed = find_packed(name); packed != checkpoint_.tensors.end()) {
          compare_tensor(group, entry, weights, packed, true);
        } else {
          missing_.add(out_.naming.names(name).front(), {{}, weights, {}, {}, {}}, group.elements);
        }
      }
    }
  }

  /// Compares a found tensor with the expected shape and adds its elements to `elements_`; packed weights add the
  /// expected elements. `packed` says that the tensor has the name of a quantized weight. Quantized weights are packed
  /// into integers, so their shape differs. A packed or integer tensor passes if its bytes give each element one of the
  /// widths in `kPackedBits`. Other differences are reported. A tensor of a missing file has no shape and is only
  /// marked as used.
  void compare_tensor(const TensorGroup& group, const TensorEntry& entry, const std::string& weights, TensorIterator found, bool packed) {
    const StoredTensor& tensor = found->second.stored;
    used_.insert(found->first);
    if (found->second.file < 0) return;
    ++compared_;
    const bool right = is_right(group, entry, tensor);
    const std::uint64_t bits = tensor.bytes <= ~std::uint64_t{0} / 8 && group.elements > 0 ? tensor.bytes * 8 / group.elements : 0;
    const bool whole =
        bits > 0 && bits * group.elements == tensor.bytes * 8 && std::find(std::begin(kPackedBits), std::end(kPackedBits), bits) != std::end(kPackedBits);
    if (!right && (packed || is_whole_number_type(tensor.type)) && whole) {
      explained_.add(found->first, {{}, weights, {}, {}, fmt::format("quantized weights, packed: {} bits each", bits)}, group.elements);
      elements_ += static_cast<double>(group.elements);
      return;
    }
    elements_ += static_cast<double>(tensor.elements);
    if (right) return;
    const std::string should_be = group.fits ? to_string(group.shape) : fmt::format("{} elements", group.elements);
    misshapen_.add(found->first, {{}, weights, to_string(tensor.shape), should_be, {}}, tensor.elements);
  }

  /// Returns whether a tensor has the expected shape. Weights that form no rectangular tensor are compared by their
  /// number of elements. A `spread` entry may split one dimension over consecutive axes; the loop multiplies axes
  /// until each expected size is reached.
  static bool is_right(const TensorGroup& group, const TensorEntry& entry, const StoredTensor& tensor) {
    if (!group.fits) return tensor.elements == group.elements;
    if (!entry.spread) return tensor.shape == group.shape;
    std::size_t axis = 0;  // Next axis of the tensor.
    for (const std::uint64_t size : group.shape) {
      std::uint64_t run = 1;
      while (axis < tensor.shape.size() && (run < size || tensor.shape[axis] == 1)) run *= tensor.shape[axis++];
      if (run != size) return false;
    }
    return axis == tensor.shape.size();
  }

  /// Compares stored copies of a tied weight, one for each layer. A copy is optional: an absent one is no finding, and
  /// a present one is explained if its shape is right or unknown. `copies_` adds up their bytes, because some writers
  /// leave copies out of the total in an index. A tensor that another group has used already is no copy.
  void compare_copies(const TensorGroup& group) {
    const TensorEntry& entry = names_.entries[group.entry];
    for (const std::size_t layer : group.layers) {
      const TensorIterator found = find(group.name(entry, layer, 0));
      if (found == checkpoint_.tensors.end() || !used_.insert(found->first).second) continue;
      const StoredTensor& tensor = found->second.stored;
      if (found->second.file >= 0) ++compared_;
      if (found->second.file >= 0 && !is_right(group, entry, tensor)) {
        misshapen_.add(found->first, {{}, weights_of(group), to_string(tensor.shape), to_string(group.shape), {}}, tensor.elements);
      } else {
        explained_.add(found->first, {{}, weights_of(group), {}, {}, "a copy of a tied weight"}, group.elements);
        has_unknown_sizes_ = has_unknown_sizes_ || found->second.file < 0;
        copies_ += tensor.bytes;
      }
    }
  }

  /// Sorts each tensor that matches no weight of the model into explained and unknown tensors. `layers` maps each name
  /// prefix of layers (`model.layers.`), as the checkpoint spells it, to the model's number of layers. Layers count
  /// from 0, so this number and higher ones are a reason. An explained tensor without a shape makes totals
  /// incomparable, because its size is unknown.
  void explain_rest() {
    std::map<std::string, std::size_t> layers;
    for (const TensorGroup& group : names_.groups) {
      const TensorEntry& entry = names_.entries[group.entry];
      if (entry.prefix().size() == entry.name.size()) continue;
      std::size_t& most = layers[out_.naming.names(entry.prefix()).front()];
      for (const std::size_t layer : group.layers) most = std::max(most, layer + 1);
    }
    for (const auto& [name, tensor] : checkpoint_.tensors) {
      if (used_.count(name) > 0) continue;
      const std::string why = reason(name, layers);
      (why.empty() ? unknown_ : explained_).add(name, {{}, {}, {}, {}, why}, tensor.stored.elements);
      has_unknown_sizes_ = has_unknown_sizes_ || (!why.empty() && tensor.file < 0);
    }
  }

  /// Returns the reason for a tensor that is no weight of the model; empty if nothing explains the tensor. Reasons are
  /// the mapping's patterns and a name outside of the language model's prefix; with `further_layers` also a layer
  /// number beyond the model's last layer.
  std::string reason(const std::string& name, const std::map<std::string, std::size_t>& layers) const {
    if (matches(patterns_.buffers, name)) return "a buffer";
    if (matches(patterns_.left_out, name)) return "left out of the model";
    for (const auto& [prefix, count] : layers) {
      if (!patterns_.further_layers || name.rfind(prefix, 0) != 0) continue;
      const std::string number = name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size());
      const bool digits = !number.empty() && number.size() < 7 && number.find_first_not_of("0123456789") == std::string::npos;
      if (digits && std::stoul(number) >= count) return "a layer that predicts further tokens, left out of the model";
    }
    const std::string outer_prefix = out_.naming.outer_prefix();
    return !outer_prefix.empty() && name.rfind(outer_prefix, 0) != 0 ? "a part around the language model" : "";
  }

  void check(std::string name, std::string doc, double is, double should_be) {
    AuditCheck out;
    out.name = std::move(name), out.doc = std::move(doc);
    out.left = number_value(integer(is)), out.right = number_value(integer(should_be));
    out.state = is == should_be ? State::passed : State::failed;
    out.failures = is == should_be ? 0 : 1;
    out.difference = is == should_be ? 0 : std::abs(is - should_be) / std::max(std::abs(is), std::abs(should_be));
    out_.checks.push_back(std::move(out));
  }

  void skip(std::string name, std::string doc, std::string why) {
    AuditCheck out;
    out.name = std::move(name), out.doc = std::move(doc), out.why = std::move(why);
    out.state = State::skipped;
    out_.checks.push_back(std::move(out));
  }

  void check_names() {
    const double all = static_cast<double>(names_.weights.size());
    check("weights_named", "Weights of the model for which the mapping has a tensor.", all - static_cast<double>(out_.unnamed.size()), all);
    check("tensors_found", "Expected tensor names that the checkpoint has.", static_cast<double>(expected_ - missing_.tensors()),
          static_cast<double>(expected_));
    check("tensors_unknown", "Names that are neither a weight of the model nor another tensor that the mapping expects.",
          static_cast<double>(unknown_.tensors()), 0);
  }

  /// Adds two checks: the shapes of the tensors found, and the number of elements in the checkpoint against the
  /// model's parameters. If files are missing, the number that the index states replaces the counted elements. A
  /// check without its data is added as skipped, with the reason.
  void check_shapes() {
    constexpr const char *kShapes = "shapes_right", *kParameters = "checkpoint_parameters";
    constexpr const char *kShapesDoc = "Outputs by inputs, as the graph has them.", *kParametersDoc = "Elements of all tensors of the model.";
    if (compared_ == 0) {
      skip(kShapes, kShapesDoc, "an index has no shapes, and its files are not in its folder");
    } else {
      check(kShapes, kShapesDoc, static_cast<double>(compared_ - misshapen_.tensors()), static_cast<double>(compared_));
    }
    if (shapes_known_) {
      check(kParameters, kParametersDoc, elements_, parameters_);
    } else if (checkpoint_.total_parameters) {
      check("index_parameters", kParametersDoc, static_cast<double>(*checkpoint_.total_parameters), parameters_);
    } else {
      skip(kParameters, kParametersDoc, "not all files are there");
    }
  }

  /// Adds up tensors, elements and bytes by element type for the report, largest type first. Then checks `total_size`
  /// of the index, if there is one. The total is compared with the bytes in the files if every file was found.
  /// Otherwise it is compared with the model's parameters, but only if no explained tensor has an unknown size.
  void check_bytes() {
    std::map<std::string, StoredType> types;
    std::uint64_t bytes = 0;
    for (const auto& [_, tensor] : checkpoint_.tensors) {
      if (tensor.file < 0) continue;
      StoredType& type = types[tensor.stored.type];
      type.type = tensor.stored.type;
      ++type.tensors;
      type.elements += tensor.stored.elements, type.bytes += tensor.stored.bytes;
      bytes += tensor.stored.bytes;
    }
    for (auto& [_, type] : types) out_.types.push_back(std::move(type));
    std::sort(out_.types.begin(), out_.types.end(), [](const StoredType& a, const StoredType& b) { return a.bytes > b.bytes; });
    if (!checkpoint_.total_bytes) return;
    constexpr const char *kName = "index_bytes", *kDoc = "`total_size` of the index.";
    const auto total = static_cast<double>(*checkpoint_.total_bytes);
    // Some writers count tied weights once, others count each stored copy.
    if (shapes_known_) return check(kName, kDoc, total, static_cast<double>(*checkpoint_.total_bytes == bytes - copies_ ? bytes - copies_ : bytes));
    if (has_unknown_sizes_) return skip(kName, kDoc, "it includes tensors that the model lacks, and an index does not state their sizes");
    check_total(kName, kDoc, total);
  }

  /// Checks a total without shapes: all parameters have one width, and vectors may have a wider one.
  void check_total(const char* name, const char* doc, double total) {
    for (const std::uint64_t width : kWidths) {
      const double least = parameters_ * static_cast<double>(width);
      const double most = least + static_cast<double>(vectors_) * static_cast<double>(kWidest - std::min(width, kWidest));
      if (total >= least && total <= most)
        return check(name, fmt::format("{} {} bytes for each parameter; vectors may have {}.", doc, width, kWidest), total, total);
    }
    const double width = std::max(1.0, std::round(total / std::max(1.0, parameters_)));
    check(name, doc, total, parameters_ * width);
  }

  /// Adds checks of the files themselves: listed files exist, tensors are in the file that the index names, and files
  /// have all bytes. A tensor whose listed file is missing can't be checked and does not count. If all files have
  /// only headers, the check of bytes is skipped, because only headers were downloaded. Nothing is checked if no file
  /// was found.
  void check_files() {
    std::size_t found = 0, empty = 0, whole = 0;
    for (const CheckpointFile& file : checkpoint_.files) {
      found += file.found ? 1 : 0;
      empty += file.found && file.present_bytes == 0 && file.data_bytes > 0 ? 1 : 0;
      whole += file.found && file.present_bytes == file.data_bytes ? 1 : 0;
    }
    const auto all = static_cast<double>(checkpoint_.files.size());
    if (found > 0 && !checkpoint_.index.empty()) {
      check("files_found", "Files named by the index that exist.", static_cast<double>(found), all);
      std::size_t agree = 0, known = 0;
      for (const auto& [_, tensor] : checkpoint_.tensors) {
        const bool listed = !tensor.listed.empty();
        if (tensor.file < 0 && listed && !is_found(tensor.listed)) continue;
        ++known;
        agree += tensor.file >= 0 && listed && checkpoint_.files[static_cast<std::size_t>(tensor.file)].name == tensor.listed ? 1 : 0;
      }
      check("tensors_where_listed", "Tensors stored in the file that the index names.", static_cast<double>(agree), static_cast<double>(known));
    }
    constexpr const char *kName = "files_whole", *kDoc = "Files with as many bytes after the header as it declares.";
    if (found == 0) return;
    if (empty == found) return skip(kName, kDoc, "the files have only headers, no weights");
    check(kName, kDoc, static_cast<double>(whole), static_cast<double>(found));
  }

  bool is_found(const std::string& file) const {
    return std::any_of(checkpoint_.files.begin(), checkpoint_.files.end(), [&](const CheckpointFile& f) { return f.found && f.name == file; });
  }

  const TensorNames& names_;
  const CheckpointNames& patterns_;
  const Checkpoint& checkpoint_;
  const bool shapes_known_;
  std::vector<std::pair<std::string, std::string>> packed_;
  CheckpointAudit out_;
  Findings missing_, unknown_, misshapen_, explained_;
  std::set<std::string> used_;  ///< Names of checkpoint tensors that match a weight or a copy.
  std::size_t expected_ = 0, compared_ = 0;
  std::uint64_t vectors_ = 0;  ///< Elements of expected tensors with at most one dimension or without a common shape.
  std::uint64_t copies_ = 0;   ///< Bytes of stored copies of tied weights.
  double elements_ = 0, parameters_ = 0;
  bool has_unknown_sizes_ = false;  ///< A tensor of unknown size is no weight of the model, so totals can't be compared.
};

}  // namespace

CheckpointAudit audit_checkpoint(const TensorNames& names, const CheckpointNames& patterns, const Checkpoint& checkpoint) {
  return Auditor(names, patterns, checkpoint).audit();
}

}  // namespace opledger
