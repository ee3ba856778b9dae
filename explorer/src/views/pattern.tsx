// Colors and patterns of parts. Parts differ in both, so that color alone carries no information.
import type {ComponentChildren} from 'preact';

export const partCount = 8;

export const strokes = ['', 'M-1,1 L1,-1 M0,6 L6,0 M5,7 L7,5', 'M1.5,1.5 h1.5 M4.5,4.5 h1.5', 'M-1,5 L1,7 M0,0 L6,6 M5,-1 L7,1',
  'M0,1.5 H6 M0,4.5 H6',
  'M0,3 H6 M3,0 V6', 'M1.5,0 V6 M4.5,0 V6', 'M0,6 L6,0 M0,0 L6,6'];

export function color(index: number): string {
  return `var(--part-${index % partCount})`;
}

export function Patterns({id, count}: {id: string; count: number}) {
  const indices = Array.from({length: Math.min(count, partCount)}, (_, index) => index);
  return (
    <defs>
      {indices.map(index => (
        <pattern key={index} id={`${id}-${index}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" style={{fill: color(index)}} />
          {strokes[index] && <path d={strokes[index]} class="hatch" />}
        </pattern>
      ))}
    </defs>
  );
}

export function fill(id: string, index: number): string {
  return `url(#${id}-${index % partCount})`;
}

interface LegendProps {
  names: {name: string; title?: string | undefined}[];
  swatch: (index: number) => ComponentChildren;
}

export function Legend({names, swatch}: LegendProps) {
  return (
    <ul class="legend">
      {names.map(({name, title}, index) => (
        <li key={name} title={title}>
          <svg width="14" height="14" aria-hidden="true">{swatch(index)}</svg> <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}
