#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.h"

/// A file of tests/cli/errors, output or strategies: a command, the documents that it reads, what it prints.
///
///   with: two_products          folders of tests/cli/documents whose files lie beside the command; a line that need not be there
///   opledger eval model.yaml    shell, up to the first line that begins with `--- `
///   --- model.yaml              a document of the case alone, which hides one of the same name that is shared
///   kind: model
///   --- expected                what is printed: the last section
namespace opledger {

struct CaseFile {
  std::filesystem::path path;
  std::vector<std::string> with;
  std::string command;
  std::vector<std::pair<std::string, std::string>> sections;  ///< Names and texts, in the order of the file.

  /// The text of a section; empty without one.
  std::string section(const std::string& name) const {
    for (const auto& [own, text] : sections) {
      if (own == name) return text;
    }
    return {};
  }

  /// Writes the documents of the command into `folder`.
  void lay_out(const std::filesystem::path& folder) const {
    namespace fs = std::filesystem;
    for (const std::string& shared : with)
      fs::copy(source_folder() + "/tests/cli/documents/" + shared, folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    for (const auto& [name, text] : sections) {
      if (name == "expected") continue;
      fs::create_directories((folder / name).parent_path());
      std::ofstream(folder / name, std::ios::binary) << text;
    }
  }
};

inline CaseFile read_case(const std::filesystem::path& path) {
  CaseFile out{path, {}, {}, {}};
  std::ifstream in(path, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("--- ", 0) == 0) {
      out.sections.emplace_back(line.substr(4), "");
    } else if (!out.sections.empty()) {
      out.sections.back().second += line + "\n";
    } else if (line.rfind("with: ", 0) == 0) {
      std::istringstream names(line.substr(6));
      for (std::string name; names >> name;) out.with.push_back(name);
    } else {
      out.command += line + "\n";
    }
  }
  return out;
}

/// Writes the case anew with another `expected`.
inline void write_expected(const CaseFile& old, const std::string& expected) {
  std::ofstream out(old.path, std::ios::binary);
  if (!old.with.empty()) {
    out << "with:";
    for (const std::string& name : old.with) out << " " << name;
    out << "\n";
  }
  out << old.command;
  for (const auto& [name, text] : old.sections) {
    if (name != "expected") out << "--- " << name << "\n" << text;
  }
  out << "--- expected\n" << expected;
}

}  // namespace opledger
