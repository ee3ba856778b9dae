import {useMemo, useState} from 'preact/hooks';
import type {ExploreDocument, Row, Space} from '../document';
import {href, useAddress} from '../address';
import {Figure} from '../figure';
import {grouped, titled} from '../quantity';
import {DataTable} from '../table';
import {Candidate} from './space/candidate';
import {columnOf, countOf, indexOf, withinRanges, rowsOfSpace, textAt, type Column, type Ranges} from './space/columns';
import {Heatmap} from './space/heatmap';
import {Parallel} from './space/parallel';
import {RangeInputs} from './space/ranges';
import {Scatter} from './space/scatter';
import type {ViewProps} from './timeline';

function Pick({label, columns, value, set}: {label: string; columns: Column[]; value: Column; set: (name: string) => void}) {
  return (
    <label class="pick">{label}{' '}
      <select value={value.name} onChange={event => set(event.currentTarget.value)}>
        {columns.map(({name}) => <option key={name} value={name}>{titled(name)}</option>)}
      </select>
    </label>
  );
}

function usePick(columns: Column[], first: Column): [Column, (name: string) => void] {
  const [name, set] = useState(first.name);
  return [columns.find(column => column.name === name) ?? first, set];
}

interface Parts {
  document: ExploreDocument;
  space: Space;
  axes: Column[];
  metrics: Column[];
  passes: boolean[];
  chosen: number | undefined;
  table: () => preact.ComponentChildren;
}

function ScatterFigure({space, axes, metrics, passes, chosen, table}: Parts) {
  const objective = metrics.find(({name}) => name === space.objective.metric) ?? metrics[0]!;
  const all = [...metrics, ...axes];
  const other = space.pareto.find(({metric}) => metric !== objective.name)?.metric;
  const [x, setX] = usePick(all, metrics.find(({name}) => name === other) ?? metrics.find(column => column !== objective) ?? objective);
  const [y, setY] = usePick(all, objective);
  const directions = space.pareto.map(({metric, largest}) => `${largest ? 'more' : 'less'} ${titled(metric)}`).join(', ');
  const aim = directions && `: nothing is better in one of these without being worse in another: ${directions}`;
  const omitted = space.front_size > space.front.length ? ` Of its ${grouped(space.front_size)} candidates ${grouped(space.front.length)} are here.` : '';
  const doc = space.front.length > 0 ? `Diamonds are of the front${aim}.${omitted}` : undefined;
  const tools = <><Pick label="across" columns={all} value={x} set={setX} /><Pick label="up" columns={all} value={y} set={setY} /></>;
  return (
    <Figure title="Candidates" doc={doc} table={table} tools={tools}>
      <Scatter {...{space, x, y, passes, chosen}} />
    </Figure>
  );
}

// The heat map of the objective. The page has the best candidate of each pair of values only for the objective.
function HeatmapFigure({space, axes, metrics, passes, table}: Parts) {
  const varied = axes.filter(({distinct}) => distinct.length > 1 && distinct.length <= 40);
  const value = metrics.find(({name}) => name === space.objective.metric) ?? metrics[0]!;
  const [rows, setRows] = usePick(varied, varied[0] ?? value);
  const [columns, setColumns] = usePick(varied, varied[1] ?? value);
  if (varied.length < 2) return null;
  const {largest} = space.objective;
  const among = passes.every(Boolean) ? 'over all other axes' : 'of the candidates on this page that are in the ranges';
  const tools = (
    <>
      <Pick label="down" columns={varied} value={rows} set={setRows} />
      <Pick label="across" columns={varied} value={columns} set={setColumns} />
    </>
  );
  return (
    <Figure title="The best of two axes" doc={`The ${largest ? 'largest' : 'smallest'} ${titled(value.name)} ${among}.`} table={table}
      tools={tools}>
      <Heatmap {...{space, rows, columns, value, largest, passes}} />
    </Figure>
  );
}

function Fixed({columns}: {columns: Column[]}) {
  if (columns.length === 0) return null;
  return (
    <p class="readout"><span>The same for all: </span>
      {columns.map(column => <span key={column.name}><bdi>{titled(column.name)}</bdi> <strong><bdi>{textAt(column, 0)}</bdi></strong>{' '}</span>)}
    </p>
  );
}

function useRanges(): [Ranges, (name: string, range: readonly [number, number] | null) => void, () => void] {
  const [ranges, setRanges] = useState<Ranges>(new Map());
  const set = (name: string, range: readonly [number, number] | null) => setRanges(now => {
    const next = new Map(now);
    if (range) next.set(name, range);
    else next.delete(name);
    return next;
  });
  return [ranges, set, () => setRanges(new Map())];
}

function Whole({document, space}: {document: ExploreDocument; space: Space}) {
  const address = useAddress();
  const axes = useMemo(() => space.axes.map(name => columnOf(space, name)), [space]);
  const metrics = useMemo(() => space.metrics.map(name => columnOf(space, name)), [space]);
  const varied = useMemo(() => axes.filter(({distinct}) => distinct.length > 1), [axes]);
  const fixed = axes.filter(({distinct}) => distinct.length === 1);
  const columns = useMemo(() => [...varied, ...metrics], [varied, metrics]);
  const [ranges, setRange, clear] = useRanges();
  const count = countOf(space);
  const passes = useMemo(() => withinRanges(columns, ranges, count), [columns, ranges, count]);
  const rows = useMemo(() => rowsOfSpace(space, [...metrics, ...varied, ...fixed], passes), [space, passes]);
  const requested = address.item === '' ? NaN : Number(address.item);
  const chosen = Number.isInteger(requested) && requested >= 0 && requested < count ? requested : undefined;
  const linkOf = (row: Row, column: string) => column === 'candidate' ? href({view: 'space', item: String(indexOf(row))}) : undefined;
  const atOf = (row: Row, column: string) => column === 'candidate' ? undefined : `space.candidates.${column}.${indexOf(row)}`;
  const list = {rows, units: space.units, linkOf, atOf};
  const parts = {document, space, axes, metrics, passes, chosen, table: () => <DataTable plain caption="Candidates" {...list} />};
  if (metrics.length === 0) return <DataTable caption="Candidates" {...list} />;
  const tools = ranges.size > 0 && <button type="button" class="quiet" onClick={clear}>All candidates</button>;
  return (
    <>
      {space.about && <p class="doc"><code><bdi>opledger {space.about}</bdi></code></p>}
      <p class="doc">
        {grouped(rows.length)} of {grouped(count)} candidates are in the ranges.
        {!space.complete && ' The search is not finished.'}
        {space.total > count && ` The file has ${grouped(space.total)}; here are the best, the front, and the best of every two values.`}
      </p>
      <Fixed columns={fixed} />
      {chosen !== undefined && <Candidate {...{document, space}} columns={[...metrics, ...axes]} index={chosen} />}
      <ScatterFigure {...parts} />
      <Figure title="All axes and metrics" doc="Drag along an axis to keep the candidates between two of its values." table={parts.table}
        tools={tools}>
        <Parallel {...{space, columns, passes, ranges, setRange, chosen}} />
        <RangeInputs {...{columns, ranges, setRange}} />
      </Figure>
      <HeatmapFigure {...parts} />
      <DataTable caption="Candidates in the ranges" {...list} />
    </>
  );
}

/** The candidates of a search: scatter plot, parallel axes, heat map and table. */
export function SpaceView({document}: ViewProps) {
  return document.space && <Whole document={document} space={document.space} />;
}
