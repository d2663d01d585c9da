/** Returns a number from 0 to less than 1 that depends only on the arguments (an integer hash, after MurmurHash3). */
export function hashNoise(...keys: readonly number[]): number {
  let hash = 0x9747b28c
  for (const key of keys) {
    hash = Math.imul(hash ^ Math.imul(key | 0, 0xcc9e2d51), 0x1b873593)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** Returns value noise from 0 to 1: it changes smoothly over a distance of 1. */
export function smoothNoise(x: number, y: number, seed: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)]
  const ease = (part: number) => part * part * (3 - 2 * part)
  const [right, up] = [ease(x - column), ease(y - row)]
  const mix = (low: number, high: number, part: number) => low + (high - low) * part
  const corner = (dx: number, dy: number) => hashNoise(seed, column + dx, row + dy)
  return mix(mix(corner(0, 0), corner(1, 0), right), mix(corner(0, 1), corner(1, 1), right), up)
}
