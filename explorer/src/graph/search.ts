// Patterns of names as on the command line, such as `*.norm`. A pattern without a star matches names that contain it.

export function matcher(pattern: string): ((name: string) => boolean) | null {
  const wanted = pattern.trim().toLowerCase();
  if (!wanted) return null;
  if (!/[*?]/.test(wanted)) return name => name.toLowerCase().includes(wanted);
  const expression = wanted.replace(/[\\^$.|+()[\]{}]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
  const whole = new RegExp(`^${expression}$`, 'su');
  return name => whole.test(name.toLowerCase());
}
