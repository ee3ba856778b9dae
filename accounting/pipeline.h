#pragma once
#include <optional>

#include "accounting/stages.h"
#include "formulas/inquiry.h"

namespace opledger {

/// The pieces of a pipeline and the stages that hold them, as the accounting says (docs/accounting.md): `stage_pieces`, a name, and `piece_of(stage, slot,
/// stages)` and `piece_layers(piece, stages, layers)`, functions. Without them each stage holds one piece, and all pieces are as equal as can be.
/// `layers`: those that repeat. Empty, with an error, if the pieces do not make up the model.
std::optional<Pipeline> read_pipeline(Inquiry& inquiry, long long layers, long long stages, const Span& span);

}  // namespace opledger
