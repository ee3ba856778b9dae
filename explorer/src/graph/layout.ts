// Each open block is laid out on its own, inner ones first; it is a box in the layout around it.
// What enters a block starts at a port at its top, so that no edge crosses a border.

import {Graph as Layers, layout as layOut} from '@dagrejs/dagre';
import type {Badge} from './transfers';
import type {Box, Link, Tree} from './tree';

const PAD = 14;
const HEADER = 30;
const PORT = 8;
export const BADGE = 18;

export interface Point {
  x: number;
  y: number;
}

interface Rectangle extends Point {
  width: number;
  height: number;
}

export interface Placed extends Rectangle {
  box: Box;
  open: boolean;
}

export interface PlacedEdge {
  points: Point[];
  links: Link[];
  badge: (Point & {width: number; of: Badge}) | null;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Placed[];  // outer ones first
  edges: PlacedEdge[];
  ports: Point[];
}

interface Flat {
  sizes: [number, number][];
  edges: [number, number, number, number][];  // from (-1: the port), to, size of the badge
}

interface Arranged {
  width: number;
  height: number;
  at: Point[];
  port: Point | null;
  routes: {points: Point[]; badge: Point | null}[];
}

// Layers of a model are often alike: each shape is laid out once.
const known = new Map<string, Arranged>();

function arrange({sizes, edges}: Flat): Arranged {
  const key = JSON.stringify([sizes, edges]);
  const found = known.get(key);
  if (found) return found;
  const layers = new Layers();
  layers.setGraph({rankdir: 'TB', nodesep: 16, edgesep: 12, ranksep: 28});
  sizes.forEach(([width, height], i) => layers.setNode(String(i), {width, height}));
  if (edges.some(([from]) => from < 0)) layers.setNode('-1', {width: PORT, height: PORT});
  for (const [from, to, width, height] of edges) {
    layers.setEdge(String(from), String(to), {width, height, labelpos: 'c'});
  }
  layOut(layers);
  const bands = new Map<number, number>();
  for (const name of layers.nodes()) {
    const {y, height} = layers.node(name) as Rectangle;
    bands.set(Math.round(y), Math.max(bands.get(Math.round(y)) ?? 0, height));
  }
  const routes = edges.map(([from, to, width]) => {
    const {points, x, y} = layers.edge(String(from), String(to)) as {points: Point[]} & Point;
    const ends = [layers.node(String(from)), layers.node(String(to))] as [Rectangle, Rectangle];
    return {points: route(ends, points.slice(1, -1), bands), badge: width ? {x, y} : null};
  });
  const result = shifted(layers, sizes.length, routes);
  known.set(key, result);
  return result;
}

/** From below one box to above another, upright wherever it passes boxes: it turns between the layers only. */
function route([from, to]: [Rectangle, Rectangle], between: Point[], bands: Map<number, number>): Point[] {
  const within = (x: number, {x: middle, width}: Rectangle) => {
    const reach = Math.max(0, width / 2 - 16);
    return Math.min(middle + reach, Math.max(middle - reach, x));
  };
  const start = within(between[0]?.x ?? to.x, from);
  const end = within(between.at(-1)?.x ?? start, to);
  const half = (y: number) => (bands.get(Math.round(y)) ?? 0) / 2;
  const points: Point[] = [{x: start, y: from.y + from.height / 2}, {x: start, y: from.y + half(from.y)}];
  for (const {x, y} of between) points.push({x, y: y - half(y)}, {x, y: y + half(y)});
  points.push({x: end, y: to.y - half(to.y)}, {x: end, y: to.y - to.height / 2});
  return points.filter((point, i) => i === 0 || Math.abs(point.x - points[i - 1]!.x) + Math.abs(point.y - points[i - 1]!.y) > 0.5);
}

/** Edges may leave the bounds that boxes have. */
function shifted(layers: Layers, boxes: number, routes: Arranged['routes']): Arranged {
  let left = 0;
  let right = layers.graph().width ?? 0;
  for (const {points} of routes) {
    for (const {x} of points) {
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
  }
  const move = ({x, y}: Point) => ({x: x - left, y});
  return {
    width: right - left,
    height: layers.graph().height ?? 0,
    at: Array.from({length: boxes}, (_, i) => move(layers.node(String(i)) as Point)),
    port: layers.hasNode('-1') ? move(layers.node('-1') as Point) : null,
    routes: routes.map(({points, badge}) => ({points: points.map(move), badge: badge && move(badge)})),
  };
}

interface Inner {
  width: number;
  height: number;
  arranged: Arranged | null;
  edges: {links: Link[]; badge: Badge | null}[];
}

export interface Sizes {
  isOpen: (box: Box) => boolean;
  widthOf: (box: Box, open: boolean) => number;
  badgeOf: (links: Link[]) => Badge | null;
}

/** The edges right inside a block: pairs of places in `inside` (-1: the port), each with its links. */
function edgesOf(block: Box, links: Link[]): Map<string, Link[]> {
  const places = new Map(block.inside.map((box, i) => [box, i]));
  const pairs = new Map<string, Link[]>();
  for (const link of links) {
    const [froms, tos] = link.path;
    const target = tos.indexOf(block);
    if (target <= 0) continue;
    const source = froms.indexOf(block);
    const from = source > 0 ? places.get(froms[source - 1]!)! : -1;
    const to = places.get(tos[target - 1]!)!;
    if (from === to) continue;
    const pair = `${from} ${to}`;
    const others = pairs.get(pair);
    if (others) others.push(link);
    else pairs.set(pair, [link]);
  }
  return pairs;
}

function sizeOf(block: Box, tree: Tree, sizes: Sizes, all: Map<Box, Inner>): Inner {
  if (block !== tree.root && (block.node || !sizes.isOpen(block))) {
    return {width: sizes.widthOf(block, false), height: block.node ? 40 : 46, arranged: null, edges: []};
  }
  for (const box of block.inside) all.set(box, sizeOf(box, tree, sizes, all));
  const pairs = [...edgesOf(block, tree.links)];
  // Into an open block the way goes on: what is on it stands in there.
  const ends = pairs.map(([pair]) => block.inside[Number(pair.split(' ')[1])]!);
  const edges = pairs.map(([, links], i) => ({links, badge: ends[i]!.node || !sizes.isOpen(ends[i]!) ? sizes.badgeOf(links) : null}));
  const arranged = arrange({
    sizes: block.inside.map(box => [all.get(box)!.width, all.get(box)!.height]),
    edges: pairs.map(([pair], i) => {
      const [from, to] = pair.split(' ').map(Number) as [number, number];
      const {badge} = edges[i]!;
      return [from, to, badge ? badgeWidth(badge) : 0, badge ? BADGE : 0];
    }),
  });
  const width = Math.max(arranged.width + 2 * PAD, block === tree.root ? 0 : sizes.widthOf(block, true));
  return {width, height: arranged.height + PAD + (block === tree.root ? PAD : HEADER + PAD / 2), arranged, edges};
}

function badgeWidth({text, size}: Badge): number {
  return Math.ceil((text.length + (size?.shown.length ?? 0) + 1) * 6.1 + 14);
}

export function layoutOf(tree: Tree, sizes: Sizes): Layout {
  const all = new Map<Box, Inner>();
  const outer = sizeOf(tree.root, tree, sizes, all);
  const result: Layout = {width: outer.width, height: outer.height, boxes: [], edges: [], ports: []};
  const place = (block: Box, inner: Inner, left: number, top: number) => {
    const {arranged} = inner;
    if (!arranged) return;
    const dx = left + (inner.width - arranged.width) / 2;
    const dy = top + (block === tree.root ? PAD : HEADER + PAD / 2);
    const move = ({x, y}: Point) => ({x: x + dx, y: y + dy});
    if (arranged.port) result.ports.push(move(arranged.port));
    inner.edges.forEach(({links, badge}, i) => {
      const route = arranged.routes[i]!;
      const at = route.badge && move(route.badge);
      result.edges.push({points: route.points.map(move), links, badge: at && badge && {...at, width: badgeWidth(badge), of: badge}});
    });
    block.inside.forEach((box, i) => {
      const own = all.get(box)!;
      const middle = move(arranged.at[i]!);
      const placed = {box, x: middle.x - own.width / 2, y: middle.y - own.height / 2, width: own.width, height: own.height, open: own.arranged !== null};
      result.boxes.push(placed);
      place(box, own, placed.x, placed.y);
    });
  };
  place(tree.root, outer, 0, 0);
  return result;
}
