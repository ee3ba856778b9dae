import type {Box} from './tree';
import type {Point} from './arrange';
import type {Layout, PlacedEdge} from './layout';

// Returns a path that is vertical at each point, so that arrows point down.
function curve(points: Point[]): string {
  return points.map(({x, y}, i) => {
    const before = points[i - 1];
    if (!before) return `M${x} ${y}`;
    if (Math.abs(before.x - x) < 0.5) return `L${x} ${y}`;
    const middle = (before.y + y) / 2;
    return `C${before.x} ${middle} ${x} ${middle} ${x} ${y}`;
  }).join('');
}

function touches({links}: PlacedEdge, box: Box | null): boolean {
  return box !== null && links.some(({path}) => path[0].includes(box) !== path[1].includes(box));
}

interface Props {
  layout: Layout;
  selected: Box | null;
}

export function Edges({layout, selected}: Props) {
  const edges = layout.edges.map(edge => ({edge, lit: touches(edge, selected)}));
  return (
    <svg class="edges" width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        {['plain', 'lit'].map(name => (
          <marker key={name} id={`tip-${name}`} class={name} viewBox="0 0 8 8" refX="7" refY="4"
            markerWidth="8.5" markerHeight="8.5" markerUnits="userSpaceOnUse" orient="auto">
            <path d="M0 0.5L8 4L0 7.5z" />
          </marker>
        ))}
      </defs>
      {edges.sort((a, b) => Number(a.lit) - Number(b.lit)).map(({edge, lit}, i) => (
        <path key={i} class={lit ? 'edge lit' : 'edge'} d={curve(edge.points)} marker-end={`url(#tip-${lit ? 'lit' : 'plain'})`}>
          <title>{[...new Set(edge.links.map(({tensor}) => tensor))].join('\n')}</title>
        </path>
      ))}
      {layout.ports.map(({x, y}, i) => <circle key={i} class="port" cx={x} cy={y} r="3.5" />)}
    </svg>
  );
}
