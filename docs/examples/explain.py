"""Prints what `opledger explain … --format json` wrote as `opledger explain` does: a tree is lines, a definition is looked up by its number."""
import json, sys
def place(at):
    return f"{at['file']}:{at['line']}:{at['column']}" if "file" in at else ""
def formula(tree, definition, pad):
    doc, source = [["# " + definition[key]] if tree.get("documented") and definition[key] else [] for key in ("doc", "source")]
    lines = doc + [definition["formula"]] + (["= " + tree["put_in"]] if "put_in" in tree else []) + source
    return "".join(f"{pad}    {line}\n" for line in lines)
def terms(tree, definitions, pad):
    out = "".join(f"{pad}{tree['name']} {term['name']}: {term['shown']}\n" + below(term, definitions, pad) for term in tree["children"])
    return out + (f"{pad}… {tree['more']['terms']} more\n" if "more" in tree else "")
def below(tree, definitions, pad):
    return "".join(text(child, definitions, pad + "  ") for child in tree.get("children", []))
def text(tree, definitions, pad):
    if tree["kind"] == "terms":
        return terms(tree, definitions, pad)
    d = definitions[tree["definition"]] if "definition" in tree else {"formula": ""}
    called = f"({', '.join(a['name'] + ': ' + a['shown'] for a in tree.get('arguments', []))})" if tree["kind"] == "call" else ""
    head = tree["name"] + called + (f" [{tree['where']}]" if "where" in tree else "") + " = " + tree["shown"]
    head += (" = " + tree["own_unit"] if "own_unit" in tree else "") + ("    " + place(d) if place(d) else "")
    because = f"{pad}    0, because this does not hold: {tree['because']}\n" if "because" in tree else ""
    return f"{pad}{head}\n" + because + (formula(tree, d, pad) + below(tree, definitions, pad) if d["formula"] else "")
def node_text(node, definitions):
    rule = lambda r: f"    {r['name']} ({place(r)})\n" if r else "    \n"
    port = lambda kind, p: f"  {kind} {p['name']}: {p['tensor'] + ' ' if 'tensor' in p else ''}[{' '.join(p['dimensions'])}]\n"
    out = f"{node['name']}    {node['operator']}    {place(node)}\n" + (f"  {node['doc']}\n" if node["doc"] else "")
    out += "".join(port(kind, p) for kind, ports in (("in  ", "inputs"), ("weight", "weights"), ("out ", "outputs")) for p in node[ports])
    placed = "".join(f"    {p['dimension']} over {p['axes']}" + rule(p["rule"]) for p in node["placement"])
    out += "  placed\n" + (placed or "    every rank computes all of it\n") + ("  recomputed in backward\n" if node["recomputed"] else "")
    sent = [f"{t['phase']} {t['collective']} over {t['axes']} of {t['what']}: {t['shown']} ({t['shape']}), once per {t['cadence']}" for t in node["transfers"]]
    out += ("  communicates, per layer and rank\n" if sent else "") + "".join(f"    {s}{rule(t['rule'])}" for s, t in zip(sent, node["transfers"]))
    kept = "".join(f"    {k['name']}: {k['shown']} ({k['shape']}){', ' + k['how'] if k['how'] else ''}\n" for k in node["kept"])
    out += ("  kept for backward, per layer and microbatch\n" + kept if kept else "") + "".join(text(q, definitions, "  ") for q in node["quantities"])
    return out + (f"  source: {node['source']}\n" if node["source"] else "")
rest = sys.stdin.read().lstrip()
while rest:  # one document after the other
    document, end = json.JSONDecoder().raw_decode(rest)
    trees = [text(tree, document["definitions"], "") for tree in document["names"]]
    print("\n".join(trees + [node_text(node, document["definitions"]) for node in document["nodes"]]), end="")
    rest = rest[end:].lstrip()
