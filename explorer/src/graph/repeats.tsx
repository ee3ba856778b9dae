import {shown} from '../quantity';
import {Shown} from '../shown';
import type {Box} from './tree';

function countOf({layers, segment}: Box) {
  const count = layers ?? segment?.layers ?? null;
  return count === null || count === 1 || count === '1' ? null : count;
}

/** Returns the number of repetitions of a segment. */
export function repeats(box: Box): string {
  const count = countOf(box);
  return count === null ? '' : `× ${shown(count)}`;
}

export function Repeats({box, runIndex}: {box: Box; runIndex: number}) {
  const count = countOf(box);
  return count === null ? null : <span class="repeats">× <Shown of={{value: count}} at={`runs.${runIndex}.layers.${box.id}`} /></span>;
}
