import {useState} from 'preact/hooks';
import type {ExploreDocument, Report, Row, Run} from '../document';
import {DataTable} from '../table';
import {Changes} from './changes';
import {docOf, textOf, titleOf} from './rows';
import {nodeLink} from './table_body';
import type {ViewProps} from './timeline';

const units = {change: 'share', part: 'share'};

// Returns the columns with a value in at least one row.
function filledColumns(rows: Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) if (value !== '' && value !== null) names.add(name);
  }
  return [...names];
}

// Names of rows begin with their node: `decoder.moe.gate forward time`.
function linkOf(run: Run): (row: Row, column: string) => string | undefined {
  return (row, column) => column === 'name' ? nodeLink(run, textOf(row, 'name').split(' ')[0]) : undefined;
}

function Reasons({differences, run, tables}: {differences: Report; run: Run; tables: string[]}) {
  return (
    <>
      {tables.map(name => {
        const rows = differences.tables[name]!;
        const doc = docOf(run, name) || (differences.notes && Object.hasOwn(differences.notes, name) ? differences.notes[name]!.join(' ') : '');
        return <DataTable key={name} {...{rows, name, doc, units}} columns={filledColumns(rows)} path={`differences.tables.${name}`}
          caption={titleOf(run, name)} linkOf={linkOf(run)} />;
      })}
    </>
  );
}

function Commands({document}: {document: ExploreDocument}) {
  return (
    <ol class="commands">
      {document.runs.slice(0, 2).map((run, index) => (
        <li key={index}>
          <code><bdi>opledger {run.command}</bdi></code>
          {run.report.violations.map(({message}, i) => <div key={i} class="violated"><bdi>{message}</bdi></div>)}
        </li>
      ))}
    </ol>
  );
}

/** The comparison of two runs: changed inputs, changed metrics, and their reasons. */
export function CompareView({document}: ViewProps) {
  const [first, second] = document.runs;
  const [every, setEvery] = useState(false);
  const {differences} = document;
  if (!first || !second) return null;
  const names = Object.keys(differences?.tables ?? {}).filter(name => name !== 'against' && differences!.tables[name]!.length > 0);
  const inputs = names.filter(name => name === 'inputs');
  const reasons = names.filter(name => name !== 'inputs' && name !== 'metrics');
  return (
    <>
      <Commands document={document} />
      {differences && <Reasons differences={differences} run={first} tables={inputs} />}
      <section class="figure tabular">
        <div class="heading">
          <h3>Metrics of both</h3>
          <div class="tools">
            <button type="button" class="quiet" aria-pressed={every} onClick={() => setEvery(!every)}>With unchanged metrics</button>
          </div>
        </div>
        <Changes {...{first, second, every}} />
      </section>
      {differences && <Reasons differences={differences} run={first} tables={reasons} />}
    </>
  );
}
