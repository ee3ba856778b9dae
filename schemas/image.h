#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/datum.h"

/// A library of documents as it was read when the program was built: the text and the tree of each document in which nothing was wrong, and the formulas in it, in one file. A text
/// that is found there byte by byte, wherever it comes from, needs no parser and holds to its schema; any other text is read as if there were no image. So an image is never wrong, only
/// of no use: one that another program made, or a damaged one, finds nothing. It is read document by document, when these are asked for.
///
/// The file (all numbers with the lowest byte first): what kind of file it is and what made it, how many documents, for each of them an `Entry`, by the sizes of texts; then for each its
/// tree, its formulas and its text.
namespace opledger {

/// One in which nothing is wrong.
struct ImagedDocument {
  Datum root;
  std::string formulas;  ///< As SourceFile has them.
};

class Image {
 public:
  /// One that finds nothing.
  Image() = default;
  /// Finds nothing either if the file can't be read, or was made by a program with other schemas.
  explicit Image(const std::filesystem::path& file);

  /// The tree of this text, with places in this source, which gets its formulas too. Safe to call from several threads.
  std::optional<Datum> find(const std::shared_ptr<SourceFile>& source) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t text_size = 0, tree_size = 0, formulas_size = 0;
    std::uint32_t sum = 0;  ///< Of tree and formulas.
    std::uint64_t place = 0;
  };
  struct File;

  std::optional<Datum> read(const Entry& entry, const std::shared_ptr<SourceFile>& source) const;
  friend std::string make_image(const std::vector<ImagedDocument>& documents);

  std::shared_ptr<const File> file_;
  std::vector<Entry> entries_;
};

/// What is to stand in the file.
std::string make_image(const std::vector<ImagedDocument>& documents);

/// The documents of a folder as the library has them (schemas/kinds.h) in which nothing is wrong.
std::vector<Datum> good_documents(const std::filesystem::path& folder);

/// That of the shipped library.
const Image& shipped_image();

}  // namespace opledger
