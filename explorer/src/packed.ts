/** Returns the text of a data element: plain, or, in a large page, decompressed from base 64 and gzip. */
export async function textOf(element: HTMLScriptElement): Promise<string> {
  const text = element.textContent ?? '';
  if (element.type !== 'application/gzip') return text;
  const bytes = Uint8Array.from(atob(text.trim()), character => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
