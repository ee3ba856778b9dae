#include "import/checkpoint/checkpoint.h"

#include "tests/import/written_checkpoint.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

const Shapes kFirst = {{"a", {2, 3}}, {"b", {4}}}, kSecond = {{"c", {5}}};

/// Two tensor files and their index.
struct Sharded {
  Sharded() {
    write_bytes(folder.path() / "x-1.safetensors", file_of(header_of(kFirst)));
    write_bytes(folder.path() / "x-2.safetensors", file_of(header_of(kSecond)));
    write_bytes(path, R"({"metadata":{"total_size":30},"weight_map":{"a":"x-1.safetensors","b":"x-1.safetensors","c":"x-2.safetensors"}})");
  }

  TemporaryFolder folder;
  fs::path path = folder.path() / "model.safetensors.index.json";
};

std::string said(const std::vector<std::string>& paths, const TemporaryFolder& folder) {
  Diagnostics diagnostics;
  const auto read = read_checkpoint(paths, diagnostics);
  if (read) return std::to_string(read->tensors.size()) + " tensors in " + std::to_string(read->files.size()) + " files";
  return folder.masked(messages(diagnostics));
}

}  // namespace

TEST_CASE("checkpoint: files, an index, a folder, a pattern") {
  const Sharded s;
  const std::string folder = s.folder.path().string();
  for (const std::vector<std::string>& paths : std::vector<std::vector<std::string>>{
           {s.path.string()}, {folder}, {folder + "/x-*.safetensors"}, {folder + "/x-1.safetensors", folder + "/x-2.safetensors"}}) {
    CAPTURE(paths[0]);
    CHECK(said(paths, s.folder) == "3 tensors in 2 files");
  }
  fs::remove(s.path);
  CHECK(said({folder}, s.folder) == "3 tensors in 2 files");
}

TEST_CASE("checkpoint: an index without its files knows names, and what it says in all") {
  const Sharded s;
  fs::remove(s.folder.path() / "x-1.safetensors");
  Diagnostics diagnostics;
  auto read = read_checkpoint({s.path.string()}, diagnostics);
  REQUIRE(read);
  CHECK(!read->has_shapes());
  CHECK(read->tensors.at("a").file == -1);
  CHECK(read->tensors.at("c").stored.elements == 5);
  CHECK(read->total_bytes == 30);
}

TEST_CASE("checkpoint: unreadable files are reported") {
  const Sharded s;
  const std::string folder = s.folder.path().string();
  const auto index = [&](const std::string& text) { return said({write_bytes(s.folder.path() / "i.json", text).string()}, s.folder); };
  const std::string no_index = "`DIR/i.json` is no index of a checkpoint: ";
  CHECK(index("") == no_index + "it is no JSON, from byte 1 on\n");
  CHECK(index("{}") == no_index + "it has no `weight_map`, or an empty one\n");
  CHECK(index(R"({"weight_map":{"a":"../x-1.safetensors"}})") == no_index + "`a` is in `../x-1.safetensors`, which is no file name\n");
  CHECK(index(R"({"weight_map":{"a":"/etc/passwd"}})") == no_index + "`a` is in `/etc/passwd`, which is no file name\n");
  CHECK(index(R"({"weight_map":{"a":".."}})") == no_index + "`a` is in `..`, which is no file name\n");
  CHECK(index(R"({"weight_map":{"a":7}})") == no_index + "`a` is in ``, which is no file name\n");
  CHECK(index(R"({"weight_map":{"a":"x","a":"y"}})") == no_index + "`a` is there twice\n");
  CHECK(index(R"({"metadata":{"total_size":-1},"weight_map":{"a":"x"}})") == no_index + "its `total_size` is no whole number\n");
  CHECK(said({folder + "/x-1.safetensors", folder + "/x-1.safetensors"}, s.folder) == "`a` is in `DIR/x-1.safetensors` and in `DIR/x-1.safetensors`\n");
  CHECK(said({folder + "/y-*.safetensors"}, s.folder) == "there is no file `DIR/y-*.safetensors`\n");
  CHECK(said({folder + "/model.bin"}, s.folder) == "`DIR/model.bin` is neither a .safetensors file nor an index of some (*.safetensors.index.json)\n");
  CHECK(said({write_bytes(s.folder.path() / "e.safetensors", file_of("{}")).string()}, s.folder) == "the checkpoint has no tensors\n");
  CHECK(said({s.path.string(), s.path.string()}, s.folder) ==
        "`DIR/model.safetensors.index.json` is no index of a checkpoint: `DIR/model.safetensors.index.json` is one already\n");
}

}  // namespace opledger
