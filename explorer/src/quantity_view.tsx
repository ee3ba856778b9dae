import type {Value} from './document';
import {exact, shown} from './quantity';

interface Props {
  value: Value | undefined;
  unit?: string | undefined;
  at?: string | undefined;  // where the number stands in the document; without it the page made the number
  link?: string | undefined;
}

/** A value for people; the number itself and where it stands in the document beside it, for those who check. */
export function Quantity({value, unit, at, link}: Props) {
  if (typeof value !== 'number') {
    const text = <bdi>{shown(value, unit)}</bdi>;
    return link ? <a href={link}>{text}</a> : text;
  }
  const marks = at ? {'data-value': String(value), 'data-at': at} : {};
  const text = <span class="quantity" title={exact(value, unit)} {...marks}>{shown(value, unit)}</span>;
  return link ? <a href={link}>{text}</a> : text;
}
