#pragma once
#include <cstddef>

/// What an input may be at most. Every document is untrusted: past these a clear error is given, never a crash or a hang.
namespace opledger {

inline constexpr std::size_t kMaxDocumentBytes = 16u << 20;   ///< One file.
inline constexpr std::size_t kMaxTableBytes = 1u << 30;       ///< A table of runs.
inline constexpr std::size_t kMaxDocumentDepth = 64;          ///< Nested lists and mappings.
inline constexpr std::size_t kMaxDocumentValues = 1'000'000;  ///< Values of one file after aliases are expanded.
inline constexpr std::size_t kMaxIncludes = 1024;             ///< Documents that one command loads.
inline constexpr std::size_t kMaxDiagnostics = 100;           ///< Further ones are counted, not kept.
inline constexpr std::size_t kMaxFormulaBytes = 16u << 10;    ///< One formula's text.
inline constexpr std::size_t kMaxFormulaDepth = 200;          ///< Nested brackets, signs and conditions of one formula.
inline constexpr std::size_t kMaxEvaluationDepth = 250;       ///< Names that are being evaluated because of each other.
inline constexpr std::size_t kMaxEvaluationSteps = 1u << 25;  ///< Formulas evaluated for one metric, an element visited counted as several.
inline constexpr std::size_t kMaxNodes = 100'000;             ///< Nodes of one operator graph, before layers are multiplied.
inline constexpr std::size_t kMaxBlockDepth = 32;             ///< Blocks inside blocks.
inline constexpr std::size_t kMaxStages = 100'000;            ///< Stages of one pipeline.
inline constexpr std::size_t kMaxPeers = 10'000'000;          ///< Peers of all processors together, where they are listed.
inline constexpr std::size_t kMaxTensorDimensions = 16;

}  // namespace opledger
