# cmake -D OUTPUT=FILE.cc -D FILES="a.txt;…" -P embed.cmake: texts as one C++ table.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"EXAMPLES(${text})EXAMPLES\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from cli/help/*.txt.
#include \"cli/help.h\"

namespace opledger {

std::string_view help_examples(std::string_view name) {
  static constexpr struct {
    std::string_view name, text;
  } kTexts[] = {
${entries}  };
  for (const auto& entry : kTexts) {
    if (entry.name == name) return entry.text;
  }
  return {};
}

}  // namespace opledger
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
