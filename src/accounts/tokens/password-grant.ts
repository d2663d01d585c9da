import { Problem } from '../../errors/problems.ts'

/** Error response (RFC 6749, 5.2). */
export interface GrantError {
  readonly error: 'invalid_request' | 'unsupported_grant_type' | 'invalid_grant'
  readonly error_description: string
}

const CREDENTIAL_MAX = 500

export function readGrant(body: { readonly grant_type?: unknown; readonly username?: unknown; readonly password?: unknown }) {
  const { grant_type, username, password } = body
  if (grant_type === undefined) return grantError('invalid_request', 'grant_type is missing: it must be password.')
  if (grant_type !== 'password') return grantError('unsupported_grant_type', 'The only grant_type is password.')
  if (!isCredential(username))
    return grantError('invalid_request', 'username must be given once: an e-mail address of the account.')
  if (!isCredential(password)) return grantError('invalid_request', 'password must be given once.')
  return { username, password }
}

export function toGrantError(error: unknown): GrantError {
  if (error instanceof Problem && error.status === 401) return grantError('invalid_grant', error.message)
  throw error
}

const isCredential = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= CREDENTIAL_MAX

const grantError = (error: GrantError['error'], error_description: string): GrantError => ({ error, error_description })
