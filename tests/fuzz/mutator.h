#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/donors.h"

/// Changes documents as their users might: pieces are deleted, repeated, exchanged, taken from other documents; numbers, names and operators of formulas are
/// replaced. What comes out is YAML again, and mostly of the right shape.
namespace opledger::fuzz {

/// One to several changes. Of a text in which nothing is a document, itself.
std::string mutated(const std::string& text, std::uint32_t seed, const Donors& donors = shipped_donors());

/// Documents of the first with some of the second's, or pieces of them.
std::string crossed(const std::string& first, const std::string& second, std::uint32_t seed);

/// The same as libFuzzer calls them: into `data`, which has room for `most` bytes. Gives the new size; what is too long is left as it was.
std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t most, std::uint32_t seed);
std::size_t cross_bytes(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second, std::size_t second_size, std::uint8_t* out,
                        std::size_t most, std::uint32_t seed);

}  // namespace opledger::fuzz

/// Gives a target the functions that libFuzzer looks for.
#define OPLEDGER_MUTATES_DOCUMENTS                                                                                                                          \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {                                   \
    return opledger::fuzz::mutate_bytes(data, size, most, seed);                                                                                            \
  }                                                                                                                                                         \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b, std::size_t b_size, std::uint8_t* out, \
                                                   std::size_t most, unsigned seed) {                                                                       \
    return opledger::fuzz::cross_bytes(a, a_size, b, b_size, out, most, seed);                                                                              \
  }
