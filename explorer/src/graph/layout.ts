// Layout of nested blocks. Each open block is laid out separately, inner blocks first, and is a box in the layout
// around it.
// Edges into a block start at a port at its top, so that no edge crosses a border.

import {arrange, type Arranged, type Point, type Rectangle} from './arrange';
import type {Badge, BadgeOf} from './transfers';
import type {Box, Link, Tree} from './tree';

const PAD = 14;
const HEADER = 30;
export const BADGE = 18;

export interface Placed extends Rectangle {
  box: Box;
  open: boolean;
}

export interface PlacedBadge extends Point {
  width: number;
  of: Badge;
}

export interface PlacedEdge {
  points: Point[];
  links: Link[];
  badge: PlacedBadge | null;
}

export interface Layout {
  width: number;
  height: number;
  boxes: Placed[];  // Boxes in order of nesting, outer boxes first.
  edges: PlacedEdge[];
  ports: Point[];
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
  badgeOf: BadgeOf;
}

// Returns the edges directly inside a block: pairs of indices in `inside` (-1: the port), with their links.
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

// Computes the sizes of a block and of every block inside, recursively. A closed block has a fixed height.
function sizeOf(block: Box, tree: Tree, sizes: Sizes, all: Map<Box, Inner>): Inner {
  if (block !== tree.root && (block.node || !sizes.isOpen(block))) {
    return {width: sizes.widthOf(block, false), height: block.node ? 40 : 46, arranged: null, edges: []};
  }
  for (const box of block.inside) all.set(box, sizeOf(box, tree, sizes, all));
  const pairs = [...edgesOf(block, tree.links)];
  const edges = pairs.map(([pair, links]) => {
    const [from, to] = pair.split(' ').map(Number) as [number, number];
    const end = block.inside[to]!;
    return {links, badge: sizes.badgeOf(links, from < 0, !end.node && sizes.isOpen(end))};
  });
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
  return Math.ceil((text.length + size.text.length + 1) * 6.1 + 14);
}

// Computes sizes from the inside out, then positions from the outside in.
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
      const {width, height} = own;
      const placed = {box, x: middle.x - width / 2, y: middle.y - height / 2, width, height, open: own.arranged !== null};
      result.boxes.push(placed);
      place(box, own, placed.x, placed.y);
    });
  };
  place(tree.root, outer, 0, 0);
  return result;
}
