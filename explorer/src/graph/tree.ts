// The tree of names with dots: segments contain blocks, and blocks contain nodes.

import type {Graph, GraphNode, Run} from '../document';

export type Segment = Graph['segments'][number];

export interface Box {
  id: string;
  label: string;
  node: GraphNode | null;  // Null for a block.
  segment: Segment | null;
  layers: number | null;  // Number of layers of a segment.
  parent: Box | null;
  inside: Box[];
  count: number;  // Number of nodes.
}

/** An edge: a tensor read by a node, under the name given by its producer. */
export interface Link {
  from: Box;
  to: Box;
  tensor: string;
  path: [Box[], Box[]];  // The chains of `from` and `to`.
}

export interface Tree {
  root: Box;
  boxes: Map<string, Box>;
  links: Link[];
}

/** Returns a box and its ancestors, from the inside out. */
export function chain(box: Box): Box[] {
  const all: Box[] = [];
  for (let at: Box | null = box; at; at = at.parent) all.push(at);
  return all;
}

export function nodesBelow(box: Box): GraphNode[] {
  return box.node ? [box.node] : box.inside.flatMap(nodesBelow);
}

// Creates a box for each node and, on demand, for each prefix of its name. Counts of nodes are added along the chain
// of ancestors, so no second pass is needed.
function makeBoxes(graph: Graph, layers: Run['layers']): {root: Box; boxes: Map<string, Box>} {
  const root: Box = {id: '', label: '', node: null, segment: null, layers: null, parent: null, inside: [], count: 0};
  const nodes = new Set(graph.nodes.map(({name}) => name));
  const segments = new Map(graph.segments.map(segment => [segment.name, segment]));
  const blocks = new Map([['', root]]);
  const boxes = new Map<string, Box>();
  const add = (id: string, label: string, node: GraphNode | null, parent: Box) => {
    const segment = node ? null : segments.get(id) ?? null;
    const repeated = segment && Object.hasOwn(layers, id) ? layers[id]! : null;
    const box: Box = {id, label, node, segment, layers: repeated, parent, inside: [], count: 0};
    parent.inside.push(box);
    boxes.set(id, box);
    return box;
  };
  const blockOf = (name: string): Box => {
    const cut = name.lastIndexOf('.');
    if (cut < 0) return root;
    const path = name.slice(0, cut);
    let block = blocks.get(path);
    if (!block) {
      // A node and a block may have the same name; the block's id then ends with a dot.
      block = add(nodes.has(path) ? path + '.' : path, path.slice(path.lastIndexOf('.') + 1), null, blockOf(path));
      blocks.set(path, block);
    }
    return block;
  };
  for (const node of graph.nodes) {
    const box = add(node.name, node.name.slice(node.name.lastIndexOf('.') + 1), node, blockOf(node.name));
    for (const outer of chain(box)) outer.count++;
  }
  fold(root, boxes);
  return {root, boxes};
}

const mostInside = 250;

// Folds the boxes of a block with very many of them: neighbors become blocks of about equal size, which are closed at
// first. The picture of a model with a thousand segments then has some tens of boxes.
function fold(block: Box, boxes: Map<string, Box>): void {
  const {inside} = block;
  if (inside.length <= mostInside) return;
  const size = Math.ceil(Math.sqrt(inside.length));
  block.inside = [];
  for (let from = 0; from < inside.length; from += size) {
    const part = inside.slice(from, from + size);
    const [first, last] = [part[0]!, part.at(-1)!];
    const box: Box = {id: `${first.id}…${last.id}`, label: `${first.label} … ${last.label}`, node: null, segment: null, layers: null,
      parent: block, inside: part, count: part.reduce((sum, {count}) => sum + count, 0)};
    for (const inner of part) inner.parent = box;
    block.inside.push(box);
    boxes.set(box.id, box);
  }
}

// Returns the source tensor of each segment input.
function crossings(graph: Graph): Map<string, string> {
  const data = new Set(graph.tensors.filter(tensor => tensor.data).map(({name}) => name));
  const outputs = new Map<string, string>();
  const sources = new Map<string, string>();
  let before: string | null = null;
  for (const segment of graph.segments) {
    segment.inputs.forEach((input, i) => {
      if (data.has(input)) return;
      const named = outputs.get(input.slice(input.lastIndexOf('.') + 1));
      const source = segment.sources ? segment.sources[i] : named ?? before;
      if (source) sources.set(input, source);
    });
    before = segment.output;
    outputs.set(segment.name, segment.output);
  }
  return sources;
}

// Builds the tree and its edges. Segment inputs are first replaced by the source tensors, so that an edge starts at the
// producing node even across segments.
export function treeOf(graph: Graph, layers: Run['layers']): Tree {
  const {root, boxes} = makeBoxes(graph, layers);
  const producers = new Map<string, string>();
  for (const node of graph.nodes) for (const output of node.outputs) producers.set(output, node.name);
  for (const tensor of graph.tensors) if (tensor.producer) producers.set(tensor.name, tensor.producer);
  const sources = crossings(graph);
  const links: Link[] = [];
  for (const node of graph.nodes) {
    const to = boxes.get(node.name)!;
    for (const {tensor} of node.inputs) {
      const source = producers.has(tensor) ? tensor : sources.get(tensor) ?? tensor;
      const producer = producers.get(source);
      const from = producer === undefined ? undefined : boxes.get(producer);
      if (from && from !== to) links.push({from, to, tensor: source, path: [chain(from), chain(to)]});
    }
  }
  return {root, boxes, links};
}
