// Large lists of the document, which are stored separately in the page. A view reads the lists that it needs, so the
// page of a model with thousands of segments opens without reading all of them.
import type {ExploreDocument} from './document';
import {textOf} from './packed';

type Owner = {[key: string | number]: unknown};

let readCharacters = 0;

/** Returns the JSON of an element. */
export async function readJson(element: HTMLScriptElement): Promise<unknown> {
  const text = await textOf(element);
  element.remove();
  readCharacters += text.length;
  return JSON.parse(text);
}

/** Returns the number of characters of JSON that were read until now. */
export function charactersRead(): number {
  return readCharacters;
}

/** A list that is not read yet. Access to its place in the document throws it; `Awaited` catches it and reads the list. */
export class PendingList {
  private reading: Promise<void> | undefined;

  constructor(private readonly element: HTMLScriptElement, private readonly owner: Owner, private readonly key: string | number) {
    Object.defineProperty(owner, key, {configurable: true, enumerable: true, get: () => { throw this; }});
  }

  read(): Promise<void> {
    return this.reading ??= readJson(this.element).then(value => {
      Object.defineProperty(this.owner, this.key, {configurable: true, enumerable: true, writable: true, value});
    });
  }
}

/** Returns the lists that the document refers to, and marks their places as pending. */
export function pendingLists(data: ExploreDocument): PendingList[] {
  return [...document.querySelectorAll<HTMLScriptElement>('script.list')].map(element => {
    const place = JSON.parse(element.dataset.place!) as (string | number)[];
    const owner = place.slice(0, -1).reduce((at, step) => at[step] as Owner, data as unknown as Owner);
    return new PendingList(element, owner, place.at(-1)!);
  });
}
