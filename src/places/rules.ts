/** First path segments of the API, which `/<place url_name>/questions` must not shadow. */
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

const URL_NAME = /^[a-z0-9][a-z0-9-]{0,99}$/

/** Returns the reason why a place may not have this url_name; undefined if it may. */
export function validateUrlName(urlName: string): string | undefined {
  if (reservedUrlNames.has(urlName)) return `url_name "${urlName}" is taken by the API itself`
  if (!URL_NAME.test(urlName)) return 'url_name must be 1 to 100 small letters, digits and hyphens, and not begin with a hyphen'
  // GET /places/:id accepts both, and reads digits as an id.
  if (/^\d+$/.test(urlName)) return 'url_name must not be digits alone: those are ids'
  return undefined
}
