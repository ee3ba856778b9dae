import {useEffect, useRef} from 'preact/hooks';
import type {Run, Section, Value} from '../document';
import {href, useAddress} from '../address';
import {Explanation} from '../explanation';
import {exact, titled} from '../quantity';
import {Quantity} from '../quantity_view';
import type {DrawingProps} from './drawing';
import {metricKey, metricLabel, metricUnit} from './rows';

function place(run: Run, key: string): number | undefined {
  const places = run.explanations.metrics;
  return Object.hasOwn(places, key) ? places[key] : undefined;
}

// Returns the documentation of a metric, and its exact value.
function tooltip(run: Run, at: number | undefined, value: Value | undefined, unit: string): string {
  const definition = at === undefined ? undefined : run.explanations.opened[at]?.definition;
  const doc = definition === undefined ? '' : run.explanations.definitions[definition]?.doc;
  return [doc, exact(value, unit)].filter(Boolean).join('\n');
}

interface MetricProps {
  run: Run;
  runIndex: number;
  id: string;
  label: string;
  open: boolean;
  view: string;
}

function Metric({run, runIndex, id, label, open, view}: MetricProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) element.current?.scrollIntoView({block: 'nearest'});
  }, [open]);
  const at = place(run, id);
  const key = metricKey(run, id) ?? id;
  const unit = metricUnit(run, key);
  const value = run.report[key] as Value | undefined;
  const link = href({view, item: open ? '' : id});
  return (
    <div class={open ? 'metric open' : 'metric'} ref={element}>
      <dt title={at === undefined ? undefined : tooltip(run, at, value, unit)}>
        {at === undefined ? <bdi>{label}</bdi> : <a href={link} aria-expanded={open}><bdi>{label}</bdi></a>}
      </dt>
      <dd><Quantity value={value} unit={unit} at={`runs.${runIndex}.report.${key}`} /></dd>
      {open && at !== undefined && <dd class="opened"><Explanation run={run} place={at} runIndex={runIndex} /></dd>}
    </div>
  );
}

// Returns the section that a link to a metric opens: the first one, because reports share metrics.
function opensIn(run: Run, id: string): Section | undefined {
  const reports = run.views.flatMap(view => view.drawings).flatMap(({draw, report}) => draw === 'numbers' && report !== undefined ? [report] : []);
  return reports.flatMap(report => sectionsOf(run, report)).find(({metrics}) => metrics.includes(id));
}

function sectionsOf(run: Run, report: string): Section[] {
  return Object.hasOwn(run.sections, report) ? run.sections[report]! : [];
}

function SectionList({section, run, runIndex}: {section: Section; run: Run; runIndex: number}) {
  const address = useAddress();
  const ids = section.metrics.filter(id => metricKey(run, id) !== undefined);
  const label = (id: string) => titled(section.labels?.[section.metrics.indexOf(id)] || metricLabel(run, id));
  if (ids.length === 0) return null;
  const opened = opensIn(run, address.item) === section ? address.item : '';
  return (
    <section class="figure">
      <h3><bdi>{section.title}</bdi></h3>
      <dl class="metrics">
        {ids.map(id => <Metric key={id} {...{run, runIndex, id}} label={label(id)} open={opened === id} view={address.view || 'numbers'} />)}
      </dl>
    </section>
  );
}

/** The metrics of a report by section; each expands to its explanation. */
export function NumbersDrawing({drawing, run, runIndex}: DrawingProps) {
  return <>{sectionsOf(run, drawing.report ?? '').map(section => <SectionList key={section.title} {...{section, run, runIndex}} />)}</>;
}
