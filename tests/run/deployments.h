#pragma once
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/runs.h"

/// Deployments of the shipped models that generate, random ones with fixed seeds.
namespace opledger::deployments {

using Words = std::vector<std::pair<std::string, std::string>>;  ///< Sets of cases, and a word of each.

/// One run, and what it is made of.
struct Deployment {
  std::string model, machine, accounting;
  std::vector<std::pair<std::string, std::string>> axes;  ///< Name and degree, or what it is made of.
  Settings settings;

  std::string mesh() const;
  std::string text() const;  ///< For messages.
  /// What is given for a setting, as a number; 0: nothing is.
  double given(const std::string& key) const;
  Deployment with(const Settings& more) const;

  /// Null, with the messages in `said()`: it can't be.
  std::unique_ptr<Run> attempt() const;
  std::unique_ptr<Run> run() const;
};

/// Documents of these tests.
std::string document_of(const std::string& name);

/// A name's value, at words of the accounting's cases.
double at(Run& run, const std::string& name, const Words& words = {});

/// What of a model tells how it may be deployed, read off its graph.
struct Shape {
  std::string model;
  double used = 1;           ///< Share of its experts that a token passes through; 1: it has none.
  bool latent = false;       ///< Keys and values are made of a latent that may be kept instead.
  bool unfused = false;      ///< Attention that computes whole rectangles of scores.
  double tile = 0;           ///< Tokens of a call that an operator works on at once, where it does; 0: none does.
  int most_ranks = 1;        ///< Of tensor parallelism, up to 8.
  double layers = 0;         ///< That repeat.
  std::set<double> windows;  ///< Tokens that queries see at most, where that is not all.
};

/// The shipped models that generate. They have logits of the tokens that are asked for, keep something from call to call, and have nothing that is done once
/// for a request, as an encoder is, whose tokens would have a number of their own.
const std::vector<Shape>& shapes();

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  bool coin() { return random_() % 2 == 0; }
  int between(int least, int most) { return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1)); }
  std::string one(const std::vector<std::string>& list) { return list[random_() % list.size()]; }
  Settings setting(const std::string& key, const std::vector<std::string>& values) { return {{key, one(values)}}; }

  /// Passes of a model on a mesh that suits it, on a machine of round numbers.
  Deployment pass(const Shape& shape);
  /// A model that serves requests so that all get their turn; on a machine of round numbers, or on one that is shipped.
  Deployment served(const Shape& shape, bool round_numbers);
  Deployment reordered(Deployment d);

 private:
  Deployment deployed(const Shape& shape, const std::string& accounting);

  std::mt19937 random_;
};

/// A deployment of each model, and the run.
struct Served {
  Shape shape;
  Deployment deployment;
  std::unique_ptr<Run> run;
};

/// On machines of round numbers.
const std::vector<Served>& on_round_numbers();
/// On shipped ones, most with measured kernels.
const std::vector<Served>& on_machines();

}  // namespace opledger::deployments
