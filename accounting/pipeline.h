#pragma once
#include <optional>

#include "accounting/chunk_tapes.h"
#include "accounting/stages.h"
#include "formulas/evaluate/inquiry.h"

namespace opledger {

/// Reads the chunks of a pipeline and the stages that hold them from the accounting (docs/accounting.md). The name
/// `stage_pieces` gives the chunks of a stage. The function `piece_of(stage, slot, stages)` gives the number of a
/// chunk, and `piece_layers(piece, stages, layers)` its layers. By default each stage holds one chunk, and chunks are
/// as equal as possible. `layers` counts the repeated layers. Returns nothing, with an error, if the chunks do not add
/// up to the model. `recorded` replaces evaluation by recorded tapes where it can; null: no recordings.
struct RecordedChunks {
  ChunkTapes& tapes;
  const ChunkTapes::Inputs& inputs;  ///< Inputs of the evaluated candidate.
  std::vector<const Name*>& read;    ///< Inputs that decide a result; extended.
};
std::optional<Pipeline> read_pipeline(Inquiry& inquiry, long long layers, long long stages, const Span& span, const RecordedChunks* recorded = nullptr);

}  // namespace opledger
