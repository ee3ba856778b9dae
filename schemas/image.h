#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/datum.h"

/// An image: a library of documents, parsed and validated when the program was built, in one file with texts, trees and
/// parsed formulas. A text that equals a stored text byte by byte needs no parsing or validation, wherever it comes
/// from; other texts are parsed as usual.
/// A foreign or damaged image thus finds nothing, and never gives wrong results. Documents are read from the file on
/// demand.
///
/// The file begins with a stamp of file type and creator, the number of documents, and an `Entry` per document in order
/// of text size. Tree, formulas and text of each document follow. Numbers are little-endian.
namespace opledger {

/// A valid document with its parsed formulas.
struct ImagedDocument {
  Datum root;            ///< Tree of the document.
  std::string formulas;  ///< Serialized as in SourceFile.
};

/// An opened image file. Copies share the file.
class Image {
 public:
  /// Creates an image without documents.
  Image() = default;
  /// Opens a file. The image is empty if the file can't be read or was created with different schemas.
  explicit Image(const std::filesystem::path& file);

  /// Returns the tree of a text with positions in `source`, and stores the formulas in `source`. Empty if the image
  /// lacks the text. Thread-safe.
  std::optional<Datum> find(const std::shared_ptr<SourceFile>& source) const;

  std::size_t size() const { return entries_.size(); }  ///< Number of documents.

 private:
  /// A document in the table at the beginning of the file.
  struct Entry {
    std::uint32_t text_size = 0, tree_size = 0, formulas_size = 0;  ///< Bytes of each part.
    std::uint32_t sum = 0;                                          ///< Checksum of tree and formulas.
    std::uint64_t place = 0;                                        ///< Offset of the tree in the file; formulas and text follow.
  };
  struct File;

  /// Returns the tree of an entry if its text equals the source's; nothing otherwise, or if the file is damaged.
  std::optional<Datum> read(const Entry& entry, const std::shared_ptr<SourceFile>& source) const;
  friend std::string make_image(const std::vector<ImagedDocument>& documents);

  std::shared_ptr<const File> file_;
  std::vector<Entry> entries_;  ///< Ascending by text size.
};

/// Returns the contents of an image file for these documents.
std::string make_image(const std::vector<ImagedDocument>& documents);

/// Returns the valid documents below a folder, by the folders of schemas/kinds.h.
std::vector<Datum> good_documents(const std::filesystem::path& folder);

/// Returns the image of the shipped library, opened on the first call; empty if the library has none.
const Image& shipped_image();

}  // namespace opledger
