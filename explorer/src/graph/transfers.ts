// Collectives on the way of a tensor from one node to another.

import type {Run} from '../document';
import {shown} from '../quantity';
import type {Link} from './tree';

export interface Badge {
  text: string;
  size: {value: number; unit?: string | undefined; shown: string; at: string} | null;
  full: string;  // all of them, where an edge has several
}

type Size = Badge['size'];

/** Bytes of messages by who reads them; by `null` for those that no node in particular reads. */
function sizesOf(run: Run, runIndex: number): Map<string, Size> {
  const sizes = new Map<string, Size>();
  run.explanations.nodes.forEach(({name, transfers}, i) => transfers.forEach((transfer, k) => {
    const {value, unit, phase, collective, what} = transfer;
    if (typeof value !== 'number') return;
    const size = {value, unit, shown: shown(value, unit), at: `runs.${runIndex}.explanations.nodes.${i}.transfers.${k}.value`};
    for (const reader of [name, null]) {
      const key = JSON.stringify([reader, phase, collective, what]);
      if (!sizes.has(key)) sizes.set(key, size);
    }
  }));
  return sizes;
}

/** What is written at edges: the first phase only, the others are in the panel. */
export function badgesOf(run: Run, runIndex: number): (links: Link[]) => Badge | null {
  const transfers = run.graph?.transfers ?? [];
  const sizes = sizesOf(run, runIndex);
  const badges = new Map<string, Badge[]>();
  for (const {phase, between_stages, collective, axes, what, reader} of transfers) {
    if (between_stages || phase !== transfers[0]!.phase) continue;
    const size = sizes.get(JSON.stringify([reader, phase, collective, what])) ?? null;
    const text = `${collective} ${axes.join('·')}`;
    const key = JSON.stringify([what, reader]);
    badges.set(key, [...badges.get(key) ?? [], {text, size, full: `${phase}: ${text} ${size?.shown ?? ''} (${what})`}]);
  }
  return links => {
    const all = [...new Set(links.flatMap(({tensor, to}) => [to.id, null].flatMap(reader => badges.get(JSON.stringify([tensor, reader])) ?? [])))];
    const [first, ...others] = all;
    if (!first) return null;
    return {...first, full: all.map(({full}) => full).join('\n'), text: others.length ? `${first.text} +${others.length}` : first.text};
  };
}
