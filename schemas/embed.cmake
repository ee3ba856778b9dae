# cmake -D OUTPUT=FILE.cc -D FILES="a.schema.json;…" -P embed.cmake: the texts of the schemas as one C++ table.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(kind "${file}" NAME)
  string(REPLACE ".schema.json" "" kind "${kind}")
  file(READ "${file}" text)
  # what only people and editors read
  string(REGEX REPLACE "\"description\": \"[^\"\\]*\",[ \n]*" "" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(APPEND entries "    {\"${kind}\", R\"SCHEMA(${text})SCHEMA\"},\n")
endforeach()
string(MD5 stamp "${entries}")
file(WRITE "${OUTPUT}.new" "// Generated from schemas/*.schema.json.
#include \"schemas/schema.h\"

namespace opledger {

std::string_view schema_text(std::string_view kind) {
  static constexpr struct {
    std::string_view kind, text;
  } kTexts[] = {
${entries}  };
  for (const auto& entry : kTexts) {
    if (entry.kind == kind) return entry.text;
  }
  return {};
}

std::string_view schema_stamp() { return \"${stamp}\"; }

}  // namespace opledger
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
