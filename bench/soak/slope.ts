/** The first ones warm up. */
const warmUp = 0.2;

/** By how much it rises with a thousand, by least squares. */
export function slope(samples: readonly (readonly [number, number])[]): number {
  const used = samples.slice(Math.floor(samples.length * warmUp));
  const mean = (at: 0 | 1): number => used.reduce((sum, sample) => sum + sample[at], 0) / used.length;
  const [x, y] = [mean(0), mean(1)];
  const over = used.reduce((sum, [count, value]) => sum + (count - x) * (value - y), 0);
  return (1000 * over) / used.reduce((sum, [count]) => sum + (count - x) ** 2, 0);
}
