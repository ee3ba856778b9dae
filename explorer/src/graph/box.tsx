import type {CSSProperties} from 'preact';
import {shown} from '../quantity';
import type {Coloring, Heat} from './shares';
import type {Placed} from './layout';
import {Repeats, repeats} from './repeats';
import type {Box} from './tree';

export interface BoxFacts {
  recomputed: boolean;
  communicates: boolean;
}

interface Props {
  placed: Placed;
  runIndex: number;
  link: string;
  coloring: Coloring | null;
  facts: BoxFacts;
  found: number | null;  // Number of search results inside; null: no search.
  current: boolean;
  tabbable: boolean;
  activate: () => void;
  focused: () => void;
}

function percent(share: number): string {
  if (share === 0) return '0 %';
  return share < 0.001 ? '<0.1 %' : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
}

export function heatText(coloring: Coloring, heat: Heat): string {
  if (heat.value === null) return '';
  if (!coloring.changes) return percent(heat.share);
  const size = shown(Math.abs(heat.value), coloring.column.unit);
  return heat.value === 0 ? '±0' : (heat.less ? '−' : '+') + size;
}

/** Returns colors by the square root of a share, and bars by the share of `whole`, which fills the bar. */
export function heatStyle(heat: Heat | null, whole = 1): CSSProperties {
  const color = heat?.less ? 'var(--less)' : 'var(--more)';
  const share = Math.min(1, Math.abs(heat?.share ?? 0));
  return {'--heat': `${Math.round(100 * (heat?.strength ?? 0))}%`, '--bar': `${(100 * share / whole).toFixed(1)}%`, '--hue': color} as CSSProperties;
}

/** Returns positions with units, which Preact 11 does not add. */
export function placeStyle(left: number, top: number, width: number, height: number): CSSProperties {
  return {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`};
}

function subtitle(box: Box): string {
  if (box.node) return box.node.op;
  return `${box.count} operator${box.count === 1 ? '' : 's'}`;
}

function tooltip(box: Box, coloring: Coloring | null, text: string): string {
  const parts = [box.id, box.node ? box.node.op : `${box.segment?.block ?? ''} ${repeats(box)}`.trim(), subtitle(box)];
  if (coloring && text) {
    const {value} = coloring.heat(box);
    parts.push(`${coloring.column.name}: ${coloring.changes ? text : `${shown(value, coloring.column.unit)} (${text})`}`);
  }
  return [...new Set(parts.filter(Boolean))].join('\n');
}

function Marks({recomputed, communicates}: BoxFacts) {
  return (
    <>
      {recomputed && <span class="mark" role="img" aria-label="recomputed" title="Recomputed in the backward pass">↻</span>}
      {communicates && <span class="mark" role="img" aria-label="communicates" title="Communicates">⇄</span>}
    </>
  );
}

function classesOf({placed, found, current}: Props): string {
  const names = ['box', placed.box.node ? 'node' : placed.open ? 'head' : 'block'];
  if (found !== null) names.push(found ? 'found' : 'missed');
  if (current) names.push('current');
  return names.join(' ');
}

/** A node, a closed block, or the header of an open block. */
export function BoxLink(props: Props) {
  const {placed: {box, open, x, y, width, height}, coloring, facts, found} = props;
  const heat = coloring?.heat(box) ?? null;
  const text = coloring && heat ? heatText(coloring, heat) : '';
  const act = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    props.activate();
  };
  return (
    <a class={classesOf(props)} id={`box-${box.id}`} href={props.link} data-box={open ? undefined : box.id}
      title={tooltip(box, coloring, text)} tabIndex={props.tabbable ? 0 : -1}
      style={{...placeStyle(x, y, width, open ? 28 : height), ...heatStyle(heat)}}
      aria-expanded={box.node ? undefined : open} aria-current={props.current ? 'true' : undefined} onClick={act} onFocus={props.focused}>
      <span class="lead">
        <span class="name"><bdi>{box.label}</bdi>{' '}<Repeats box={box} runIndex={props.runIndex} /></span>{' '}
        <span class="kind">
          {found && !box.node ? <b>{found} found</b> : <bdi>{open ? box.segment?.block ?? '' : subtitle(box)}</bdi>}
          <Marks {...facts} />
        </span>
      </span>{' '}
      <span class="heat">{text}</span>
    </a>
  );
}
