import { randomUUID } from 'node:crypto'

/** Returns a request id from the random parts of a UUID, whose randomness Node reads in batches. */
export function newRequestId(): string {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(-8)
}
