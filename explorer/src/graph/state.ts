// The state of the graph, which is stored in the address: the selected box, open blocks, the color and the search.

import {go, href, type Address} from '../address';
import {chain, type Box, type Tree} from './tree';

const MAX_BOXES = 26;  // Maximum number of boxes visible without scrolling.

/** Returns the blocks that are open without a word in the address. The heaviest block is opened repeatedly, as long as the boxes fit. */
export function openAtFirst(tree: Tree, weight: (box: Box) => number): Set<string> {
  const open = new Set<string>();
  let count = tree.root.inside.length;
  const candidates = [...tree.root.inside];
  while (candidates.length) {
    const closed = candidates.filter(box => !box.node && count + box.inside.length <= MAX_BOXES);
    const [heaviest] = closed.sort((a, b) => weight(b) - weight(a));
    if (!heaviest) break;
    open.add(heaviest.id);
    count += heaviest.inside.length;
    candidates.splice(candidates.indexOf(heaviest), 1, ...heaviest.inside);
  }
  return open;
}

export function blocksOf(tree: Tree): string[] {
  return [...tree.boxes.values()].filter(({node}) => !node).map(({id}) => id);
}

export class GraphState {
  readonly selected: Box | null;
  readonly open: Set<string>;

  constructor(private readonly address: Address, private readonly tree: Tree, atFirst: Set<string>) {
    this.selected = tree.boxes.get(address.item) ?? null;
    const open = address.options.get('open');
    this.open = open === undefined ? new Set(atFirst) : new Set(open === '*' ? blocksOf(tree) : open.split(','));
    // The selected box must be visible.
    for (let outer = this.selected?.parent; outer; outer = outer.parent) this.open.add(outer.id);
  }

  private options(changes: [string, string][], open = this.open): [string, string][] {
    const all = new Map(this.address.options);
    all.delete('name');
    all.set('open', [...open].filter(id => this.tree.boxes.has(id)).join(',') || '-');
    for (const [name, value] of changes) all.set(name, value);
    return [...all];
  }

  // Returns the link of a box: it selects a node, and also opens or closes a block.
  link(box: Box): string {
    return href({view: 'graph', item: box.id, options: this.options([], box.node ? this.open : this.toggled(box))});
  }

  private toggled(box: Box): Set<string> {
    const open = new Set(this.open);
    if (!open.delete(box.id)) return open.add(box.id);
    for (const id of this.open) {
      const inner = this.tree.boxes.get(id);
      if (inner && chain(inner).includes(box)) open.delete(id);
    }
    return open;
  }

  activate(box: Box): void {
    go({view: 'graph', item: box.id, options: this.options([], box.node ? this.open : this.toggled(box))});
  }

  choose(box: Box | null): void {
    go({view: 'graph', item: box?.id ?? '', options: this.options([])});
  }

  openAll(): void {
    go({view: 'graph', item: this.address.item, options: this.options([['open', '*']])});
  }

  closeAll(): void {
    go({view: 'graph', options: this.options([['open', '-']])});
  }

  set(option: string, value: string, quietly = false): void {
    go({view: 'graph', item: this.address.item, options: this.options([[option, value]])}, quietly);
  }
}
