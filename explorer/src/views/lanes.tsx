// The picture of a timeline. It scrolls and zooms; tasks are selected by pointer or by keys.
import {useEffect, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import type {Timeline} from '../document';
import {axisHeight, lookOf, paint, type Look} from './paint';
import {usePrinting} from './printing';
import {paperColors, resolved, useTheme} from './theme';
import {nearest, chunksOf, taskAt, type Lane, type Place} from './tasks';
import {useWidth} from './width';

interface Props {
  timeline: Timeline;
  lanes: Lane[];
  chosen: Place | null;
  choose: (place: Place) => void;
  zoom: number;
  setZoom: (zoom: number) => void;
  label: string;
}

export const largestZoom = 2000;

function next({chosen, lanes}: Props, key: string): Place | null {
  const {stage, index} = chosen ?? {stage: 0, index: -1};
  const lane = lanes[stage]!;
  const middle = index < 0 ? 0 : (lane.start[index]! + lane.end[index]!) / 2;
  const inStage = (at: number) => lanes[at]?.end.length ? {stage: at, index: nearest(lanes[at]!, middle)} : null;
  switch (key) {
    case 'ArrowRight': return {stage, index: Math.min(lane.end.length - 1, index + 1)};
    case 'ArrowLeft': return {stage, index: Math.max(0, index - 1)};
    case 'ArrowDown': return inStage(stage + 1);
    case 'ArrowUp': return inStage(stage - 1);
    case 'Home': return {stage, index: 0};
    case 'End': return {stage, index: lane.end.length - 1};
    default: return null;
  }
}

// The fixed point while the zoom changes: a time, and its position in the window.
interface Anchor {
  time: number;
  x: number;
}

export function Lanes(props: Props) {
  const {timeline, lanes, chosen, choose, zoom, setZoom, label} = props;
  const [scroller, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = useRef<{key: string; look: Look} | null>(null);
  const chunks = useMemo(() => chunksOf(timeline), [timeline]);
  const anchor = useRef<Anchor | null>(null);
  const printing = usePrinting();
  const theme = `${useTheme()} ${printing}`;
  const drawn = useRef(zoom);
  const rowHeight = Math.max(7, Math.min(24, Math.floor(460 / lanes.length)));
  const height = axisHeight + rowHeight * lanes.length;
  const full = width * zoom;

  const draw = () => {
    const context = canvas.current?.getContext('2d');
    if (!context || !scroller.current) return;
    const key = `${theme} ${timeline.kinds.length} ${chunks}`;
    if (look.current?.key !== key) look.current = {key, look: lookOf(color => resolved(scroller.current!, color), timeline.kinds.length, chunks)};
    const from = scroller.current.scrollLeft / full * timeline.end;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paint(context, {timeline, lanes, look: look.current.look, chosen, sight: {from, to: from + timeline.end / zoom, width, rowHeight}}, height);
  };
  // Restores the anchor after a change of the zoom, then repaints. The canvas has the size of the window and covers
  // only the visible part.
  useLayoutEffect(() => {
    const {current} = scroller;
    if (!current || width === 0) return;
    const middle = current.scrollLeft + width / 2;
    const fixed = anchor.current ?? (drawn.current === zoom ? null : {time: middle / width / drawn.current * timeline.end, x: width / 2});
    anchor.current = null;
    drawn.current = zoom;
    if (fixed) current.scrollLeft = fixed.time / timeline.end * full - fixed.x;
    draw();
  });

  const zoomAt = (factor: number, x: number) => {
    anchor.current = {time: (scroller.current!.scrollLeft + x) / full * timeline.end, x};
    setZoom(Math.max(1, Math.min(largestZoom, zoom * factor)));
  };
  const show = ({stage, index}: Place) => {
    const {current} = scroller;
    const [begin, end] = [lanes[stage]!.start[index]! / timeline.end * full, lanes[stage]!.end[index]! / timeline.end * full];
    if (current && (begin < current.scrollLeft || end > current.scrollLeft + width)) current.scrollLeft = (begin + end) / 2 - width / 2;
  };
  const onKey = (event: KeyboardEvent) => {
    const place = event.ctrlKey || event.metaKey || event.altKey ? null : next(props, event.key);
    if (place) {
      choose(place);
      show(place);
    } else if (event.key === '+' || event.key === '=') zoomAt(1.6, width / 2);
    else if (event.key === '-') zoomAt(1 / 1.6, width / 2);
    else return;
    event.preventDefault();
  };
  const onPointer = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const stage = Math.floor((event.clientY - box.top - axisHeight) / rowHeight);
    const lane = lanes[stage];
    const index = lane && taskAt(lane, (scroller.current!.scrollLeft + event.clientX - box.left) / full * timeline.end);
    if (index !== undefined && index !== null && (chosen?.stage !== stage || chosen.index !== index)) choose({stage, index});
  };
  useEffect(() => {
    const {current} = scroller;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomAt(Math.exp(-event.deltaY / 300), event.clientX - current!.getBoundingClientRect().left);
    };
    current?.addEventListener('wheel', wheel, {passive: false});
    return () => current?.removeEventListener('wheel', wheel);
  });
  return (
    <div class="lanes">
      <div class="stages" aria-hidden="true" style={{paddingTop: `${axisHeight}px`}}>
        {lanes.map((_, stage) => <div style={{height: `${rowHeight}px`}}>{rowHeight > 10 || stage % 2 === 0 ? stage : ''}</div>)}
      </div>
      <div class="scroller" style={paperColors(printing)} ref={scroller} tabIndex={0} role="group" aria-label={label} onKeyDown={onKey}
        onScroll={draw}>
        <div style={{width: `${full}px`}}>
          <canvas ref={canvas} width={Math.round(width * devicePixelRatio)} height={Math.round(height * devicePixelRatio)}
            style={{width: `${width}px`, height: `${height}px`}} onPointerMove={onPointer} onPointerDown={onPointer} />
        </div>
      </div>
    </div>
  );
}
