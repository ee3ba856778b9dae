import type {Value} from './document';
import {exact} from './quantity';

interface Props {
  of: {value?: Value; unit?: string | undefined; shown?: string};
  at: string;
}

/** A value as the program has written it for people. */
export function Shown({of: {value, unit, shown}, at}: Props) {
  if (typeof value !== 'number') return <bdi class="quantity">{shown}</bdi>;
  return <span class="quantity" title={exact(value, unit)} data-value={String(value)} data-at={at}>{shown}</span>;
}
