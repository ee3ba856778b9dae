#include "import/checkpoint/stored_tensor.h"

#include "base/text.h"

namespace opledger {
namespace {

struct ElementType {
  std::string_view name;
  std::uint64_t bits;
  bool whole;
};

// Source: github.com/huggingface/safetensors, safetensors/src/tensor.rs, Dtype.
constexpr ElementType kTypes[] = {{"BOOL", 8, true},         {"U8", 8, true},       {"I8", 8, true},       {"F4", 4, false},      {"F6_E2M3", 6, false},
                                  {"F6_E3M2", 6, false},     {"F8_E4M3", 8, false}, {"F8_E5M2", 8, false}, {"F8_E8M0", 8, false}, {"F8_E4M3FNUZ", 8, false},
                                  {"F8_E5M2FNUZ", 8, false}, {"I16", 16, true},     {"U16", 16, true},     {"F16", 16, false},    {"BF16", 16, false},
                                  {"I32", 32, true},         {"U32", 32, true},     {"F32", 32, false},    {"C64", 64, false},    {"F64", 64, false},
                                  {"I64", 64, true},         {"U64", 64, true}};

const ElementType* find_type(std::string_view name) {
  for (const ElementType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace

std::optional<std::uint64_t> bits_of_type(std::string_view type) {
  const ElementType* found = find_type(type);
  return found != nullptr ? std::optional(found->bits) : std::nullopt;
}

std::vector<std::string> element_types() {
  std::vector<std::string> out;
  for (const ElementType& type : kTypes) out.emplace_back(type.name);
  return out;
}

bool is_whole_number_type(std::string_view type) {
  const ElementType* found = find_type(type);
  return found != nullptr && found->whole;
}

std::optional<std::uint64_t> product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t out = 1;
  for (const std::uint64_t size : shape) {
    if (__builtin_mul_overflow(out, size, &out)) return std::nullopt;
  }
  return out;
}

std::string to_string(const std::vector<std::uint64_t>& shape) {
  std::vector<std::string> sizes;
  for (const std::uint64_t size : shape) sizes.push_back(std::to_string(size));
  return "[" + join(sizes, ", ") + "]";
}

}  // namespace opledger
