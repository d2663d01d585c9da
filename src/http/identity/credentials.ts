import { hash, verify as argon2Verify } from '@node-rs/argon2'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

import type { Queryable } from '../../database/database.ts'
import {
  findPassword,
  findViewer,
  findViewerBySession,
  findViewerByToken,
  listPasswordsByEmail,
  LOGINS_MAX,
  type Password,
  type Viewer,
} from './viewer-queries.ts'
import { limitConcurrency } from '../request/concurrency-limit.ts'
import { noteSessionUse } from './session-queries.ts'

/** argon2id with OWASP's first choice of parameters: 19 MiB, two passes, one lane. */
const ARGON2ID = 2
const argon2 = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), argon2)
}

/** Tokens have 256 random bits, so one plain hash is enough to keep them. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

export function newToken(): string {
  return `fxp_${newSecret()}`
}

/** 256 random bits, as 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

const REMEMBER_MS = 60_000
const REMEMBER_MAX = 10_000

/**
 * A password takes some 30 ms of a core, which guessers at many addresses could take all of. Two at once is some 60 a second; who would
 * wait longer than a page may take is told to come back.
 */
const HASHING = { atOnce: 2, waitingMax: 200, waitMaxMs: 5_000 }

export interface CredentialCheck {
  /** Names a secret without telling it: the same within this process, another one in every other. */
  nameOf(...parts: readonly string[]): string
  /** Whoever gave this very pair within the last minute, without the cost of argon2. */
  recall(email: string, password: string): Promise<Viewer | undefined>
  /**
   * The oldest account whose password fits, of those that the address logs in to.
   * @param familiar ids of accounts that know the client, which are checked wherever too many claim the address
   */
  byPassword(email: string, password: string, familiar?: readonly number[]): Promise<Viewer | undefined>
  /** Of whoever is logged in already and says their password once more. */
  byOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  byToken(token: string): Promise<Viewer | undefined>
  /** The owner of a session that has not ended; notes that it is in use. */
  bySession(secret: string): Promise<Viewer | undefined>
}

/**
 * Checks credentials against the database. A right pair is remembered for a minute, under an HMAC with a key that only this
 * process has, together with the credentials' version: a changed password ends it at once.
 * @param verify argon2's; tests count how often it is asked
 */
export function credentialCheck(
  db: Queryable,
  verify: (hash: string, password: string) => Promise<boolean> = argon2Verify,
): CredentialCheck {
  const key = randomBytes(32)
  const remembered = new LRUCache<string, { userId: number; version: number }>({ max: REMEMBER_MAX, ttl: REMEMBER_MS })
  const nameOf = (...parts: readonly string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64')
  const hashing = limitConcurrency(HASHING)
  // Whoever has no account waits as long as who has one.
  const nobodysHash = hashPassword(randomBytes(16).toString('hex'))

  async function check(account: Password | undefined, password: string): Promise<Viewer | undefined> {
    const known = account?.hash ?? (await nobodysHash)
    const right = await hashing(() => verify(known, password.normalize('NFC')))
    if (!right || !account?.hash) return undefined
    const viewer = await findViewer(db, account.id)
    // Where the password was changed meanwhile, the one that was verified is wrong by now.
    return viewer?.credentialsVersion === account.version ? viewer : undefined
  }

  return {
    nameOf,

    async recall(email, password) {
      const pair = nameOf(email, password)
      const known = remembered.get(pair)
      if (!known) return undefined
      const viewer = await findViewer(db, known.userId)
      if (viewer?.credentialsVersion === known.version) return viewer
      remembered.delete(pair)
      return undefined
    },

    async byPassword(email, password, familiar = []) {
      const accounts = await listPasswordsByEmail(db, email, familiar)
      // The same number of checks for two accounts as for four: the time does not reveal how many claim the address.
      const checks = accounts.length > 1 ? LOGINS_MAX : 1
      let viewer: Viewer | undefined
      for (let turn = 0; turn < checks; turn++) {
        const found = await check(accounts[turn], password)
        viewer ??= found
      }
      if (viewer) remembered.set(nameOf(email, password), { userId: viewer.id, version: viewer.credentialsVersion })
      return viewer
    },

    byOwnPassword: async (userId, password) => check(await findPassword(db, userId), password),

    byToken: (token) => findViewerByToken(db, hashToken(token)),

    async bySession(secret) {
      const hash = hashToken(secret)
      const found = await findViewerBySession(db, hash)
      if (!found) return undefined
      const { isUseOld, ...viewer } = found
      // A database that takes no writes for a while logs nobody out.
      if (isUseOld) await noteSessionUse(db, hash).catch(() => undefined)
      return viewer
    },
  }
}
