import {render} from 'preact';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {ExploreDocument, Run} from './document';
import {useAddress, type Address} from './address';
import {Explanation} from './explanation';
import {Header} from './header';
import {Awaited} from './awaited';
import {charactersRead, pendingLists, readJson, type PendingList} from './lists';
import {noRun} from './no_run';
import {titled} from './quantity';
import {TabList, tabsOf} from './tabs';

// An explained name from the address, shown above the view, unless the panel of a node shows it.
function Linked({run, runIndex, address}: {run: Run; runIndex: number; address: Address}) {
  const place = Number(address.options.get('name') || NaN);
  const node = Number.isNaN(place) ? undefined : run.explanations.nodes.find(({name}) => name === address.item);
  const shown = !Number.isNaN(place) && run.explanations.opened[place] && !(node && !node.brief && node.quantities.includes(place));
  const section = useRef<HTMLElement>(null);
  useEffect(() => {  // Links to explanations are often at the bottom of the page.
    section.current?.scrollIntoView({block: 'nearest'});
    section.current?.focus({preventScroll: true});
  }, [place, shown]);
  if (!shown) return null;
  return (
    <section class="linked" aria-label="Explanation" ref={section} tabIndex={-1}>
      <Explanation key={place} run={run} place={place} runIndex={runIndex} />
    </section>
  );
}

// Marks the page as ready once the first view is drawn, and reads the other lists afterwards: a later view, the search and
// printing need not wait then. The marks hold the number of characters of JSON that were read.
function Ready({lists}: {lists: PendingList[]}) {
  useEffect(() => {
    const {dataset} = window.document.body;
    if (dataset.ready) return;
    const readAll = async () => {
      for (const list of lists) await list.read();
      dataset.complete = String(charactersRead());
    };
    dataset.ready = String(charactersRead());
    void readAll();
  }, []);
  return null;
}

function Page({document, lists}: {document: ExploreDocument; lists: PendingList[]}) {
  const address = useAddress();
  const requested = Number(address.options.get('run') ?? 0);
  const runIndex = document.runs[requested] ? requested : 0;
  const run = document.runs[runIndex] ?? noRun;
  const tabs = useMemo(() => tabsOf({document, run, runIndex}), [document, run, runIndex]);
  const current = tabs.find(({name}) => name === address.view) ?? tabs[0];
  return (
    <>
      <Header document={document} run={run} runIndex={runIndex} />
      {current && <TabList tabs={tabs} current={current} />}
      <main>
        <Awaited key={`${runIndex} ${current?.name}`}>{() => (
          <>
            {current && (
              <div role="tabpanel" id="view" class="view" aria-labelledby={`tab-${current.name}`}>
                <h2 class="unseen"><bdi>{titled(current.name)}</bdi></h2>
                <Linked run={run} runIndex={runIndex} address={address} />
                {current.content()}
              </div>
            )}
            <Ready lists={lists} />
          </>
        )}</Awaited>
      </main>
    </>
  );
}

async function show(): Promise<void> {
  const data = await readJson(document.getElementById('data') as HTMLScriptElement) as ExploreDocument;
  render(<Page document={data} lists={pendingLists(data)} />, document.getElementById('page')!);
}

show().catch((error: unknown) => {
  document.getElementById('page')!.textContent = `This page cannot be read: ${String(error)}`;
});
