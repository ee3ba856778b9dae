import {Fragment} from 'preact';
import type {ExploreDocument, Run} from './document';
import {href, useAddress} from './address';
import {Quantity} from './quantity_view';
import {CopyButton} from './views/copy_button';
import {metricKey, metricUnit} from './views/rows';

interface Props {
  document: ExploreDocument;
  run: Run;
  runIndex: number;
}

// Returns the main figures, or the metrics of the first section.
function headlines(run: Run): Run['headline'] {
  if (run.headline.length) return run.headline;
  const [first] = Object.values(run.sections).flat();
  return (first?.metrics ?? []).map((metric, i) => ({metric, label: first!.labels[i] ?? metric}));
}

interface Entry {
  metric: string;
  label: string;
  key: string;
}

// Groups main figures that are read together: the figure called `of` continues the previous one.
function groupsOf(run: Run): Entry[][] {
  const groups: Entry[][] = [];
  for (const {metric, label} of headlines(run)) {
    const key = metricKey(run, metric);
    if (key === undefined || typeof run.report[key] !== 'number') continue;
    const last = label === 'of' ? groups.at(-1) : undefined;
    if (last) last.push({metric, label, key});
    else groups.push([{metric, label, key}]);
  }
  return groups;
}

function Headlines({run, runIndex}: {run: Run; runIndex: number}) {
  const groups = groupsOf(run);
  if (!groups.length) return null;
  return (
    <dl class="headlines">
      {groups.map(entries => (
        <div key={entries[0]!.metric}>
          {entries.map(({metric, label, key}) => (
            <Fragment key={metric}>
              <dt><bdi>{label}</bdi></dt>
              <dd>
                <Quantity value={run.report[key] as number} unit={metricUnit(run, key)} at={`runs.${runIndex}.report.${key}`}
                  link={href({view: 'numbers', item: metric})} />
              </dd>
            </Fragment>
          ))}
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

// Returns the words of a command that are missing in the other command.
function ownWords(command: string, other: string): string {
  const words = (text: string) => text.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  const known = new Set(words(other));
  return words(command).filter(word => !known.has(word)).join(' ');
}

// A selector of the shown run.
function Runs({document, runIndex}: Props) {
  const address = useAddress();
  if (document.runs.length < 2) return null;
  return (
    <nav class="runs" aria-label="Runs">
      {document.runs.map(({command}, i) => (
        <a key={i} title={command} aria-current={i === runIndex ? 'true' : undefined}
          href={href({...address, options: new Map(address.options).set('run', String(i))})}>
          Run {i + 1}{i > 0 && <bdi> {ownWords(command, document.runs[0]!.command)}</bdi>}
        </a>
      ))}
    </nav>
  );
}

export function Header(props: Props) {
  const {document, run, runIndex} = props;
  const words = run.command || document.space?.about;
  return (
    <header class="page-header">
      <div class="title">
        <h1><a href="#"><bdi>{document.title}</bdi></a></h1>
        <Runs {...props} />
        {words && (
          <div class="command">
            <code title={`opledger ${words}`}><bdi>opledger {words}</bdi></code>
            <CopyButton text={() => `opledger ${words}`} label="Copy" of="the command" />
          </div>
        )}
      </div>
      <Headlines run={run} runIndex={runIndex} />
      <Violations run={run} />
    </header>
  );
}
