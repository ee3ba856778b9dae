import type {ComponentChildren} from 'preact';
import type {ExploreDocument, Run, View} from './document';
import {go, href} from './address';
import {Folded} from './folded';
import {GraphView} from './graph/view';
import {nodesDrawing} from './graph/shares';
import {titled} from './quantity';
import {CompareView} from './views/compare';
import {DrawingView} from './views/drawing';
import {SpaceView} from './views/space';
import {TimelineView} from './views/timeline';

export interface Tab {
  name: string;
  content: () => ComponentChildren;
}

interface Shown {
  document: ExploreDocument;
  run: Run;
  runIndex: number;
}

function drawings({document, run, runIndex}: Shown, view: View | undefined) {
  const own = run.graph ? nodesDrawing(run) : null;
  return (view?.drawings ?? []).filter(drawing => drawing !== own)
    .map((drawing, i) => <DrawingView key={i} drawing={drawing} run={run} runIndex={runIndex} document={document} />);
}

function graphTab(shown: Shown, view: View | undefined): Tab {
  return {
    name: 'graph',
    content: () => {
      const below = drawings(shown, view);
      return (
        <>
          <GraphView {...shown} />
          {below.length > 0 && <Folded class="below" summary="Tables">{() => below}</Folded>}
        </>
      );
    },
  };
}

/** Returns the tabs of a document in the order of its views. A graph without a view comes first, the timeline after the graph. */
export function tabsOf(shown: Shown): Tab[] {
  const {document, run} = shown;
  const tabs: Tab[] = [];
  if (run.graph && !run.views.some(({name}) => name === 'graph')) tabs.push(graphTab(shown, undefined));
  for (const view of run.views) {
    if (run.graph && view.name === 'graph') tabs.push(graphTab(shown, view));
    else if (drawings(shown, view).length > 0) tabs.push({name: view.name, content: () => drawings(shown, view)});
  }
  if (run.timeline) {
    tabs.splice(tabs.findIndex(({name}) => name === 'graph') + 1, 0, {name: 'timeline', content: () => <TimelineView {...shown} />});
  }
  if (document.differences) tabs.push({name: 'compare', content: () => <CompareView {...shown} />});
  if (document.space) tabs.unshift({name: 'space', content: () => <SpaceView {...shown} />});
  return tabs;
}

interface Props {
  tabs: Tab[];
  current: Tab;
}

function keyTarget(tabs: Tab[], current: Tab, key: string): Tab | undefined {
  const at = tabs.indexOf(current);
  switch (key) {
    case 'ArrowRight': return tabs[(at + 1) % tabs.length];
    case 'ArrowLeft': return tabs[(at + tabs.length - 1) % tabs.length];
    case 'Home': return tabs[0];
    case 'End': return tabs.at(-1);
    default: return undefined;
  }
}

export function TabList({tabs, current}: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyTarget(tabs, current, event.key);
    if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go({view: to.name});
    window.document.getElementById(`tab-${to.name}`)?.focus();
  };
  return (
    <nav class="tabs" aria-label="Views"><div role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {tabs.map(tab => (
        <a key={tab.name} role="tab" id={`tab-${tab.name}`} href={href({view: tab.name})} aria-selected={tab === current}
          aria-controls={tab === current ? 'view' : undefined} tabIndex={tab === current ? 0 : -1}><bdi>{titled(tab.name)}</bdi></a>
      ))}
    </div></nav>
  );
}
