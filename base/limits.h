#pragma once
#include <cstddef>

/// Limits of inputs. Every document is untrusted: exceeding a limit gives a clear error, never a crash or a hang.
namespace opledger {

inline constexpr std::size_t kMaxDocumentBytes = 16u << 20;   ///< Bytes of a document.
inline constexpr std::size_t kMaxTableBytes = 1u << 30;       ///< Bytes of a table of runs.
inline constexpr std::size_t kMaxDocumentDepth = 64;          ///< Nesting of lists and mappings.
inline constexpr std::size_t kMaxDocumentValues = 1'000'000;  ///< Values of one file after aliases are expanded.
inline constexpr std::size_t kMaxTableColumns = 16'384;       ///< Columns of a table.
inline constexpr std::size_t kMaxIncludes = 1024;             ///< Documents that one document includes, directly or through others.
inline constexpr std::size_t kMaxDiagnostics = 100;           ///< Stored messages; further ones are only counted.
inline constexpr std::size_t kMaxMessageBytes = 4096;         ///< Bytes of one message; the rest of a longer one is left out.
inline constexpr std::size_t kMaxFormulaBytes = 16u << 10;    ///< Bytes of the text of one formula.
inline constexpr std::size_t kMaxFormulaDepth = 200;          ///< Nesting of brackets, signs and conditions in one formula.
inline constexpr std::size_t kMaxEvaluationDepth = 250;       ///< Nesting of evaluations of names.
inline constexpr std::size_t kMaxEvaluationSteps = 1u << 25;  ///< Evaluated formulas for one metric; visiting an element counts several times.
inline constexpr std::size_t kMaxNodes = 100'000;             ///< Nodes of one operator graph, before layers are multiplied.
inline constexpr std::size_t kMaxBlockDepth = 32;             ///< Nesting of blocks in blocks.
inline constexpr std::size_t kMaxStages = 100'000;            ///< Stages of one pipeline.
inline constexpr std::size_t kMaxPeers = 10'000'000;          ///< Total number of listed peers over all processors.
inline constexpr std::size_t kMaxTensorDimensions = 16;       ///< Dimensions of one tensor.

}  // namespace opledger
