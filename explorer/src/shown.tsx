import type {Value} from './document';
import {exact, shown} from './quantity';

export interface Amount {
  value?: Value;
  unit?: string | undefined;
  shown?: string | undefined;
}

export function textOf({value, unit, shown: text}: Amount): string {
  return text ?? shown(value, unit);
}

/** A value with a text written by the program. */
export function Shown({of, at}: {of: Amount; at: string}) {
  if (typeof of.value !== 'number') return <bdi class="quantity">{textOf(of)}</bdi>;
  return <span class="quantity" title={exact(of.value, of.unit)} data-value={String(of.value)} data-at={at}>{textOf(of)}</span>;
}
