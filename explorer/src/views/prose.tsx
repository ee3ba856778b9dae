/** A text with names between backquotes. */
export function Prose({text}: {text: string}) {
  const parts = text.split('`');
  const isName = (index: number) => index % 2 === 1 && index < parts.length - 1;
  return <bdi>{parts.map((part, index) => isName(index) ? <code key={index}>{part}</code> : part)}</bdi>;
}
