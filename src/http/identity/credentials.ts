import { hash, verify as argon2Verify } from '@node-rs/argon2'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

import type { Executable } from '../../database/database.ts'
import {
  findPassword,
  findViewer,
  findViewerBySession,
  findViewerByToken,
  listPasswordsByEmail,
  LOGIN_ACCOUNTS_MAX,
  type Password,
  type Viewer,
} from './viewer-queries.ts'
import { limitConcurrency } from '../request/request-limit.ts'
import { touchSession } from './session-queries.ts'

/** Parameters of argon2id as OWASP recommends: 19 MiB, two passes, one lane. */
const ARGON2ID = 2
const argon2 = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** The hash of a random text. An unknown account takes the same time as a known one. */
const UNKNOWN_HASH = '$argon2id$v=19$m=19456,t=2,p=1$9DoaltGS6gFe6hYjyD6BmA$J7JNAW0YEeILxGZAFoNDEImDOiMg6Pdy8r8If1AaYn4'

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), argon2)
}

/** A plain hash is sufficient for tokens because they have 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

export function newToken(): string {
  return `fxp_${newSecret()}`
}

/** Returns 256 random bits as 43 characters (base64url). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

const CACHE_MS = 60_000
const CACHE_MAX = 10_000

/** A password check takes some 30 ms of a core. Two at a time leave cores to others during an attack from many IP addresses. */
const HASHING_LIMITS = { concurrency: 2, queueMax: 200, waitMaxMs: 5_000 }

export interface CredentialCheck {
  /** Returns a keyed hash of a secret. It is stable within this process only. */
  keyedHash(...parts: readonly string[]): string
  /** Returns the user of credentials that were right within the last minute, without the cost of argon2. */
  findCached(email: string, password: string): Promise<Viewer | undefined>
  /** Returns the oldest account whose password matches. `trustingUserIds` are checked even if too many accounts have the address. */
  byPassword(email: string, password: string, trustingUserIds?: readonly number[]): Promise<Viewer | undefined>
  byOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  byToken(token: string): Promise<Viewer | undefined>
  /** Returns the owner of a session that has not expired, and extends the session. */
  bySession(secret: string): Promise<Viewer | undefined>
}

/** Right passwords are cached for a minute, with the version of the credentials: a password change invalidates them. */
export function createCredentialCheck(
  db: Executable,
  verify: (hash: string, password: string) => Promise<boolean> = argon2Verify,
): CredentialCheck {
  const key = randomBytes(32)
  const cache = new LRUCache<string, { userId: number; version: number }>({ max: CACHE_MAX, ttl: CACHE_MS })
  const keyedHash = (...parts: readonly string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64')
  const limitHashing = limitConcurrency(HASHING_LIMITS)

  async function check(account: Password | undefined, password: string): Promise<Viewer | undefined> {
    const isRight = await limitHashing(() => verify(account?.hash ?? UNKNOWN_HASH, password.normalize('NFC')))
    if (!isRight || !account?.hash) return undefined
    const viewer = await findViewer(db, account.id)
    // The verified password is wrong if it was changed in the meantime.
    return viewer?.credentialsVersion === account.version ? viewer : undefined
  }

  return {
    keyedHash,

    async findCached(email, password) {
      const cacheKey = keyedHash(email, password)
      const cached = cache.get(cacheKey)
      if (!cached) return undefined
      const viewer = await findViewer(db, cached.userId)
      if (viewer?.credentialsVersion === cached.version) return viewer
      cache.delete(cacheKey)
      return undefined
    },

    async byPassword(email, password, trustingUserIds = []) {
      const accounts = await listPasswordsByEmail(db, email, trustingUserIds)
      // A constant number of checks hides how many accounts have the e-mail address.
      const checks = accounts.length > 1 ? LOGIN_ACCOUNTS_MAX : 1
      let viewer: Viewer | undefined
      for (let n = 0; n < checks; n++) {
        const found = await check(accounts[n], password)
        viewer ??= found
      }
      if (viewer) cache.set(keyedHash(email, password), { userId: viewer.id, version: viewer.credentialsVersion })
      return viewer
    },

    byOwnPassword: async (userId, password) => check(await findPassword(db, userId), password),

    byToken: (token) => findViewerByToken(db, hashToken(token)),

    async bySession(secret) {
      const hash = hashToken(secret)
      const found = await findViewerBySession(db, hash)
      if (!found) return undefined
      const { needsTouch, ...viewer } = found
      // Users stay logged in while the database is read-only.
      if (needsTouch) await touchSession(db, hash).catch(() => undefined)
      return viewer
    },
  }
}
