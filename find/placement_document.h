#pragma once
#include <string>
#include <utility>
#include <vector>

#include "find/factors.h"
#include "find/placement_states.h"

/// An assignment as a short rule document: an ordered list of lines for all nodes, and exceptions for single nodes.
namespace opledger {

/// The lines and exceptions. They give every node and boundary its state, in the order of the document.
struct PlacementDocument {
  /// A line `DIMENSION: AXIS`. A node takes the axis for the first dimension of the list that it can split.
  struct Line {
    std::string dimension, axis;
    std::vector<std::size_t> variables;  ///< Variables whose state has this split by the line.
  };
  /// Nodes of equal state that the lines would place in another way.
  struct Exception {
    Split split;
    std::vector<std::size_t> variables;
  };
  std::vector<Line> lines;
  std::vector<Exception> exceptions;
};

/// Returns the document with the fewest exceptions that single changes of the list lead to.
PlacementDocument compact_document(TensorDerivation& derivation, const PlacementSpace& space, const StateChoice& states);

/// Returns, by variable and state, whether the lines of a document give the same placement as the state.
std::vector<std::vector<bool>> states_of_lines(TensorDerivation& derivation, const PlacementSpace& space, const std::vector<PlacementDocument::Line>& lines);

/// Text around the lines of a document.
struct DocumentText {
  std::vector<std::string> head;      ///< Lines of comments above the document.
  std::vector<std::string> comments;  ///< Comments behind the exceptions and then behind the lines, in order; empty: none.
  std::string others;                 ///< Further sections.
  bool skips = false;                 ///< Every line skips nodes whose dimension its axis does not divide; else such nodes are errors.
};

/// Returns the document as YAML.
std::string yaml_of(const PlacementDocument& document, const Graph& graph, const PlacementSpace& space, const DocumentText& text);

}  // namespace opledger
