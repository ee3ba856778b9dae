#include "ops/operator.h"

#include "base/text.h"
#include "expr/printer.h"
#include "tests/support/documents.h"

namespace opledger {
namespace {

std::string port_text(const Port& port) {
  std::string shape = port.shape == Port::Shape::any ? "any" : port.shape == Port::Shape::stated ? "given" : to_source(*port.dims);
  return port.name + ": " + shape + (port.width ? " of " + to_source(*port.width) : "");
}

std::string text(const Operator& op) {
  std::string t = op.name;
  for (const std::string& p : op.parameters) t += " param " + p;
  for (const Attribute& a : op.attributes) {
    t += " attribute " + a.name + (a.dims ? " dims" : " number") +
         (a.required ? ""
          : a.dims   ? " [" + join(a.default_dims, " ") + "]"
                     : " " + to_source(*a.default_value));
  }
  for (const Port& p : op.inputs) t += " in " + port_text(p);
  for (const Port& p : op.weights) t += " weight " + port_text(p);
  for (const Port& p : op.outputs) t += " out " + port_text(p);
  for (const auto& [target, reads] : op.gradients) t += " d" + target + "(" + join(reads, " ") + ")";
  for (const Definition& q : op.quantities) t += " has " + q.name;
  return t;
}

std::string read(const std::string& yaml, const char* name) {
  Diagnostics diagnostics;
  OperatorLibrary library;
  library.add(document(yaml), diagnostics);
  const Operator* op = library.find(name);
  return diagnostics.has_errors() ? messages(diagnostics) : op ? text(*op) : "none";
}

std::string mistakes(const std::string& yaml) { return read("ops:\n" + yaml, "x"); }

}  // namespace

TEST_CASE("operators: signatures") {
  CHECK(read("ops: {f: {in: {x: any}, weights: {w: (x ^ y) + per}, out: {y: given}, attributes: {per: {dims: []}}}}", "f") ==
        "f attribute per dims [] in x: any weight w: x ^ y + per out y: given");
  CHECK(read("ops: {f: {in: {x: [a, b]}, out: {y: x, m: x}, width: {m: 1 byte}}}", "f") == "f in x: [a, b] out y: x out m: x of 1 byte");
  CHECK(read("ops: {f: {params: [m, n], flops: m * n}}", "f") == "f param m param n has flops");
  CHECK(read("ops: {f: {in: {x: any}, out: {y: x}, gradients: {x: [x, y]}}}", "f") == "f in x: any out y: x dx(x y)");
  CHECK(read("ops: {f: {attributes: {over: dims, window: {value: 4096}, n: number}}}", "f") ==
        "f attribute over dims attribute window number 4096 attribute n number");
}

TEST_CASE("operators: relations") {
  Diagnostics diagnostics;
  OperatorLibrary library;
  library.add(document(R"(ops:
  f:
    in: {x: any, z: x}
    out: {y: x}
    inner: {over: {forward: {top: max(x - over), total: sum(2 * (x - over))}, agrad: {dot: sum(x - over)}}}
    moved: {slot: [batch, seq]}
    halo: {kv_seq: {of: seq, width: window}}
    carry: {seq: [batch, state]}
    frozen: rows
    weights: {w: [rows, cols]}
    matrices: {w: {rows: x - y, stack: [expert]}}
    like: x
    broadcast: z
    sum: true
)"),
              diagnostics);
  REQUIRE(messages(diagnostics) == "");
  const Operator& f = *library.find("f");
  REQUIRE(f.inner.size() == 1);
  REQUIRE(f.inner[0].second.size() == 3);
  const Statistic& total = f.inner[0].second[1];
  CHECK(f.inner[0].first + " " + total.phase + " " + total.name + " " + total.reduction + " " + to_source(*total.dims) ==
        "over forward total sum 2 * (x - over)");
  CHECK(f.moved == decltype(f.moved){{"slot", {"batch", "seq"}}});
  CHECK(f.halo[0].dimension + " " + f.halo[0].of + " " + to_source(*f.halo[0].width) == "kv_seq seq window");
  CHECK(f.carry[0].first + " " + to_source(*f.carry[0].second) == "seq [batch, state]");
  CHECK(f.frozen == std::vector<std::string>{"rows"});
  CHECK(f.matrices[0].weight + " " + to_source(*f.matrices[0].rows) + " " + to_source(*f.matrices[0].stack) == "w x - y [expert]");
  CHECK(f.like == "x");
  CHECK(f.broadcast == std::vector<std::string>{"z"});
  CHECK(f.sum);
  CHECK(f.data);
}

TEST_CASE("operators: extends takes over what is not declared, the last parent first") {
  const std::string yaml = R"(ops:
  child: {extends: [a, b], attributes: {over: {dims: []}}, flops: 1}
  a: {params: [m], in: {x: any}, out: {y: x}, attributes: {over: dims}, gradients: {x: [y]}}
  b: {params: [n], in: {x: any, z: any}}
)";
  CHECK(read(yaml, "child") == "child param m param n attribute over dims [] in x: any in z: any out y: x dx(y) has flops");
}

TEST_CASE("operators: parents stand in order of precedence") {
  Diagnostics diagnostics;
  OperatorLibrary library;
  library.add(document("ops: {c: {extends: [a, b]}, a: {flops: 1}, b: {flops: 2}}"), diagnostics);
  const Operator& c = *library.find("c");
  REQUIRE(c.parents.size() == 2);
  CHECK(c.parents[0]->name == "b");
  CHECK(c.parents[1]->name == "a");
  CHECK_FALSE(c.data);
}

TEST_CASE("operators: mistakes") {
  const std::pair<std::string, std::string> cases[] = {
      {"  x: {extends: weighed}\n  weighted: {}", "2:16: unknown operator `weighed` (did you mean `weighted`?)\n"},
      {"  x: {extends: y}\n  y: {extends: x}", "3:16: cycle: x -> y -> x\n"},
      {"  x: {in: {a: any}, out: {y: a}, gradients: {b: []}}", "2:46: `x` has no input or weight `b`; known names: `a`\n"},
      {"  x: {in: {abc: any}, out: {y: abc}, gradients: {abc: [abd]}}", "2:50: `x` has no port `abd` (did you mean `abc`?); known names: `abc`, `y`\n"},
      {"  x: {in: {a: any}, out: {y: a}, no_gradient: [a]}", "2:34: `x` has no output `a`; known names: `y`\n"},
      {"  x: {in: {a: any}, out: {y: a}, like: y}", "2:34: `x` has no input `y`; known names: `a`\n"},
      {"  x: {in: {a: given}, out: {y: a}}", "2:12: input `a` of `x` can't be `given`: use `any`\n"},
      {"  x: {in: {a: any}, out: {y: any}}", "2:27: output `y` of `x` needs a formula of dimensions or `given`\n"},
      {"  x: {in: {a: any}, out: {a: a}}", "2:27: operator `x` has two ports or attributes called `a`\n"},
      {"  x: {in: {a: any}, out: {y: a}, width: {m: 1}}", "2:42: `x` has no port `m`; known ports: `a`, `y`\n"},
      {"  x: {attributes: {over: 3}}", "2:26: attribute `over` must be `dims`, `number`, or a default: `{dims: […]}` or `{value: …}`\n"},
      {"  x: {in: {a: any}, out: {y: a}, inner: {a: {forward: {t: mean(a)}}}}", "2:59: `t` must be `sum(DIMENSIONS)` or `max(DIMENSIONS)`\n"},
      {"  x: {halo: {a: b}}", "2:17: a halo is written `a: {of: DIMENSION, width: ENTRIES}`\n"},
      {"  x: {matrices: {w: {stack: a}}}", "2:21: a matrix is written `w: {rows: DIMENSIONS, stack: DIMENSIONS}`; `stack` may be left out\n"},
      {"  x: {in: {a: any}, weights: {w: a}, out: {y: a}, matrices: {v: {rows: a}}}", "2:62: `x` has no weight `v`; known names: `w`\n"},
      {"  x: {in: {a: any, b: a}, broadcast: [c], out: {y: a}}", "2:27: `x` has no input `c`; known names: `a`, `b`\n"},
      {"  x: {in: {a: any, b: a}, broadcast: [a], out: {y: a}}",
       "2:27: input `a` of `x` is `any`: `broadcast` needs the dimensions along which it may be one\n"},
      {"  x: {sum: 3}", "2:12: `sum` must be true or false, found `3`\n"},
      {"  x: 3", "2:6: operator `x` must be a mapping, found a number\n"},
  };
  for (const auto& [yaml, expected] : cases) CHECK(mistakes(yaml) == expected);
}

TEST_CASE("operators: a name of two documents is an error at the second") {
  Diagnostics diagnostics;
  OperatorLibrary library;
  CHECK(library.add(document("ops: {f: {}}", "a.yaml"), diagnostics));
  CHECK_FALSE(library.add(document("ops: {g: {}, f: {}}", "b.yaml"), diagnostics));
  CHECK(messages(diagnostics) == "1:14: operator `f` is declared twice\n  1:7: first declared here\n");
  CHECK(library.names() == std::vector<std::string>{"f", "g"});
}

}  // namespace opledger
