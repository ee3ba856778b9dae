#pragma once
#include <vector>

#include "expr/parser.h"
#include "run/documents.h"

/// The axes of a space as the document states them, before anything is linked.
namespace opledger {

/// One entry of the list `axes`, as nodes of the document.
struct WrittenAxis {
  const Datum* name;             ///< The first key of the entry.
  const Datum* value;            ///< The domain as written: a text or a list of texts.
  const Datum *symmetry, *stop;  ///< Null if the entry has no such key.
};

/// Name of the axis with documents as values: systems, by name.
inline constexpr const char* kSystemAxis = "system";

/// Reads the list `axes: [{NAME: DOMAIN}, …]`, and reports malformed and repeated entries.
std::vector<WrittenAxis> written_axes(const Datum& root, Diagnostics& diagnostics);

/// Parses the domain of an axis, such as `1, 2, 4 where it <= n`, into `out`. Returns false, with an error, if the text is
/// malformed.
bool parse_axis(const Datum& value, Diagnostics& diagnostics, Domain& out);

/// Loads the systems of the axis into the request; a system named in the request takes precedence. Returns false,
/// with an error, if a system can't be loaded or appears twice, or none is named.
bool choose_systems(const Document& space, const Datum& value, Library& library, RunRequest& run, Diagnostics& diagnostics);

}  // namespace opledger
