#pragma once
#include <vector>

#include "expr/parser.h"
#include "run/documents.h"

/// The axes of a space as they are written, before anything is linked.
namespace opledger {

struct WrittenAxis {
  const Datum* name;
  const Datum* value;
  const Datum *symmetry, *stop;  ///< Null: not said.
};

/// The axis whose values are documents: systems, by name.
inline constexpr const char* kSystemAxis = "system";

/// `axes: [{NAME: DOMAIN}, …]`.
std::vector<WrittenAxis> written_axes(const Datum& root, Diagnostics& diagnostics);

/// False, with an error, if it can't be read.
bool parse_axis(const Datum& value, Diagnostics& diagnostics, Domain& out);

/// Gives a request the systems of such an axis, or the one that it names instead.
bool choose_systems(const Document& space, const Datum& value, Library& library, RunRequest& run, Diagnostics& diagnostics);

}  // namespace opledger
