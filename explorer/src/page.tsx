import {render} from 'preact';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {ExploreDocument, Run} from './document';
import {useAddress, type Address} from './address';
import {Explanation} from './explanation';
import {Header} from './header';
import {noRun} from './no_run';
import {textOf} from './packed';
import {titled} from './quantity';
import {TabList, tabsOf} from './tabs';

// An explained name from the address, shown above the view, unless the panel of a node shows it.
function Linked({run, runIndex, address}: {run: Run; runIndex: number; address: Address}) {
  const place = Number(address.options.get('name') || NaN);
  const node = run.explanations.nodes.find(({name}) => name === address.item);
  const shown = run.explanations.opened[place] && !(node && !node.brief && node.quantities.includes(place));
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

function Page({document}: {document: ExploreDocument}) {
  const address = useAddress();
  const requested = Number(address.options.get('run') ?? 0);
  const runIndex = document.runs[requested] ? requested : 0;
  const run = document.runs[runIndex] ?? noRun;
  const tabs = useMemo(() => tabsOf({document, run, runIndex}), [document, run, runIndex]);
  const current = tabs.find(({name}) => name === address.view) ?? tabs[0];
  useEffect(() => { window.document.body.dataset.ready = '1'; }, []);
  return (
    <>
      <Header document={document} run={run} runIndex={runIndex} />
      {current && <TabList tabs={tabs} current={current} />}
      <main>
        {current && (
          <div role="tabpanel" id="view" class="view" aria-labelledby={`tab-${current.name}`} key={`${runIndex} ${current.name}`}>
            <h2 class="unseen"><bdi>{titled(current.name)}</bdi></h2>
            <Linked run={run} runIndex={runIndex} address={address} />
            {current.content()}
          </div>
        )}
      </main>
    </>
  );
}

async function read(): Promise<ExploreDocument> {
  const element = document.getElementById('data') as HTMLScriptElement;
  const text = await textOf(element);
  element.remove();
  return JSON.parse(text) as ExploreDocument;
}

read().then(data => render(<Page document={data} />, document.getElementById('page')!), (error: unknown) => {
  document.getElementById('page')!.textContent = `This page cannot be read: ${String(error)}`;
});
