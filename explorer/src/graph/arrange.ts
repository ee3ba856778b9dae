// Layered layout of a block by dagre. The layout knows only sizes and edges, not the content of boxes.

import {Graph as Layers, layout as layOut} from '@dagrejs/dagre';

const PORT = 8;

export interface Point {
  x: number;
  y: number;
}

export interface Rectangle extends Point {
  width: number;
  height: number;
}

export interface Flat {
  sizes: [number, number][];
  // Index of the source (-1: the port), index of the target, width and height of the label.
  edges: [number, number, number, number][];
}

export interface Arranged {
  width: number;
  height: number;
  at: Point[];
  port: Point | null;
  routes: {points: Point[]; badge: Point | null}[];
}

// Layouts by input. Layers of a model often have the same shape, so each shape is laid out once.
const known = new Map<string, Arranged>();

// Lays out the boxes in layers and routes each edge through the gaps between layers. The width of an edge's label is
// reserved by dagre.
export function arrange({sizes, edges}: Flat): Arranged {
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

// Routes an edge from the bottom of one box to the top of another. The edge is vertical next to boxes and bends only between layers.
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

// Shifts the layout to the right if edges leave the bounds of the boxes.
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
