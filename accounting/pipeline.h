#pragma once
#include <optional>

#include "accounting/piece_tapes.h"
#include "accounting/stages.h"
#include "formulas/evaluate/inquiry.h"

namespace opledger {

/// The pieces of a pipeline and the stages that hold them, as the accounting says (docs/accounting.md): `stage_pieces`, a name, and `piece_of(stage, slot,
/// stages)` and `piece_layers(piece, stages, layers)`, functions. Without them each stage holds one piece, and all pieces are as equal as can be.
/// `layers`: those that repeat. Empty, with an error, if the pieces do not make up the model. `recorded`: what may stand in for asking; null: nothing.
struct RecordedPieces {
  PieceTapes& tapes;
  const PieceTapes::Inputs& inputs;  ///< Of the candidate that is asked.
  std::vector<const Name*>& read;    ///< Inputs that were found to decide something.
};
std::optional<Pipeline> read_pipeline(Inquiry& inquiry, long long layers, long long stages, const Span& span, const RecordedPieces* recorded = nullptr);

}  // namespace opledger
