import type {ExploreDocument, Run} from './document';
import {href, useAddress} from './address';
import {Quantity} from './quantity_view';
import {CopyButton} from './views/copy_button';
import {metricKey, metricLabel, metricUnit} from './views/rows';

interface Props {
  document: ExploreDocument;
  run: Run;
  runIndex: number;
}

/** What each section begins with is what it is about. */
function headlines(run: Run): string[] {
  const [first] = Object.values(run.sections);
  return (first ?? []).flatMap(({metrics}) => metrics.slice(0, 1)).slice(0, 8);
}

function Headlines({run, runIndex}: {run: Run; runIndex: number}) {
  const {report} = run;
  const entries = headlines(run).map(id => ({id, key: metricKey(run, id)})).filter(({key}) => key !== undefined && typeof report[key] === 'number');
  if (!entries.length) return null;
  return (
    <dl class="headlines">
      {entries.map(({id, key}) => (
        <div key={id}>
          <dt><bdi>{metricLabel(run, key!)}</bdi></dt>
          <dd>
            <Quantity value={report[key!] as number} unit={metricUnit(run, key!)} at={`runs.${runIndex}.report.${key}`}
              link={href({view: 'numbers', item: id})} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Violations({run}: {run: Run}) {
  const {violations} = run.report;
  if (!violations.length) return null;
  return (
    <div class="violations" role="note" aria-label="Limits that do not hold">
      <ul>{violations.map(({message}, i) => <li key={i}><bdi>{message}</bdi></li>)}</ul>
    </div>
  );
}

/** The words of a command that another lacks. */
function ownWords(command: string, other: string): string {
  const known = new Set(other.split(' '));
  return command.split(' ').filter(word => !known.has(word)).join(' ');
}

/** Which of the runs that the page holds is shown. */
function Runs({document, runIndex}: Props) {
  const address = useAddress();
  if (document.runs.length < 2) return null;
  return (
    <nav class="runs" aria-label="Runs">
      {document.runs.map(({command}, i) => (
        <a key={i} href={href({...address, options: new Map(address.options).set('run', String(i))})} title={command} aria-current={i === runIndex ? 'true' : undefined}>
          Run {i + 1}{i > 0 && <bdi> {ownWords(command, document.runs[0]!.command)}</bdi>}
        </a>
      ))}
    </nav>
  );
}

export function Header(props: Props) {
  const {document, run, runIndex} = props;
  return (
    <header class="page-header">
      <div class="title">
        <h1><a href="#"><bdi>{document.title}</bdi></a></h1>
        <Runs {...props} />
        <div class="command">
          <code title={`opledger eval ${run.command}`}><bdi>opledger eval {run.command}</bdi></code>
          <CopyButton text={() => `opledger eval ${run.command}`} label="Copy" of="the command" />
        </div>
      </div>
      <Headlines run={run} runIndex={runIndex} />
      <Violations run={run} />
    </header>
  );
}
