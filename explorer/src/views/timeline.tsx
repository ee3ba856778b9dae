import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {ExploreDocument, Run, Timeline} from '../document';
import {Figure} from '../figure';
import {shown} from '../quantity';
import {Quantity} from '../quantity_view';
import {DataTable} from '../table';
import {Lanes} from './lanes';
import {fill, Legend, Patterns} from './pattern';
import {StageMemory} from './stage_memory';
import {atOfTask, lanesOf, rowsOfTasks, type Lane, type Place} from './tasks';

export interface ViewProps {
  run: Run;
  runIndex: number;
  document: ExploreDocument;
}

interface TimelineProps {
  timeline: Timeline;
  lanes: Lane[];
  path: string;
}

function Readout({timeline, lanes, path, chosen}: TimelineProps & {chosen: Place | null}) {
  if (!chosen) return <p class="readout hint"><span>Point at a task, or press the arrow keys in the picture.</span></p>;
  const {stage, index} = chosen;
  const tasks = timeline.stages[stage]!;
  const [start, end] = [lanes[stage]!.start[index]!, lanes[stage]!.end[index]!];
  const at = `${path}.stages.${stage}`;
  return (
    <p class="readout" aria-live="polite">
      <strong><bdi>{tasks.work[index]}</bdi></strong>{' '}
      <span><bdi>{timeline.kinds[tasks.kind[index]!]}</bdi>{' '}</span>
      <span>stage {stage}{' '}</span>
      {tasks.piece[index]! >= 0 && <span>chunk <Quantity value={tasks.piece[index]} at={`${at}.piece.${index}`} />{' '}</span>}
      {tasks.microbatch[index]! >= 0 && <span>microbatch <Quantity value={tasks.microbatch[index]} at={`${at}.microbatch.${index}`} />{' '}</span>}
      <span>from <Quantity value={start} unit="s" at={tasks.start[index] === null ? undefined : `${at}.start.${index}`} />{' '}</span>
      <span>to <Quantity value={end} unit="s" at={`${at}.end.${index}`} />{' '}</span>
      <span>takes <Quantity value={end - start} unit="s" />{' '}</span>
    </p>
  );
}

function Picture(props: TimelineProps & {zoom: number; setZoom: (zoom: number) => void; pattern: string}) {
  const {timeline, pattern} = props;
  const [chosen, choose] = useState<Place | null>(null);
  useEffect(() => choose(null), [timeline]);
  const tasks = timeline.stages.reduce((sum, stage) => sum + stage.end.length, 0);
  const label = `Timeline of ${timeline.stages.length} stages with ${tasks} tasks; arrow keys go from task to task, plus and minus zoom`;
  return (
    <>
      <svg class="unseen" aria-hidden="true"><Patterns id={pattern} count={timeline.kinds.length} /></svg>
      <Legend names={timeline.kinds.map(name => ({name}))} swatch={kind => <rect width="14" height="14" rx="2" fill={fill(pattern, kind)} />} />
      <Lanes {...props} {...{chosen, choose, label}} />
      <Readout {...props} chosen={chosen} />
    </>
  );
}

function Zoom({zoom, setZoom}: {zoom: number; setZoom: (zoom: number) => void}) {
  return (
    <>
      <button type="button" class="quiet" disabled={zoom <= 1} onClick={() => setZoom(Math.max(1, zoom / 2))} aria-label="− zoom out">−</button>
      <button type="button" class="quiet" onClick={() => setZoom(Math.min(2000, zoom * 2))} aria-label="+ zoom in">+</button>
      <button type="button" class="quiet" disabled={zoom <= 1} onClick={() => setZoom(1)}>Whole step</button>
    </>
  );
}

/** A simulated step, and the memory of its stages. */
export function TimelineView({run, runIndex}: ViewProps) {
  const {timeline} = run;
  const [zoom, setZoom] = useState(1);
  const lanes = useMemo(() => timeline ? lanesOf(timeline) : [], [timeline]);
  const pattern = useRef(`works-${runIndex}`).current;
  if (!timeline) return null;
  const path = `runs.${runIndex}.timeline`;
  const doc = `${timeline.schedule}. As simulated, tasks end after ${shown(timeline.work_end, 's')}, gradients, optimizer and waiting after`
    + ` ${shown(timeline.end, 's')}. The numbers of the run count the step by the schedule's formulas unless \`play\` is set.`
    + ' Paler tasks belong to later chunks of a stage.'
    + (timeline.microbatches === undefined ? '' : ` Only the first ${timeline.microbatches} microbatches are shown.`);
  const table = () => (
    <DataTable plain rows={rowsOfTasks(timeline, lanes)} caption="Tasks" units={{start: 's', end: 's'}} atOf={atOfTask(timeline, path)} />
  );
  return (
    <>
      <Figure title="Timeline of a step" doc={doc} table={table} tools={<Zoom {...{zoom, setZoom}} />}>
        <Picture {...{timeline, lanes, path, zoom, setZoom, pattern}} />
      </Figure>
      <StageMemory {...{timeline, run, runIndex}} />
    </>
  );
}
