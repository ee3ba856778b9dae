"""Are our verdicts on documents those of an independent validator? Compares python3-jsonschema with our checker on every document of the tree and on
mutated ones. usage: oracle.py SOURCE_DIR VERDICTS_PROGRAM [MUTATIONS_PER_DOCUMENT [SEED]]

The schemas mean the same to both; what a scalar is comes from our rules: text is any scalar, a number is a plain scalar that reads as one."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import jsonschema
import yaml

FOLDERS = ["ops", "models", "rules", "systems", "executions", "accounting", "search/spaces"]


class Scalar(str):
    plain = True


class Loader(yaml.SafeLoader):
    pass


def construct_scalar(loader, node):
    if node.style is None and node.value in ("", "~", "null", "Null", "NULL"):
        return None
    scalar = Scalar(node.value)
    scalar.plain = node.style is None or node.style in "|>"
    return scalar


def construct_map(loader, node):
    return {loader.construct_object(key, True): loader.construct_object(value, True) for key, value in node.value}


def construct_list(loader, node):
    return [loader.construct_object(value, True) for value in node.value]


Loader.yaml_implicit_resolvers = {}
Loader.add_constructor("tag:yaml.org,2002:str", construct_scalar)
Loader.add_constructor("tag:yaml.org,2002:map", construct_map)
Loader.add_constructor("tag:yaml.org,2002:seq", construct_list)


def number(value):
    if not isinstance(value, Scalar) or not value.plain or not value or value[0] not in "+-.0123456789" or "_" in value:
        return None
    try:
        result = float(value)
    except ValueError:
        return None
    return result if math.isfinite(result) and value.strip() == value and not value[-1].isalpha() else None


CHECKER = jsonschema.TypeChecker({
    "null": lambda c, v: v is None,
    "boolean": lambda c, v: isinstance(v, Scalar) and v.plain and v in ("true", "false"),
    "number": lambda c, v: number(v) is not None,
    "integer": lambda c, v: number(v) is not None and number(v) == math.floor(number(v)),
    "string": lambda c, v: isinstance(v, Scalar),
    "array": lambda c, v: isinstance(v, list),
    "object": lambda c, v: isinstance(v, dict),
})


def minimum(_, bound, instance, __):
    if number(instance) is not None and number(instance) < bound:
        yield jsonschema.ValidationError(f"{instance} is less than {bound}")


def maximum(_, bound, instance, __):
    if number(instance) is not None and number(instance) > bound:
        yield jsonschema.ValidationError(f"{instance} is more than {bound}")


Validator = jsonschema.validators.extend(jsonschema.Draft7Validator, {"minimum": minimum, "maximum": maximum}, type_checker=CHECKER)


def verdict(text, schemas):
    try:
        root = yaml.load(text, Loader)
    except (yaml.YAMLError, TypeError):
        return "bad"
    kind = root.get("kind") if isinstance(root, dict) else None
    return "good" if kind in schemas and schemas[kind].is_valid(root) else "bad"


def emit(value):
    """As one line of flow YAML: numbers, truths and nothing plain, other text quoted."""
    if value is None:
        return "~"
    if isinstance(value, list):
        return "[" + ", ".join(emit(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(json.dumps(k, ensure_ascii=False) + ": " + emit(v) for k, v in value.items()) + "}"
    plain = value.plain and (number(value) is not None or value in ("true", "false"))
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def places(value):
    """Every (container, key) of a tree."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield value, key
        yield from places(child)


REPLACEMENTS = ["~", "1", "1.5", "true", "word", "'12'", "[]", "{}", "[1]", "[word]", "[[]]", "{x: 1}", "{x: {y: z}}", "{is: 1}", "[{x: 1}]", "''"]


def mutate(text, chance):
    root = yaml.load(text, Loader)
    for _ in range(chance.choice([1, 1, 2])):
        all_places = [place for place in places(root) if place[1] != "kind"]
        if not all_places:
            break
        container, key = chance.choice(all_places)
        act = chance.randrange(5)
        if act == 0:
            del container[key]
        elif act == 1 and isinstance(container, dict):
            container[key + "x"] = container.pop(key)
        elif act == 2 and isinstance(container, dict):
            container["unknown"] = Scalar("1")
        elif act == 3:
            container[key] = [container[key]]
        else:
            container[key] = yaml.load(chance.choice(REPLACEMENTS), Loader)
    return emit(root) + "\n"


def main():
    source, program = sys.argv[1:3]
    per_document = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    schemas = {}
    for name in os.listdir(f"{source}/schemas"):
        if name.endswith(".schema.json"):
            with open(f"{source}/schemas/{name}", encoding="utf-8") as file:
                schema = json.load(file)
            jsonschema.Draft7Validator.check_schema(schema)
            schemas[name[: -len(".schema.json")]] = Validator(schema)

    texts, originals = [], 0
    for folder in FOLDERS:
        for path, _, names in sorted(os.walk(f"{source}/{folder}")):
            for name in sorted(names):
                if name.endswith(".yaml"):
                    with open(f"{path}/{name}", encoding="utf-8") as file:
                        texts.append((f"{path}/{name}", file.read()))
    originals = len(texts)
    for name, text in list(texts):
        texts += [(f"{name}, mutated", mutate(text, chance)) for _ in range(per_document)]

    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{i}.yaml" for i in range(len(texts))]
        for path, (_, text) in zip(paths, texts):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        ours = subprocess.run([program], input="\n".join(paths), capture_output=True, text=True, check=True).stdout.split()
    theirs = [verdict(text, schemas) for _, text in texts]
    wrong = 0
    for (name, text), our, their in zip(texts, ours, theirs):
        if our != their:
            wrong += 1
            print(f"{name}: we say {our}, the oracle says {their}:\n{text[:3000]}")
    bad = theirs.count("bad")
    print(f"{originals} documents, {len(texts) - originals} mutated; {bad} bad; {wrong} verdicts differ")
    return 1 if wrong or not texts or len(ours) != len(texts) or bad == 0 else 0


sys.exit(main())
