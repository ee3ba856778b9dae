import {useEffect, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import {useLater} from '../awaited';
import type {Run} from '../document';
import {Shown} from '../shown';
import {BoxLink, placeStyle, type BoxFacts} from './box';
import {Edges} from './edges';
import {next} from './keys';
import {BADGE, layoutOf, type Layout, type PlacedBadge} from './layout';
import type {Coloring} from './shares';
import {reveal} from './reveal';
import type {GraphState} from './state';
import {badgesOf, type ExplainedNodes} from './transfers';
import {nodesBelow, type Box, type Tree} from './tree';
import {widthOf} from './width';

interface Props {
  tree: Tree;
  state: GraphState;
  run: Run;
  runIndex: number;
  coloring: Coloring | null;
  found: Set<Box> | null;
  focus: Box | null;
  setFocus: (box: Box) => void;
}

// Messages are in large lists, so the graph of a model with thousands of nodes is drawn without them at first.
function useLayout({tree, state, run, runIndex, coloring}: Props, explained: ExplainedNodes | null): Layout {
  const heat = coloring?.changes ? '+99.9 GiB' : '<0.1 %';
  const transfers = useLater(() => run.graph?.transfers);
  const badgeOf = useMemo(() => badgesOf(transfers ?? [], explained ?? [], runIndex), [transfers, explained, runIndex]);
  const open = [...state.open].sort().join('\n');
  return useMemo(() => layoutOf(tree, {
    isOpen: box => state.open.has(box.id), widthOf: (box, opened) => widthOf(box, opened, heat), badgeOf,
  }), [tree, open, badgeOf, heat]);
}

function useFacts({tree}: Props, explained: ExplainedNodes | null): Map<Box, BoxFacts> {
  return useMemo(() => {
    // Collectives of the optimizer, once a step, are not part of a layer's pass.
    const communicating = new Set((explained ?? []).filter(({transfers}) => transfers.some(({cadence}) => cadence !== 'step')).map(({name}) => name));
    return new Map([...tree.boxes.values()].map(box => {
      const nodes = box.node ? [box.node] : [];
      return [box, {recomputed: nodes.some(({recomputed}) => recomputed), communicates: nodes.some(({name}) => communicating.has(name))}];
    }));
  }, [tree, explained]);
}

function useCounts(found: Set<Box> | null, layout: Layout): Map<Box, number> | null {
  return useMemo(() => {
    if (!found) return null;
    const names = new Set([...found].map(({id}) => id));
    return new Map(layout.boxes.map(({box}) => [box, nodesBelow(box).filter(({name}) => names.has(name)).length]));
  }, [found, layout]);
}

// Moves the focus by keys. A newly opened block has no element yet, so its focus is set after the next drawing.
function useKeys({tree, state, setFocus}: Props, layout: Layout) {
  const pendingFocus = useRef<Box | null>(null);
  const move = (box: Box) => {
    setFocus(box);
    const link = document.getElementById(`box-${box.id}`);
    link?.focus({preventScroll: true});
    if (link) reveal(link);
  };
  useEffect(() => {
    if (pendingFocus.current) move(pendingFocus.current);
    pendingFocus.current = null;
  });
  return (event: KeyboardEvent) => {
    const at = (event.target as HTMLElement).closest<HTMLElement>('.box');
    const box = at && tree.boxes.get(at.id.slice('box-'.length));
    if (!box || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') {
      if (state.selected) state.choose(null);
      else if (box.parent?.id) state.activate(pendingFocus.current = box.parent);
      else return;
    } else if (event.key === ' ') state.activate(box);
    else {
      const to = next(tree, layout, box, event.key);
      if (to) move(to);
      else if (!event.key.startsWith('Arrow')) return;
    }
    event.preventDefault();
  };
}

function BadgeLabel({badge: {x, y, width, of}}: {badge: PlacedBadge}) {
  return (
    <span class="badge" title={of.full} style={placeStyle(x - width / 2, y - BADGE / 2, width, BADGE)}>
      <bdi>{of.text}</bdi> <Shown of={of.size.of} at={of.size.at} />
    </span>
  );
}

/** The graph as a picture. Boxes are links, which can be focused, copied and opened in a new tab; edges lie below them. */
export function Picture(props: Props) {
  const {state, run, focus, setFocus, coloring} = props;
  const explained = useLater(() => run.explanations.nodes);
  const layout = useLayout(props, explained);
  const facts = useFacts(props, explained);
  const counts = useCounts(props.found, layout);
  const onKeyDown = useKeys(props, layout);
  const picture = useRef<HTMLDivElement>(null);
  // A graph wider than its frame is scrolled to the middle, where edges run.
  useLayoutEffect(() => {
    const {current} = picture;
    if (current && !state.selected) current.scrollLeft = (current.scrollWidth - current.clientWidth) / 2;
  }, []);
  const visible = new Set(layout.boxes.map(({box}) => box));
  const tabbable = [focus, state.selected, layout.boxes[0]?.box].find(box => box && visible.has(box));
  const size = {width: `${layout.width}px`, height: `${layout.height}px`};
  return (
    <div class="graph scroll" ref={picture} tabIndex={0} role="group" aria-label={`Graph of ${run.report.model}`}>
      <div class="sheet" style={{...size, '--fit': Math.min(1, 680 / layout.width)}} onKeyDown={onKeyDown}>
        {layout.boxes.filter(({open}) => open).map(({box, x, y, width, height}) => (
          <div key={`frame-${box.id}`} class={box === state.selected ? 'frame current' : 'frame'} style={placeStyle(x, y, width, height)} />
        ))}
        <Edges layout={layout} selected={state.selected} />
        {layout.edges.map(({badge}, i) => badge && <BadgeLabel key={`badge-${i}`} badge={badge} />)}
        {layout.boxes.map(placed => (
          <BoxLink key={placed.box.id} placed={placed} runIndex={props.runIndex} link={state.link(placed.box)}
            coloring={coloring} facts={facts.get(placed.box)!} found={counts?.get(placed.box) ?? null}
            current={placed.box === state.selected} tabbable={placed.box === tabbable}
            activate={() => state.activate(placed.box)} focused={() => setFocus(placed.box)} />
        ))}
      </div>
    </div>
  );
}
