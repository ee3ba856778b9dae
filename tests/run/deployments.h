#pragma once
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/runs.h"

/// Deployments of the shipped models that generate, and random ones with fixed seeds.
namespace opledger::deployments {

using Words = std::vector<std::pair<std::string, std::string>>;  ///< A word for each set of cases.

/// A run with its documents and settings.
struct Deployment {
  std::string model, machine, accounting;
  std::vector<std::pair<std::string, std::string>> axes;  ///< Name and degree, or parts.
  Settings settings;

  std::string mesh() const;
  std::string text() const;  ///< Description for messages.
  /// Returns the number of a setting; 0 if it is not set.
  double setting(const std::string& key) const;
  Deployment with(const Settings& more) const;

  /// Prepares the run; null, with messages in `said()`, if it is refused.
  std::unique_ptr<Run> attempt() const;
  std::unique_ptr<Run> run() const;
};

/// Returns the path of a document of these tests.
std::string document_of(const std::string& name);

/// Returns a name's value at words of the accounting's cases.
double at(Run& run, const std::string& name, const Words& words = {});

/// Properties of a model that determine its deployments, read from its graph.
struct Shape {
  std::string model;
  double used = 1;           ///< Share of the experts that a token uses; 1 without experts.
  bool latent = false;       ///< Keys and values derive from a latent that may be cached instead.
  bool unfused = false;      ///< Attention computes full matrices of scores.
  double tile = 0;           ///< Tokens that an operator processes at a time within a call; 0 without such an operator.
  int most_ranks = 1;        ///< Maximum degree of tensor parallelism, up to 8.
  double layers = 0;         ///< Number of repeated layers.
  std::set<double> windows;  ///< Windows of attention in tokens.
};

/// The shipped models that generate: they have logits of requested tokens, cache tensors between calls, and have no
/// part, such as an encoder, that runs once per request with a different number of tokens.
const std::vector<Shape>& shapes();

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  bool coin() { return random_() % 2 == 0; }
  int between(int least, int most) { return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1)); }
  std::string one(const std::vector<std::string>& list) { return list[random_() % list.size()]; }
  Settings setting(const std::string& key, const std::vector<std::string>& values) { return {{key, one(values)}}; }

  /// Returns passes of a model on a suitable mesh, on a machine with round numbers.
  Deployment pass(const Shape& shape);
  /// Returns a model that serves requests in steady state, on a machine with round numbers or a shipped one.
  Deployment served(const Shape& shape, bool round_numbers);
  Deployment reordered(Deployment d);

 private:
  Deployment deployed(const Shape& shape, const std::string& accounting);

  std::mt19937 random_;
};

/// A deployment of each model, and its run.
struct Served {
  Shape shape;
  Deployment deployment;
  std::unique_ptr<Run> run;
};

/// Runs on machines with round numbers.
const std::vector<Served>& on_round_numbers();
/// Runs on shipped machines, most with measured kernels.
const std::vector<Served>& on_machines();

}  // namespace opledger::deployments
