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
  if (reservedUrlNames.has(urlName)) return `url_name "${urlName}" is reserved: it is a path of the API`
  if (!URL_NAME.test(urlName)) return 'url_name must be 1 to 100 lowercase letters, digits and hyphens, and not begin with a hyphen'
  // GET /places/:id accepts both and interprets digits as an id.
  if (/^\d+$/.test(urlName)) return 'url_name must not consist of digits only: such paths are ids'
  return undefined
}
