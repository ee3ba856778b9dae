// Patterns of names as on the command line, such as `*.norm`. A pattern without a star matches names that contain it.

export function matcher(pattern: string): ((name: string) => boolean) | null {
  const text = pattern.trim().toLowerCase();
  if (!text) return null;
  if (!/[*?]/.test(text)) return name => name.toLowerCase().includes(text);
  const expression = text.replace(/[\\^$.|+()[\]{}]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
  const whole = new RegExp(`^${expression}$`, 'su');
  return name => whole.test(name.toLowerCase());
}
