#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/donors.h"

/// Mutations of documents as their users might make them. Parts are deleted, repeated, exchanged or taken from other
/// documents; numbers, names and operators of formulas are replaced. The result is YAML again, mostly of a valid
/// shape.
namespace opledger::fuzz {

/// Makes one or several changes. A text without a document is returned unchanged.
std::string mutated(const std::string& text, std::uint32_t seed, const Donors& donors = shipped_donors());

/// Returns documents of the first text, with some documents of the second or parts of them.
std::string crossed(const std::string& first, const std::string& second, std::uint32_t seed);

/// Mutates the bytes in `data`, which has space for `most` of them, as libFuzzer requests. Returns the new size; a
/// result that is too long is dropped.
std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed);
std::size_t cross_bytes(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                        std::size_t most, std::uint32_t seed);

}  // namespace opledger::fuzz

/// Defines the functions of a target that libFuzzer calls.
#define OPLEDGER_MUTATES_DOCUMENTS                                                                                                                          \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {                                   \
    return opledger::fuzz::mutate_bytes(data, size, most, seed);                                                                                            \
  }                                                                                                                                                         \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b, std::size_t b_size, std::uint8_t* out, \
                                                   std::size_t most, unsigned seed) {                                                                       \
    return opledger::fuzz::cross_bytes(a, a_size, b, b_size, out, most, seed);                                                                              \
  }
