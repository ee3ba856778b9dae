#pragma once

/// Sizes of llama-2-7b for figures computed by hand.
namespace opledger {

inline constexpr double kHidden = 4096, kFfn = 11008, kVocab = 32000, kLayers = 32;
inline constexpr double kMatrices = kLayers * (4 * kHidden * kHidden + 3 * kHidden * kFfn);  ///< Weights of products in hidden layers.

}  // namespace opledger
