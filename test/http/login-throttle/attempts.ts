import { vi } from 'vitest'

import { createCredentialCheck } from '../../../src/http/identity/credentials.ts'
import { FAILURES_FREE_MAX } from '../../../src/http/login-throttle/login-throttle.ts'
import type { TestApp } from '../../helpers/use-app.ts'
import { type AppOn, appOn, basic } from '../app-on.ts'

export const PASSWORD = 'correct horse'
export const OWNER_ADDRESS = '203.0.113.7'
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Returns a credential check without cache whose verification is counted and needs no argon2. */
export function createCountedCheck(db: TestApp['db']) {
  const verify = vi.fn(async (_hash: string, password: string) => password === PASSWORD)
  const check = createCredentialCheck(db, verify)
  return { verify, credentials: { ...check, findCached: async () => undefined } }
}

/** Starts another process behind a proxy that forwards client addresses. */
export const startProcess = (db: TestApp['db'], replace = {}, env = {}) =>
  appOn(db, { TRUST_PROXY: '1', RATE_LIMIT: '1000', ...env }, replace)

export const from = (address: string) => ({ 'x-forwarded-for': address })
let address = 0
/** Returns the header of a new client address each time. */
export const newAddress = () => from(`198.51.${Math.floor(++address / 250) % 250}.${(address % 250) + 1}`)

export const attemptLogin = ({ anonymous }: AppOn, email: string, headers: Record<string, string> = newAddress()) =>
  anonymous.get('/profile', { ...basic(email, `guess ${Math.random()}`), ...headers })

export const enter = ({ anonymous }: AppOn, email: string, headers: Record<string, string>) =>
  anonymous.get('/profile', { ...basic(email, PASSWORD), ...headers })

/** Sends wrong passwords from different addresses. @returns the status of each response */
export async function attack(one: AppOn, email: string, times = FAILURES_FREE_MAX): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) statuses.push((await attemptLogin(one, email)).status)
  return statuses
}
