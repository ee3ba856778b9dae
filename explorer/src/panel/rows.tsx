import type {Row, Run, Value} from '../document';
import {Folded} from '../folded';
import {Quantity} from '../quantity_view';
import {titled} from '../quantity';
import {rowsOf, titleOf, unitOf} from '../views/rows';

interface Props {
  node: string;
  run: Run;
  runIndex: number;
}

function Fields({row, table, path, node, run}: {row: Row; table: string; path: string; node: string; run: Run}) {
  const fields = Object.entries(row).filter(([column, value]) => column !== 'rows' && value !== node && value !== null);
  return (
    <dl class="fields">
      {fields.map(([column, value]) => (
        <div key={column}>
          <dt><bdi>{titled(column)}</bdi></dt>
          <dd><Quantity value={value as Value} unit={unitOf(run, table, column)} at={`${path}.${column}`} /></dd>
        </div>
      ))}
    </dl>
  );
}

/** The rows of every table that contain this node. */
export function TableRows({node, run, runIndex}: Props) {
  const tables = Object.keys(run.report.tables).map(table => ({
    table,
    rows: rowsOf(run, table).map((row, i) => ({row, i})).filter(({row}) => Object.values(row).includes(node)),
  })).filter(({rows}) => rows.length);
  if (!tables.length) return null;
  return (
    <section>
      <h4>In tables</h4>
      {tables.map(({table, rows}) => (
        <Folded key={table} summary={<><bdi>{titleOf(run, table)}</bdi>{rows.length > 1 && <span class="count"> {rows.length} rows</span>}</>}>
          {() => rows.map(({row, i}) => (
            <Fields key={i} row={row} table={table} node={node} run={run} path={`runs.${runIndex}.report.tables.${table}.${i}`} />
          ))}
        </Folded>
      ))}
    </section>
  );
}
