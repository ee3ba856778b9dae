#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/build.h"
#include "tests/support/documents.h"

namespace opledger {

/// A model built with its operators. The graph points into this object.
struct Workshop {
  std::deque<Document> documents;
  OperatorLibrary operators;
  Model model;
  Graph graph;
  Diagnostics diagnostics;
  bool good = false;

  Workshop(
      const std::string& operators_text, const std::string& model_text, const Condition& holds = [](const ExprPtr&) { return true; },
      const std::vector<LayerPart>& parts = {}) {
    documents.push_back(document(operators_text, "ops.yaml"));
    documents.push_back(document(model_text, "model.yaml"));
    operators.add(documents[0], diagnostics);
    auto assembled = assemble_model({&documents[0], &documents[1]}, diagnostics);
    if (!assembled) return;
    model = std::move(*assembled);
    auto built = build_graph(model, operators, holds, diagnostics, parts);
    if (!built) return;
    graph = std::move(*built);
    good = true;
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  NodeId node(std::string_view name) const {
    return graph.nodes.find([&](const Node& node) { return node.name == name; });
  }
};

}  // namespace opledger
