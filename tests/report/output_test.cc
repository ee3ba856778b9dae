#include "report/output.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <iterator>

#include "tests/schemas/temporary_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string unzipped(const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string text(1000, '\0');
  text.resize(static_cast<std::size_t>(gzread(file, text.data(), 1000)));
  gzclose(file);
  return text;
}

std::ptrdiff_t files_in(const fs::path& folder) { return std::distance(fs::directory_iterator(folder), {}); }

}  // namespace

TEST_CASE("a file is written whole, in the place of an older one, and nothing else is left") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  CHECK(write_file(path, "new") == "");
  CHECK(content(path) == "new");
  CHECK((fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a link stays a link") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("a.txt", "old"), link = folder.path() / "link";
  fs::create_symlink("a.txt", link);
  CHECK(write_file(link, "new") == "");
  CHECK(fs::is_symlink(link));
  CHECK(content(path) == "new");
}

TEST_CASE("a name that ends in .gz is compressed, equal for equal texts") {
  const TemporaryFolder folder;
  CHECK(write_file(folder.path() / "a.json.gz", "text\n") == "");
  CHECK(unzipped(folder.path() / "a.json.gz") == "text\n");
  CHECK(content(folder.path() / "a.json.gz") == gzip("text\n"));
  CHECK(write_file(folder.path() / "empty.gz", "") == "");
  CHECK(unzipped(folder.path() / "empty.gz") == "");
}

TEST_CASE("failed writes are reported, and leave no file") {
  const TemporaryFolder folder;
  folder.write("file", "");
  const std::string dir = folder.path().string();
  CHECK(folder.masked(write_file(dir, "x")) == "can't write `DIR`: Is a directory");
  CHECK(folder.masked(write_file(dir + "/no/a", "x")) == "can't write `DIR/no/a`: No such file or directory");
  CHECK(folder.masked(write_file(dir + "/file/a", "x")) == "can't write `DIR/file/a`: Not a directory");
  CHECK(write_file("", "x") == "can't write ``: the name is empty");
  CHECK(write_file("/dev/full", "x") == "can't write `/dev/full`: No space left on device");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("several files appear together, or none does") {
  const TemporaryFolder folder;
  folder.write("file", "old");
  const std::string dir = folder.path().string();
  CHECK(folder.masked(write_files({{dir + "/a", "x"}, {dir + "/file", "new"}, {dir + "/new/b", "y"}, {dir + "/file/c", "z"}})) ==
        "can't write `DIR/file`: File exists");
  CHECK(files_in(folder.path()) == 1);
  CHECK(text_of(folder.path() / "file") == "old");
  CHECK(write_files({{dir + "/a", "x"}, {dir + "/file", "new"}, {dir + "/new/b.gz", "y"}, {"/dev/null", "z"}}) == "");
  CHECK(text_of(folder.path() / "a") == "x");
  CHECK(text_of(folder.path() / "file") == "new");
  CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("a device is written to as it is") {
  CHECK(write_file("/dev/null", "x") == "");
  struct stat device = {};
  REQUIRE(::stat("/dev/null", &device) == 0);
  CHECK(S_ISCHR(device.st_mode));
}

}  // namespace opledger
