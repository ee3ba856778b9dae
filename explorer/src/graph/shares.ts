// Values of a table's column for nodes; the value of a block is the sum over its nodes.

import type {Drawing, Run} from '../document';
import {unitOf} from '../views/rows';
import type {Box, Tree} from './tree';

export interface NodeColumn {
  name: string;
  unit: string;
  at: Map<string, {value: number; path: string}>;  // Value and document path by name of the node.
  total: number;
}

/** Returns the drawing that declares the columns for colors of the graph. */
export function nodesDrawing(run: Run): Drawing | null {
  for (const {drawings} of run.views) {
    const found = drawings.find(({draw}) => draw === 'nodes');
    if (found) return found;
  }
  return null;
}

export function columnsOf(run: Run): string[] {
  return nodesDrawing(run)?.columns ?? [];
}

export function columnOf(run: Run, runIndex: number, name: string): NodeColumn {
  const drawing = nodesDrawing(run);
  const table = drawing?.table ?? '';
  const rows = Object.hasOwn(run.report.tables, table) ? run.report.tables[table]! : [];
  const column: NodeColumn = {name, unit: unitOf(run, table, name), at: new Map(), total: 0};
  rows.forEach((row, i) => {
    const node = Object.hasOwn(row, drawing?.by ?? '') ? row[drawing!.by!] : null;
    const value = Object.hasOwn(row, name) ? row[name] : null;
    if (typeof node !== 'string' || typeof value !== 'number') return;
    column.at.set(node, {value, path: `runs.${runIndex}.report.tables.${table}.${i}.${name}`});
    column.total += value;
  });
  return column;
}

/** Value of each box: of a node, or the sum of a block; null: unknown. */
export type Values = Map<Box, number | null>;

// Sums the values of nodes upward through the tree. A block without any known value stays null, which differs from 0.
export function valuesOf(tree: Tree, column: NodeColumn): Values {
  const values: Values = new Map();
  const value = (box: Box): number | null => {
    let result: number | null = null;
    if (box.node) result = column.at.get(box.node.name)?.value ?? null;
    else {
      for (const inner of box.inside) {
        const part = value(inner);
        if (part !== null) result = (result ?? 0) + part;
      }
    }
    values.set(box, result);
    return result;
  };
  value(tree.root);
  return values;
}

/** Color and label of a box. */
export interface Heat {
  share: number;  // Share of the total; with two runs: the change relative to the largest change.
  strength: number;  // Strength of the color, from 0 to 1.
  less: boolean;  // True if the second run has less.
  value: number | null;
}

/** Colors grow with the square root up to the share `most`, so that small shares differ visibly. */
export function heatOf(value: number | null, total: number, most: number): Heat {
  const share = value === null || total <= 0 ? 0 : value / total;
  return {share, strength: most > 0 ? Math.sqrt(Math.min(1, Math.max(0, share / most))) : 0, less: false, value};
}

export function changeOf(first: number | null, second: number | null, largest: number): Heat {
  return scaled(first === null && second === null ? null : (second ?? 0) - (first ?? 0), largest);
}

function scaled(value: number | null, largest: number): Heat {
  if (value === null) return {share: 0, strength: 0, less: false, value};
  const share = largest > 0 ? value / largest : 0;
  return {share, strength: Math.sqrt(Math.min(1, Math.abs(share))), less: value < 0, value};
}

export interface Coloring {
  column: NodeColumn;
  changes: boolean;  // True for changes between two runs.
  most: number;  // Share, or size of a change, with the strongest color.
  heat: (box: Box) => Heat;
}

// Colors boxes by the share of the total. For two compared runs, colors show the change relative to the largest change of
// a node.
export function coloringOf(tree: Tree, columns: NodeColumn[], compared: boolean): Coloring | null {
  const [first, second] = columns;
  if (!first) return null;
  const values = valuesOf(tree, first);
  if (!compared || !second) {
    return {column: first, changes: false, most: 1, heat: box => heatOf(values.get(box) ?? null, first.total, 1)};
  }
  const others = valuesOf(tree, second);
  let largest = 0;
  for (const box of tree.boxes.values()) {
    if (box.node) largest = Math.max(largest, Math.abs((others.get(box) ?? 0) - (values.get(box) ?? 0)));
  }
  return {column: first, changes: true, most: largest, heat: box => changeOf(values.get(box) ?? null, others.get(box) ?? null, largest)};
}

/** Returns the visible boxes that are not open. */
export function closedBoxes(block: Box, isOpen: (box: Box) => boolean): Box[] {
  return block.inside.flatMap(box => isOpen(box) ? closedBoxes(box, isOpen) : [box]);
}

/** Returns the coloring scaled to the largest share or change among boxes, which gets the strongest color. */
export function scaledTo(coloring: Coloring, boxes: Box[]): Coloring {
  const {changes, column, heat} = coloring;
  const most = boxes.reduce((largest, box) => Math.max(largest, changes ? Math.abs(heat(box).value ?? 0) : heat(box).share), 0);
  return {...coloring, most, heat: box => changes ? scaled(heat(box).value, most) : heatOf(heat(box).value, column.total, most)};
}
