import {useState} from 'preact/hooks';
import type {Child, ExplainedName, Run} from './document';
import {href} from './address';
import {DefinitionText} from './definition';
import {Shown, textOf} from './shown';

interface Props {
  run: Run;
  place: number;  // Index in explanations.opened.
  runIndex: number;
}

interface PartProps extends Omit<Props, 'place'> {
  of: ExplainedName;
  at: string;  // Path of the value in the document.
  place?: number | undefined;
}

function pointText(point: ExplainedName['point']): string {
  return Object.entries(point ?? {}).map(([, value]) => value).join(' ');
}

// Returns the link to an explained name: to its metric, to the node that has the quantity, or to the name alone.
function addressOf({explanations: {metrics, nodes}}: Run, place: number): string {
  const metric = Object.entries(metrics).find(([, at]) => at === place);
  if (metric) return href({view: 'numbers', item: metric[0]});
  const node = nodes.find(one => !one.brief && one.quantities.includes(place));
  return href({view: node ? 'graph' : 'numbers', item: node?.name ?? '', options: {name: String(place)}});
}

function Label({of: {kind, name, point, joined_by: joined}}: {of: ExplainedName}) {
  const at = pointText(point);
  return (
    <span class="label">
      {kind === 'terms' && joined && <span class="joined">{joined} over </span>}
      <bdi class={kind === 'term' ? 'term' : 'symbol'}>{name}</bdi>
      {at && <span class="point"> [<bdi>{at}</bdi>]</span>}
    </span>
  );
}

function Arguments({of, at}: PartProps) {
  if (!of.arguments?.length) return null;
  return (
    <ul class="arguments">
      {of.arguments.map((argument, i) => (
        <li key={i}><bdi class="symbol">{argument.name}</bdi> = <Shown of={argument} at={`${at}.arguments.${i}.value`} /></li>
      ))}
    </ul>
  );
}

// A note about a name without details on this page, with the command that explains it.
function Elsewhere({of, run}: {of: ExplainedName; run: Run}) {
  const words = run.command.startsWith('eval ') ? run.command.slice('eval '.length) : '';
  return <p class="because">Its operands are not on this page{words && <>: <code><bdi>opledger explain {words} {of.name}</bdi></code></>}.</p>;
}

// The formula and operands of a value.
function Details(props: PartProps) {
  const {of, at, run, runIndex, place} = props;
  const definition = of.definition === undefined ? undefined : run.explanations.definitions[of.definition];
  return (
    <div class="details">
      {definition && <DefinitionText definition={definition} link={place === undefined ? undefined : addressOf(run, place)} />}
      {of.put_in && of.put_in !== textOf(of) && <div class="put-in"><span>= </span><code><bdi>{of.put_in}</bdi></code></div>}
      {of.because && <p class="because"><bdi>{of.because}</bdi></p>}
      <Arguments {...props} />
      {place === undefined && of.kind === 'name' && !of.children && <Elsewhere of={of} run={run} />}
      <Children of={of} at={at} run={run} runIndex={runIndex} />
    </div>
  );
}

function Children({of, at, run, runIndex}: PartProps) {
  if (!of.children?.length && !of.more) return null;
  return (
    <ul class="parts">
      {of.children?.map((child, i) => <li key={i}><Part child={child} at={`${at}.children.${i}`} run={run} runIndex={runIndex} /></li>)}
      {of.more && (
        <li class="more-terms">{of.more.terms} more{of.more.value !== undefined && <>: <Shown of={of.more} at={`${at}.more.value`} /></>}</li>
      )}
    </ul>
  );
}

function canOpen(of: ExplainedName): boolean {
  return Boolean(of.children?.length || of.definition !== undefined || of.arguments?.length || of.because || of.more);
}

function Part({child, at, run, runIndex}: {child: Child; at: string; run: Run; runIndex: number}) {
  const place = typeof child === 'number' ? child : undefined;
  const of = typeof child === 'number' ? run.explanations.opened[child] : child;
  const where = place === undefined ? at : `runs.${runIndex}.explanations.opened.${place}`;
  // Sums are expanded from the start, which saves a click.
  const [open, setOpen] = useState(of?.kind === 'terms');
  if (!of) return null;
  const line = <><Label of={of} /><Shown of={of} at={`${where}.value`} /></>;
  return (
    <>
      {canOpen(of)
        ? <button type="button" class="part" aria-expanded={open} onClick={() => setOpen(!open)}>{line}</button>
        : <span class="part">{line}</span>}
      {open && <Details of={of} at={where} run={run} runIndex={runIndex} place={place} />}
    </>
  );
}

/** A number with its formula, the formula with values, and its operands, which expand by a click. */
export function Explanation({run, place, runIndex}: Props) {
  const of = run.explanations.opened[place];
  if (!of) return null;
  const at = `runs.${runIndex}.explanations.opened.${place}`;
  return (
    <div class="explanation">
      <div class="part whole"><Label of={of} /><Shown of={of} at={`${at}.value`} /></div>
      <Details of={of} at={at} run={run} runIndex={runIndex} place={place} />
    </div>
  );
}
