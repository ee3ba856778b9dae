import {useMemo} from 'preact/hooks';
import {heatOf, columnOf, columnsOf, valuesOf, type NodeColumn, type Values} from '../graph/shares';
import type {Box, Tree} from '../graph/tree';
import type {ExploreDocument, Run} from '../document';
import {Quantity} from '../quantity_view';
import {percent, titled} from '../quantity';

interface Props {
  tree: Tree;
  box: Box;
  run: Run;
  runIndex: number;
  document: ExploreDocument;
}

interface Read {
  column: NodeColumn;
  values: Values;
}

function changeText(first: number | null, second: number | null): string {
  if (first === null || second === null || first === second) return first === second ? '' : '–';
  if (first === 0) return 'new';
  const change = second / first - 1;
  return `${change < 0 ? '−' : '+'}${percent(Math.abs(change))}`;
}

function Cells({reads, box}: {reads: Read[]; box: Box}) {
  const values = reads.map(read => read.values.get(box) ?? null);
  const [first, second] = values as [number | null, number | null | undefined];
  return (
    <>
      {reads.map(({column}, i) => (
        <td key={i}><Quantity value={values[i]} unit={column.unit} at={box.node ? column.at.get(box.node.name)?.path : undefined} /></td>
      ))}
      {second !== undefined && <td class="share">{changeText(first, second)}</td>}
      {second === undefined && box.parent && <td class="share">{first === null ? '' : percent(heatOf(first, reads[0]!.column.total, 1).share)}</td>}
    </>
  );
}

/** Values of the columns for colors; for two compared runs, both values. */
export function ColumnValues({tree, box, run, runIndex, document}: Props) {
  const compared = document.runs.length === 2 && !document.space;
  const rows = useMemo(() => {
    const runs: [Run, number][] = compared ? document.runs.map((other, i) => [other, i]) : [[run, runIndex]];
    return columnsOf(run).map(name => runs.map(([other, i]) => {
      const column = columnOf(other, i, name);
      return {column, values: valuesOf(tree, column)};
    }));
  }, [tree, run, runIndex, document]);
  return (
    <table class="values">
      <thead>
        <tr>
          <th scope="col"><span class="unseen">Quantity</span></th>
          {compared ? <><th scope="col">first</th><th scope="col">second</th><th scope="col">change</th></>
            : <th scope="col">{box.parent ? 'value' : 'of all nodes'}</th>}
          {!compared && box.parent && <th scope="col">of all</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(reads => {
          const {name} = reads[0]!.column;
          return <tr key={name}><th scope="row">{titled(name)}</th><Cells reads={reads} box={box} /></tr>;
        })}
      </tbody>
    </table>
  );
}
