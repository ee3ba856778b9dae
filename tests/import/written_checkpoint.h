#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "import/checkpoint/checkpoint_audit.h"
#include "tests/import/imported_config.h"
#include "tests/support/documents.h"

/// Writes checkpoints for tests: headers, with or without space for weights after them.
namespace opledger {

using Shapes = std::map<std::string, std::vector<std::uint64_t>>;

/// Returns the header of a file with the tensors in order of their names, two bytes an element.
inline std::string header_of(const Shapes& shapes, const std::string& type = "BF16", std::uint64_t bytes = 2) {
  std::string json = "{\"__metadata__\":{\"format\":\"pt\"}";
  std::uint64_t at = 0;
  for (const auto& [name, shape] : shapes) {
    std::string sizes;
    std::uint64_t end = bytes;
    for (const std::uint64_t size : shape) {
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
      end *= size;
    }
    end += at;
    json +=
        ",\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[" + sizes + "],\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
    at = end;
  }
  return json + "}";
}

/// Returns a file: eight bytes with the length, then the header.
inline std::string file_of(const std::string& header) {
  std::string out;
  for (std::uint64_t length = header.size(), i = 0; i < 8; ++i, length >>= 8) out += static_cast<char>(length & 255);
  return out + header;
}

inline std::filesystem::path write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline CheckpointNames shipped_names(const std::string& name) {
  static std::deque<Library> libraries;
  libraries.push_back(Library({source_folder()}));
  Diagnostics diagnostics;
  const Document* document = libraries.back().load(name, {"import"}, diagnostics);
  REQUIRE_MESSAGE(document != nullptr, render(diagnostics));
  auto mapping = load_mapping(*document, libraries.back(), diagnostics);
  REQUIRE_MESSAGE(mapping, render(diagnostics));
  return read_checkpoint_names(*mapping);
}

/// Returns the mapping that the text of an imported model names.
inline std::string mapping_in(const std::string& text) {
  const std::string key = "\ncheckpoint: ";
  const std::size_t begin = text.find(key);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + key.size(), text.find('\n', begin + 1) - begin - key.size());
}

inline TensorNames names_of(Run& run, const CheckpointNames& known) {
  Diagnostics diagnostics;
  auto names = tensor_names(run, known, diagnostics);
  REQUIRE_MESSAGE(names, render(diagnostics));
  return *names;
}

/// Returns the tensors of a checkpoint of the model. A weight with several names gets the first one.
inline Shapes shapes_of(const TensorNames& names) {
  std::vector<bool> expected_groups(names.groups.size(), false);
  for (const TensorNames::NamedWeight& weight : names.weights) {
    REQUIRE_MESSAGE(!weight.groups.empty(), weight.name);
    expected_groups[weight.groups.front()] = true;
  }
  Shapes out;
  for (std::size_t g = 0; g < names.groups.size(); ++g) {
    const TensorGroup& group = names.groups[g];
    for (const std::size_t layer : expected_groups[g] ? group.layers : std::vector<std::size_t>{}) {
      REQUIRE_MESSAGE(group.fits, names.entries[group.entry].name);
      for (std::size_t matrix = 0; matrix < group.matrices; ++matrix) out[group.name(names.entries[group.entry], layer, matrix)] = group.shape;
    }
  }
  return out;
}

inline Checkpoint checkpoint_of(const Shapes& shapes) {
  const TemporaryFolder folder;
  Diagnostics diagnostics;
  const auto checkpoint = read_checkpoint({write_bytes(folder.path() / "model.safetensors", file_of(header_of(shapes))).string()}, diagnostics);
  REQUIRE_MESSAGE(checkpoint, render(diagnostics));
  return *checkpoint;
}

/// Returns the names of the failed checks.
inline std::vector<std::string> failed(const CheckpointAudit& audit) {
  std::vector<std::string> out;
  for (const AuditCheck& check : audit.checks) {
    if (check.state == AuditCheck::State::failed) out.push_back(check.name);
  }
  return out;
}

}  // namespace opledger
