/** What stands first in paths of the API: `/<place url_name>/questions` must never be taken for one of them. */
export const reservedUrlNames: ReadonlySet<string> = new Set([
  'answers',
  'comments',
  'emails',
  'issues',
  'moderation',
  'oauth',
  'organizations',
  'passwords',
  'places',
  'profile',
  'questions',
  'request_types',
  'tokens',
  'users',
  'watchers',
])

const SHAPE = /^[a-z0-9][a-z0-9-]{0,99}$/

/** Why a place may not be called that in addresses; undefined when it may. */
export function urlNameFault(urlName: string): string | undefined {
  if (reservedUrlNames.has(urlName)) return `url_name "${urlName}" is taken by the API itself`
  if (!SHAPE.test(urlName)) return 'url_name must be 1 to 100 small letters, digits and hyphens, and not begin with a hyphen'
  // GET /places/:id takes both, and digits are an id.
  if (/^\d+$/.test(urlName)) return 'url_name must not be digits alone: those are ids'
  return undefined
}
