import { hashPassword as hash } from '../../src/http/identity/credentials.ts'

const hashes = new Map<string, Promise<string>>()

/** Returns the same hash for the same password, because hashing takes as long as creating ten rows. */
export function hashPassword(password: string): Promise<string> {
  const known = hashes.get(password) ?? hash(password)
  hashes.set(password, known)
  return known
}
