#include "formulas/read/function_reader.h"

#include <fmt/core.h>

#include "base/text.h"
#include "expr/parser.h"
#include "formulas/link/calls.h"

namespace opledger {

Function* FunctionReader::declared(const std::string& name, const std::vector<std::string>& parameters, const Span& span, bool may_replace) {
  // Returns the function that a declaration defines: a new one, or the known function of this name if the document
  // extends others. A replacement keeps the Function object, so that linked calls stay valid, and gets a newer
  // definition from the caller. The number of parameters must stay, because linked calls pass as many arguments; their
  // names may change.
  Function* const known = program_.find_function(name);
  if (program_.find(name) != nullptr || (known != nullptr && !may_replace)) {
    Diagnostic& d = diagnostics_.error(span, fmt::format("`{}` is already defined", name));
    if (known != nullptr) d.note(known->span, "first defined here");
    return nullptr;
  }
  if (known == nullptr) {
    auto f = std::make_unique<Function>();
    f->name = name;
    f->parameters = parameters;
    f->span = span;
    program_.functions.push_back(std::move(f));
    return program_.functions.back().get();
  }
  if (known->parameters.size() != parameters.size()) {
    diagnostics_
        .error(span, fmt::format("`{}` takes {} arguments, but the replaced function takes {}: keep the number, because callers pass as many", name,
                                 parameters.size(), known->parameters.size()))
        .note(known->span, fmt::format("`{}({})` is defined here", name, join(known->parameters, ", ")));
    return nullptr;
  }
  known->parameters = parameters;
  known->span = span;
  return known;
}

void FunctionReader::declare(const Datum& key, const Datum& value, bool may_replace) {
  Signature signature;
  if (!parse_signature(key.text(), key.span(), diagnostics_, signature)) return;
  Function* const function = declared(signature.name, signature.parameters, key.span(), may_replace);
  if (function == nullptr) return;
  Definition body;
  if (!parse_definition(key, value, diagnostics_, body)) return;
  body.name = signature.name;
  if (!body.lets.empty()) {
    diagnostics_.error(key.span(), fmt::format("function `{}` can't have a `let`: write the names into its formula", function->name));
    return;
  }
  pending_.push_back({function, std::move(signature.parameters), std::move(body)});
}

void FunctionReader::link() {
  for (const auto& [function, parameters, body] : pending_) {
    NameScope& scope = linker_.scope(program_.global);
    for (std::size_t i = 0; i < parameters.size(); ++i) scope.locals.emplace(parameters[i], static_cast<std::int32_t>(i));
    if (const Def* def = linker_.define(body, scope)) function->defs.insert(function->defs.begin(), def);
  }
  pending_.clear();
  check_calls(program_, diagnostics_);
}

}  // namespace opledger
