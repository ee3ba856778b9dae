#include "formulas/evaluate/sample_values.h"

namespace opledger {

/// Returns a record or list whose fields have the units of their types.
Value SampleValues::record(Value::Kind kind, const std::vector<std::pair<std::string, const Type*>>& fields) {
  Record all;
  for (const auto& [name, type] : fields) all.fields.emplace_back(name, of(*type));
  records_.push_back(std::make_unique<Record>(std::move(all)));
  Value v;
  v.kind = kind;
  v.record = records_.back().get();
  return v;
}

Value SampleValues::of(const Type& type) {
  // Returns a sample value of an input's type, with which units mode evaluates formulas before a run has values. Only
  // kinds and units matter: a number is 1 in base units, and a word has its set without a position. Records are built
  // recursively, with a field for each declared field or for each word of the set. A list has one item, which
  // represents all items. Curves share sample objects of the interpreter.
  switch (type.kind) {
    case Type::Kind::record:
    case Type::Kind::tuple:
    case Type::Kind::per: {
      std::vector<std::pair<std::string, const Type*>> fields;
      for (const auto& [name, field] : type.fields) fields.emplace_back(name, &field);
      if (type.kind == Type::Kind::per) {
        for (const std::string& word : program_.set(type.set).words) fields.emplace_back(word, type.of.get());
        if (fields.empty()) fields.emplace_back("", type.of.get());  // a set whose words are not yet known has a unit, too
      }
      return record(Value::Kind::record, std::move(fields));
    }
    case Type::Kind::list:
      return record(Value::Kind::list, {{"", type.of.get()}});
    case Type::Kind::steps: {
      Value v;
      v.kind = Value::Kind::curve;
      v.unit = type.unit.dimension;
      v.curve = &steps_;
      return v;
    }
    case Type::Kind::points: {
      Value v;
      v.kind = Value::Kind::curve;
      Curve& sample = points_[type.coordinates - 1];
      sample.coordinates = type.coordinates;
      v.curve = &sample;
      return v;
    }
    case Type::Kind::boolean:
      return truth_value(true);
    case Type::Kind::words: {
      Value v;
      v.kind = Value::Kind::word;
      v.set = type.set;
      return v;
    }
    case Type::Kind::text: {
      Value v;
      v.kind = Value::Kind::text;
      return v;
    }
    default:
      return number_value(real(1), type.unit.dimension);
  }
}

Value sample_value(const FieldType& type) {
  Value v;
  v.kind = type.kind;
  v.unit = type.unit;
  v.scalar = real(1);
  return v;
}

}  // namespace opledger
