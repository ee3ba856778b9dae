// Navigation by arrow keys: up and down along edges, left and right to neighbors.

import type {Layout, Placed} from './layout';
import {chain, type Box, type Tree} from './tree';

// Returns the outermost closed box around `box`, or the box itself.
function visible(box: Box, shown: Set<Box>): Box {
  return chain(box).reverse().find(outer => shown.has(outer)) ?? box;
}

// Returns the box at the other end of an edge, with the smallest vertical distance.
function along(tree: Tree, layout: Layout, at: Placed, down: boolean): Box | null {
  const closed = new Set(layout.boxes.filter(({open}) => !open).map(({box}) => box));
  const places = new Map(layout.boxes.map(placed => [placed.box, placed]));
  let best: Placed | null = null;
  for (const {from, to} of tree.links) {
    const [here, there] = down ? [from, to] : [to, from];
    if (visible(here, closed) !== at.box) continue;
    const next = places.get(visible(there, closed));
    if (!next || next.box === at.box) continue;
    if (!best || Math.abs(next.y - at.y) < Math.abs(best.y - at.y)) best = next;
  }
  return best?.box ?? null;
}

// Returns the nearest box in a direction; vertical distance counts three times.
function neighbor(layout: Layout, at: Placed, right: boolean): Box | null {
  let best: Box | null = null;
  let least = Infinity;
  const middle = at.x + at.width / 2;
  for (const next of layout.boxes) {
    const dx = (next.x + next.width / 2 - middle) * (right ? 1 : -1);
    const dy = Math.abs(next.y + next.height / 2 - at.y - at.height / 2);
    if (next.open || dx <= 0 || dy > Math.max(60, at.height)) continue;
    if (dx + 3 * dy < least) [best, least] = [next.box, dx + 3 * dy];
  }
  return best;
}

/** Returns the target of a key, or null. */
export function next(tree: Tree, layout: Layout, box: Box, key: string): Box | null {
  const at = layout.boxes.find(placed => placed.box === box);
  if (!at) return null;
  const inOrder = [...layout.boxes].sort((a, b) => a.y - b.y || a.x - b.x);
  const inside = inOrder.find(placed => placed.box.parent === box);
  const after = inOrder[inOrder.indexOf(at) + 1]?.box ?? null;
  const before = inOrder[inOrder.indexOf(at) - 1]?.box ?? null;
  switch (key) {
    case 'ArrowDown': return at.open && inside ? inside.box : along(tree, layout, at, true) ?? after;
    case 'ArrowUp': return (at.open ? null : along(tree, layout, at, false)) ?? before;
    case 'ArrowRight': return neighbor(layout, at, true);
    case 'ArrowLeft': return neighbor(layout, at, false);
    case 'Home': return inOrder[0]?.box ?? null;
    case 'End': return inOrder.at(-1)?.box ?? null;
    default: return null;
  }
}
