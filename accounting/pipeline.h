#pragma once
#include <optional>

#include "accounting/chunk_tapes.h"
#include "accounting/stages.h"
#include "formulas/evaluate/inquiry.h"

/// Reading the chunks of a pipeline, and the stages that hold them, from the accounting (docs/accounting.md). A chunk
/// is a run of consecutive layers; a stage has one or several chunks.
namespace opledger {

/// Recordings of the accounting's functions of chunks, for candidates that are read one after the other.
struct RecordedChunks {
  ChunkTapes& tapes;                 ///< Recordings so far; extended.
  const ChunkTapes::Inputs& inputs;  ///< Inputs of the evaluated candidate.
  std::vector<const Name*>& read;    ///< Inputs that decide a result; extended.
};
/// Reads chunks and stages. The name `stage_pieces` gives the number of chunks of a stage. The function
/// `piece_of(stage, slot, stages)` gives the number of the chunk in a slot of a stage, and
/// `piece_layers(piece, stages, layers)` the layers of a chunk. By default each stage holds one chunk, the chunks of
/// several slots are interleaved, and chunks are as equal as possible. `layers` counts the repeated layers of the
/// model; `span` is the position of errors. Returns nothing, with an error, if a result is invalid or the chunks do not
/// add up to the model. `recorded` replaces evaluation by recorded tapes where it can; null: no recordings.
std::optional<Pipeline> read_pipeline(Inquiry& inquiry, long long layers, long long stages, const Span& span, const RecordedChunks* recorded = nullptr);

}  // namespace opledger
