import type {Value} from './document';
import {exact, shown} from './quantity';

interface Props {
  value: Value | undefined;
  unit?: string | undefined;
  at?: string | undefined;  // Path of the number in the document; undefined for numbers computed by the page.
  link?: string | undefined;
}

/** A value for people; its attributes contain the exact number and its path in the document, for checks. */
export function Quantity({value, unit, at, link}: Props) {
  if (typeof value !== 'number') {
    const text = <bdi>{shown(value, unit)}</bdi>;
    return link ? <a href={link}>{text}</a> : text;
  }
  const marks = at ? {'data-value': String(value), 'data-at': at} : {};
  const text = <span class="quantity" title={exact(value, unit)} {...marks}>{shown(value, unit)}</span>;
  return link ? <a href={link}>{text}</a> : text;
}
