// Collectives on edges between nodes.

import type {Run, Transfer} from '../document';
import {textOf, type Amount} from '../shown';
import type {Link} from './tree';

export interface Badge {
  text: string;
  size: {of: Amount; text: string; at: string};
  full: string;  // Every collective of the edge.
}

/** Returns the badge of an edge, which may begin at the port of a block or end at an open block; its path then continues. */
export type BadgeOf = (links: Link[], fromPort: boolean, intoOpen: boolean) => Badge | null;

export type ExplainedNodes = Run['explanations']['nodes'];

interface Explained {
  axes: string;
  size: Badge['size'];
}

// Returns the messages of a phase by reader; `null` stands for messages without a particular reader.
function explainedOf(nodes: ExplainedNodes, phase: string, runIndex: number): Map<string, Explained> {
  const all = new Map<string, Explained>();
  nodes.forEach(({name, transfers}, i) => transfers.forEach((transfer, k) => {
    const {collective, what, axes} = transfer;
    if (transfer.phase !== phase) return;
    const size = {of: transfer, text: textOf(transfer), at: `runs.${runIndex}.explanations.nodes.${i}.transfers.${k}.value`};
    for (const reader of [name, null]) {
      const key = JSON.stringify([reader, collective, what]);
      if (!all.has(key)) all.set(key, {axes, size});
    }
  }));
  return all;
}

/** Returns the badges of edges. Only the first phase is shown; further phases are in the panel. Axes with a single rank send nothing. */
export function badgesOf(transfers: Transfer[], nodes: ExplainedNodes, runIndex: number): BadgeOf {
  const first = transfers[0]?.phase ?? '';
  const explained = explainedOf(nodes, first, runIndex);
  const badges = new Map<string, Badge[]>();
  for (const {phase, between_stages, collective, what, reader} of transfers) {
    if (between_stages || phase !== first) continue;
    const message = explained.get(JSON.stringify([reader, collective, what]));
    if (!message) continue;
    const {axes, size} = message;
    const text = `${collective} ${axes}`;
    const key = JSON.stringify([what, reader]);
    badges.set(key, [...badges.get(key) ?? [], {text, size, full: `${phase}: ${text} ${size.text} (${what})`}]);
  }
  const find = (tensor: string, reader: string | null) => badges.get(JSON.stringify([tensor, reader])) ?? [];
  return (links, fromPort, intoOpen) => {
    // A message to a node is shown before that node, a message without a particular reader after its producer.
    const all = [...new Set(links.flatMap(({tensor, to}) => [...intoOpen ? [] : find(tensor, to.id), ...fromPort ? [] : find(tensor, null)]))];
    const [first, ...others] = all;
    if (!first) return null;
    return {...first, full: all.map(({full}) => full).join('\n'), text: others.length ? `${first.text} +${others.length}` : first.text};
  };
}
