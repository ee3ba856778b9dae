import {useEffect, useMemo, useState} from 'preact/hooks';
import type {ExploreDocument, Row, Run} from '../document';
import {href, useAddress} from '../address';
import {Figure} from '../figure';
import {Panel} from '../panel/panel';
import {DataTable} from '../table';
import {rowsOf, titleOf} from '../views/rows';
import {Picture} from './picture';
import {reveal} from './reveal';
import {matcher} from './search';
import {closedBoxes, coloringOf, columnOf, columnsOf, nodesDrawing, scaledTo} from './shares';
import {GraphState, openAtFirst} from './state';
import {Toolbar} from './toolbar';
import {treeOf, type Box, type Tree} from './tree';

interface Props {
  run: Run;
  runIndex: number;
  document: ExploreDocument;
}

/** Returns true if the document compares two runs; the graph then shows changes between them. */
export function comparedRuns(document: ExploreDocument): boolean {
  return document.runs.length === 2 && document.space === null;
}

function useColoring(tree: Tree, {run, runIndex, document}: Props, name: string) {
  return useMemo(() => {
    const compared = comparedRuns(document);
    const runs: [Run, number][] = compared ? document.runs.map((other, i) => [other, i]) : [[run, runIndex]];
    return columnsOf(run).length ? coloringOf(tree, runs.map(([other, i]) => columnOf(other, i, name)), compared) : null;
  }, [tree, run, runIndex, document, name]);
}

function useSearch(tree: Tree, pattern: string): Set<Box> | null {
  return useMemo(() => {
    const matches = matcher(pattern);
    return matches && new Set([...tree.boxes.values()].filter(({node}) => node && matches(node.name)));
  }, [tree, pattern]);
}

function NodesTable({run, runIndex}: {run: Run; runIndex: number}) {
  const drawing = nodesDrawing(run);
  const table = drawing?.table;
  const by = table ? drawing.by : 'name';
  const linkOf = (row: Row, column: string) => (column === by ? href({view: 'graph', item: String(row[column])}) : undefined);
  if (!table) {
    const rows = run.graph!.nodes.map(({name, op, segment, component}) => ({name, operator: op, segment, component}));
    return <DataTable rows={rows} caption="Nodes" plain linkOf={linkOf} />;
  }
  const path = `runs.${runIndex}.report.tables.${table}`;
  return <DataTable rows={rowsOf(run, table)} path={path} run={run} caption={titleOf(run, table)} plain linkOf={linkOf} />;
}

// Accesses the lists of boxes and edges before the first computation, which would start again after each list that is read.
function accessLists(run: Run): unknown[] {
  const {nodes, segments, tensors} = run.graph!;
  return [nodes, segments, tensors, rowsOf(run, nodesDrawing(run)?.table ?? '')];
}

export function GraphView(props: Props) {
  const {run, runIndex} = props;
  accessLists(run);
  const address = useAddress();
  const tree = useMemo(() => treeOf(run.graph!, run.layers), [run]);
  const columns = columnsOf(run);
  const requested = address.options.get('colour') ?? '';
  const column = columns.includes(requested) ? requested : columns[0] ?? '';
  const coloring = useColoring(tree, props, column);
  const weights = useColoring(tree, props, columns[0] ?? '');
  const atFirst = useMemo(() => openAtFirst(tree, box => weights?.heat(box).strength ?? box.count), [tree, weights]);
  const state = new GraphState(address, tree, atFirst);
  const open = [...state.open].sort().join('\n');
  const shown = useMemo(() => coloring && scaledTo(coloring, closedBoxes(tree.root, box => state.open.has(box.id))), [coloring, tree, open]);
  const find = address.options.get('find') ?? '';
  const found = useSearch(tree, find);
  const [focus, setFocus] = useState<Box | null>(null);
  useEffect(() => {
    const box = state.selected && document.getElementById(`box-${state.selected.id}`);
    if (box) reveal(box);
  }, [state.selected?.id]);
  const next = () => {
    const all = [...found ?? []];
    const after = all[(all.indexOf(state.selected!) + 1) % all.length];
    if (after) state.choose(after);
  };
  const close = () => {
    const box = state.selected && document.getElementById(`box-${state.selected.id}`);
    state.choose(null);
    box?.focus({preventScroll: true});
  };
  return (
    <div class="graph-view">
      <div class="graph-main">
        <Figure title={run.report.model} table={() => <NodesTable run={run} runIndex={runIndex} />} tools={
          <>
            <Toolbar columns={columns} column={column} coloring={shown} find={find} found={found?.size ?? null} next={next}
              setColumn={name => state.set('colour', name)} setFind={pattern => state.set('find', pattern, true)} />
            <button type="button" class="quiet" onClick={() => state.openAll()}>Open all</button>
            <button type="button" class="quiet" onClick={() => state.closeAll()}>Close all</button>
          </>
        }>
          <Picture tree={tree} state={state} run={run} runIndex={runIndex} coloring={shown} found={found} focus={focus} setFocus={setFocus} />
        </Figure>
      </div>
      <Panel tree={tree} selected={state.selected} run={run} runIndex={runIndex} document={props.document} coloring={shown} close={close} />
    </div>
  );
}
