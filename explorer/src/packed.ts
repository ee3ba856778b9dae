/** The text of a script element that is no script: as it is, or of a large page in base64 of gzip. */
export async function textOf(element: HTMLScriptElement): Promise<string> {
  const text = element.textContent ?? '';
  if (element.type !== 'application/gzip') return text;
  const bytes = Uint8Array.from(atob(text.trim()), character => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
