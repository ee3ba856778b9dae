// `completion`: scripts for shells. A script calls the program itself for the words to offer.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/command.h"
#include "cli/completion.h"

namespace opledger {
namespace {

// Here-strings in place of `< <(…)`, because process substitution needs /dev/fd, which a system without /proc lacks.
constexpr const char* kBash = R"SHELL(# opledger completion bash: eval "$(opledger completion bash)", or into a file of bash-completion
_opledger() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}") word line
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    case $word in
      '') ;;
      :files)
        while IFS= read -r line; do [[ -n $line ]] && COMPREPLY+=("$line"); done <<<"$(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")"
        compopt -o filenames ;;
      *) COMPREPLY+=("$word"); [[ $word == *= ]] && compopt -o nospace ;;
    esac
  done <<<"$("${COMP_WORDS[0]}" completion words -- "${words[@]}" 2>/dev/null)"
}
complete -F _opledger opledger
)SHELL";

constexpr const char* kZsh = R"SHELL(#compdef opledger
# opledger completion zsh: into a file _opledger of a folder of $fpath
_opledger() {
  local -a all; local line word files=0
  for line in "${(@f)$(opledger completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    if [[ $word == :files ]]; then files=1; elif [[ -n $word ]]; then all+=("${word//:/\\:}:${line#*$'\t'}"); fi
  done
  (( ${#all} )) && _describe 'opledger' all
  (( files )) && _files
}
if [[ ${funcstack[1]} == _opledger ]]; then _opledger "$@"; else compdef _opledger opledger; fi
)SHELL";

constexpr const char* kFish = R"SHELL(# opledger completion fish: into ~/.config/fish/completions/opledger.fish
function __opledger
  set -l words (commandline -opc)[2..] (commandline -ct)
  for line in (opledger completion words -- $words 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c opledger -f -a '(__opledger)'
)SHELL";

struct Shell {
  const char *name, *script;
};
constexpr Shell kShells[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
constexpr const char* kWords = "words";

/// Returns one line `WORD<tab>DOC` for each completion, and `:files` if names of files are possible.
std::string lines_of(const std::vector<std::string>& words, Library& library) {
  bool files = false;
  std::string out;
  for (const Completion& one : completions(words, library, files)) {
    std::string doc(trim(one.doc));
    std::replace(doc.begin(), doc.end(), '\n', ' ');
    out += visible(one.word) + (doc.empty() ? "" : "\t" + visible(doc)) + "\n";
  }
  return files ? out + ":files\n" : out;
}

}  // namespace

Outcome completion_command(const Command&, const Options& options, Library& library, Diagnostics& diagnostics) {
  const std::string& requested = options.arguments[0];
  if (requested == kWords) return {lines_of({options.arguments.begin() + 1, options.arguments.end()}, library), {}};
  std::vector<std::string> names;
  for (const Shell& shell : kShells) {
    if (requested == shell.name) return {shell.script, {}};
    names.emplace_back(shell.name);
  }
  diagnostics.error({}, fmt::format("`completion` is for {}, not `{}`{}", join(names, ", "), requested, suggestion(requested, names)));
  return {};
}

}  // namespace opledger
