import {useId, useMemo, useState} from 'preact/hooks';
import type {Row, Run, Timeline} from '../document';
import {Figure} from '../figure';
import {titled} from '../quantity';
import {Quantity} from '../quantity_view';
import {DataTable} from '../table';
import {Legend} from './pattern';
import {LineSwatch, Plot} from './plot';
import type {PlotLine} from './steps';
import {limitOf} from './stacks';

interface Props {
  timeline: Timeline;
  run: Run;
  runIndex: number;
}

type Stage = Timeline['stages'][number];

function resident(stage: Stage): number {
  return Object.values(stage.standing).reduce((sum, bytes) => sum + bytes, 0);
}

function peak(stage: Stage): number {
  return resident(stage) + stage.levels.activations.reduce((most, bytes) => Math.max(most, bytes), 0);
}

// Returns the memory of stages at every time at which one of them changes.
function aligned(stages: Stage[], end: number): {x: number[]; values: number[][]} {
  const x = [...new Set([0, end, ...stages.flatMap(stage => stage.levels.at)])].sort((a, b) => a - b);
  const values = stages.map(stage => {
    const {at, activations} = stage.levels;
    const base = resident(stage);
    let index = -1;
    return x.map(time => {
      while (index + 1 < at.length && at[index + 1]! <= time) ++index;
      return base + (index < 0 ? 0 : activations[index]!);
    });
  });
  return {x, values};
}

function useLines(timeline: Timeline, chosen: number): {x: number[]; lines: PlotLine[]} {
  return useMemo(() => {
    const indices = timeline.stages.map((_, index) => index).filter(index => chosen < 0 || index === chosen);
    const {x, values} = aligned(indices.map(index => timeline.stages[index]!), timeline.end);
    return {x, lines: values.map((of, place) => ({name: `stage ${indices[place]}`, values: of, part: chosen < 0 ? place : 0}))};
  }, [timeline, chosen]);
}

// The memory limit is the limit of the first stacked drawing.
function memoryLimit(run: Run, runIndex: number) {
  const drawing = run.views.flatMap(view => view.drawings).find(({draw, limit}) => draw === 'stacks' && limit !== undefined);
  return limitOf(run, runIndex, drawing?.limit);
}

function Resident({stage, path}: {stage: Stage; path: string}) {
  return (
    <p class="readout">
      <span>Resident: </span>
      {Object.entries(stage.standing).map(([kind, bytes]) => <span key={kind}>{titled(kind)} <Quantity value={bytes} unit="byte"
        at={`${path}.standing.${kind}`} />{' '}</span>)}
    </p>
  );
}

function Levels({timeline, path}: {timeline: Timeline; path: string}) {
  const rows: Row[] = timeline.stages.map((stage, index) => ({stage: index, ...stage.standing,
    'activations at most': stage.levels.activations.reduce((a, b) => Math.max(a, b), 0), peak: peak(stage)}));
  const units = Object.fromEntries(Object.keys(rows[0]!).filter(column => column !== 'stage').map(column => [column, 'byte']));
  const at = ({stage}: Row, column: string) =>
    Object.hasOwn(timeline.stages[stage as number]!.standing, column) ? `${path}.stages.${stage}.standing.${column}` : undefined;
  return <DataTable plain caption="Memory of stages over a step" rows={rows} units={units} atOf={at} />;
}

export function StageMemory({timeline, run, runIndex}: Props) {
  const id = useId();
  const fullest = useMemo(() => timeline.stages.reduce((best, stage, index) =>
    peak(stage) > peak(timeline.stages[best]!) ? index : best, 0), [timeline]);
  const [chosen, setChosen] = useState(timeline.stages.length <= 4 ? -1 : fullest);
  const {x, lines} = useLines(timeline, chosen);
  const top = useMemo(() => lines[0]!.values.reduce<number>((best, value, place, all) => (value ?? 0) > (all[best] ?? 0) ? place : best, 0), [lines]);
  const [index, setIndex] = useState<number | null>(null);
  const at = Math.min(index ?? top, x.length - 1);
  const path = `runs.${runIndex}.timeline`;
  const pick = (
    <select aria-label="Stages that are shown" value={chosen} onChange={event => setChosen(Number(event.currentTarget.value))}>
      <option value={-1}>every stage</option>
      {timeline.stages.map((_, stage) => <option key={stage} value={stage}>stage {stage}{stage === fullest ? ', the fullest' : ''}</option>)}
    </select>
  );
  return (
    <Figure title="Memory over the step" doc="Resident memory, and activations of microbatches."
      table={() => <Levels {...{timeline, path}} />} tools={pick}>
      {lines.length > 1 && <Legend names={lines} swatch={part => <LineSwatch part={part} lines={lines.length} />} />}
      <Plot {...{x, lines, index: at}} onIndex={setIndex} unit="byte" xUnit="s" height={220} limit={memoryLimit(run, runIndex)}
        label="Memory of stages over the step" />
      <div class="position">
        <label for={id}>time</label>
        <input id={id} type="range" min={0} max={x.length - 1} value={at} onInput={event => setIndex(Number(event.currentTarget.value))} />
      </div>
      <p class="readout">
        <strong><Quantity value={x[at] ?? 0} unit="s" /></strong>{' '}
        {lines.slice(0, 64).map(line => <span key={line.name}>{line.name} <Quantity value={line.values[at] ?? 0} unit="byte" />{' '}</span>)}
      </p>
      {chosen >= 0 && <Resident stage={timeline.stages[chosen]!} path={`${path}.stages.${chosen}`} />}
    </Figure>
  );
}
