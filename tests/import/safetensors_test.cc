#include "import/checkpoint/safetensors.h"

#include <sys/stat.h>

#include "tests/import/written_checkpoint.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const TemporaryFolder& here() {
  static const TemporaryFolder folder;
  return folder;
}

/// Returns the number of tensors in a file with these bytes, or the error without the path.
std::string error_of_bytes(const std::string& bytes) {
  Diagnostics diagnostics;
  const auto header = read_safetensors(write_bytes(here().path() / "a.safetensors", bytes), diagnostics);
  if (header)
    return std::to_string(header->tensors.size()) + " tensors, " + std::to_string(header->present_bytes) + " of " + std::to_string(header->data_bytes) +
           " bytes";
  std::string said = messages(diagnostics);
  const std::string begin = "`" + (here().path() / "a.safetensors").string() + "` is no file of tensors: ";
  REQUIRE(said.rfind(begin, 0) == 0);
  return said.substr(begin.size(), said.size() - begin.size() - 1);
}

std::string error_of_header(const std::string& json) { return error_of_bytes(file_of(json)); }

std::string tensor(const std::string& shape, const std::string& offsets, const std::string& type = "F32") {
  return R"({"a":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

}  // namespace

TEST_CASE("safetensors: what a header may be") {
  CHECK(error_of_header("{}") == "0 tensors, 0 of 0 bytes");
  CHECK(error_of_header("{}      ") == "0 tensors, 0 of 0 bytes");  // Writers pad headers with blanks.
  CHECK(error_of_header(R"({"__metadata__":{"format":"pt"}})") == "0 tensors, 0 of 0 bytes");
  CHECK(error_of_header(tensor("[2,3]", "[0,24]")) == "1 tensors, 0 of 24 bytes");
  CHECK(error_of_bytes(file_of(tensor("[2,3]", "[0,24]")) + std::string(24, 'x')) == "1 tensors, 24 of 24 bytes");
  CHECK(error_of_bytes(file_of(tensor("[2,3]", "[0,24]")) + std::string(7, 'x')) == "1 tensors, 7 of 24 bytes");
  CHECK(error_of_header(tensor("[]", "[0,4]")) == "1 tensors, 0 of 4 bytes");     // A tensor of one number.
  CHECK(error_of_header(tensor("[0,5]", "[0,0]")) == "1 tensors, 0 of 0 bytes");  // A tensor without elements.
  CHECK(error_of_header(tensor("[4]", "[0,2]", "F4")) == "1 tensors, 0 of 2 bytes");
}

TEST_CASE("safetensors: an invalid header is reported") {
  const std::pair<std::string, std::string> headers[] = {
      {"", "in its header it is no JSON, from byte 1 on"},
      {"[1]", "in its header it is no mapping"},
      {"7", "in its header it is no mapping"},
      {R"({"a":)", "in its header it is no JSON, from byte 6 on"},
      {R"({"a":1})", "in its header `a` is no mapping of dtype, shape and data_offsets"},
      {R"({"a":{"dtype":{"x":1}}})", "in its header `a.dtype` is a mapping"},
      {R"({"a":{}})", "in its header `a`: there is no type ``"},
      {tensor("[1]", "[0,4]", "F23"), "in its header `a`: there is no type `F23` (did you mean `F32`?)"},
      {R"({"a":{"dtype":5,"shape":[1],"data_offsets":[0,4]}})", "in its header `a`: `dtype` is no text"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "in its header `a` has no list `shape`"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", "in its header `a`: `data_offsets` must be two numbers"},
      {tensor("4", "[0,16]"), "in its header `a`: `shape` is no list of whole numbers from 0 to 2^64 - 1"},
      {tensor("[-1]", "[0,4]"), "in its header `a`: `shape` is no list of whole numbers from 0 to 2^64 - 1"},
      {tensor("[1.5]", "[0,6]"), "in its header `a`: `shape` is no list of whole numbers from 0 to 2^64 - 1"},
      {tensor("[18446744073709551616]", "[0,4]"), "in its header `a`: `shape` is no list of whole numbers from 0 to 2^64 - 1"},
      {tensor("[[1]]", "[0,4]"), "in its header lists are nested"},
      {tensor("[{}]", "[0,4]"), "in its header a list holds a mapping"},
      {tensor("[4294967296,4294967296]", "[0,4]"), "in its header `a`: [4294967296, 4294967296] is too large"},
      // The product with the bits of an element exceeds 64 bits.
      {tensor("[4611686018427387904]", "[0,4]"), "in its header `a`: [4611686018427387904] is too large"},
      {tensor("[2]", "[8,0]"), "in its header `a` ends before it begins: [8, 0]"},
      {tensor("[2]", "[0,4]"), "in its header `a`: [2] of F32 takes 8 bytes, and [0, 4] are 4"},
      {tensor("[2]", "[0,8,16]"), "in its header `a`: `data_offsets` must be two numbers"},
      {tensor("[2]", "[4,12]"), "in its header 4 bytes before `a` belong to no tensor"},
      {tensor("[3]", "[0,2]", "F4"), "in its header `a`: [3] of F4 takes 1 bytes, and [0, 2] are 2"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})", "in its header `a` is there twice"},
      {R"({"a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "in its header `dtype` is there twice"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "in its header `b` overlaps `a`"},
      {R"({"a\u001b[31m":{"dtype":"U8","shape":[2],"data_offsets":[4,0]}})", "in its header `a\\x1b[31m` ends before it begins: [4, 0]"},
      {R"({"__metadata__":{"a":{"b":{"c":1}}}})", "in its header `__metadata__` holds more than texts"},
      {std::string(100'000, '{'), "in its header it is no JSON, from byte 2 on"},
      {"{\"a\":" + std::string(100'000, '['), "in its header lists are nested"},
      {"{\"\xff\":1}", "in its header it is no JSON, from byte 3 on"},
  };
  for (const auto& [header, expected] : headers) {
    CAPTURE(header.substr(0, 200));
    CHECK(error_of_header(header) == expected);
  }
}

TEST_CASE("safetensors: a file of another format is reported") {
  CHECK(error_of_bytes("") == "it has 0 bytes, and the length of a header takes 8");
  CHECK(error_of_bytes("1234567") == "it has 7 bytes, and the length of a header takes 8");
  CHECK(error_of_bytes(std::string(8, '\xff')) == "its header would have 18446744073709551615 bytes, and at most 100000000 are possible");
  CHECK(error_of_bytes(std::string("\x03\0\0\0\0\0\0\0{}", 10)) == "its header would have 3 bytes, and the file has 10");
  CHECK(error_of_bytes("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 4976698672\n") ==
        "it is a pointer of Git LFS, in place of the file: `git lfs pull` fetches that");
  Diagnostics diagnostics;
  const fs::path pipe = here().path() / "pipe.safetensors";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(!read_safetensors(pipe, diagnostics));  // Opening the pipe must not block.
  CHECK(!read_safetensors(here().path(), diagnostics));
  CHECK(!read_safetensors(here().path() / "none.safetensors", diagnostics));
  CHECK(!read_safetensors("/dev/zero", diagnostics));
  CHECK(diagnostics.errors() == 4);
}

TEST_CASE("safetensors: of a file of many gigabytes only the header is read") {
  const fs::path path = write_bytes(here().path() / "large.safetensors", file_of(tensor("[25000000000]", "[0,100000000000]")));
  const std::uint64_t header = fs::file_size(path);
  fs::resize_file(path, header + 100'000'000'000);  // The file is sparse.
  Diagnostics diagnostics;
  const auto read = read_safetensors(path, diagnostics);
  fs::remove(path);
  REQUIRE_MESSAGE(read, render(diagnostics));
  CHECK(read->present_bytes == read->data_bytes);
  CHECK(read->tensors.at(0).elements == 25'000'000'000);
}

}  // namespace opledger
