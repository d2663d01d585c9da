const HOSTS = new Set([
  'youtube.com',
  'www.youtube.com',
  'm.youtube.com',
  'music.youtube.com',
  'www.youtube-nocookie.com',
  'youtu.be',
])
const VIDEO_ID = /^[\w-]{11}$/

/**
 * The address of the video that a link leads to, and nothing else of the link: neither what tracks people nor anything that is no video.
 * Undefined where it is not one of YouTube. Nothing is fetched.
 */
export function videoUrlOf(link: string): string | undefined {
  const text = link.trim()
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || !HOSTS.has(url.hostname) || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  const [first = '', second = ''] = url.pathname.split('/').slice(1)
  const isWatched = first === 'watch'
  const id = url.hostname === 'youtu.be' ? first : isWatched ? url.searchParams.get('v') : PATHS.has(first) ? second : null
  return id !== null && VIDEO_ID.test(id) ? `https://www.youtube.com/watch?v=${id}` : undefined
}

/** Under these the id of a video follows in the path. */
const PATHS = new Set(['shorts', 'embed', 'live', 'v'])
