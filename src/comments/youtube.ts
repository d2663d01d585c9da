const HOSTS = new Set([
  'youtube.com',
  'www.youtube.com',
  'm.youtube.com',
  'music.youtube.com',
  'www.youtube-nocookie.com',
  'youtu.be',
])
const VIDEO_ID = /^[\w-]{11}$/

/** Returns the canonical URL of a YouTube video without tracking parameters, or undefined for other links. Sends no request. */
export function parseVideoUrl(link: string): string | undefined {
  const trimmed = link.trim()
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`)
  if (!url || !HOSTS.has(url.hostname) || url.port !== '' || url.username !== '' || url.password !== '') return undefined
  const [first = '', second = ''] = url.pathname.split('/').slice(1)
  const isWatchPage = first === 'watch'
  const id = url.hostname === 'youtu.be' ? first : isWatchPage ? url.searchParams.get('v') : PATHS.has(first) ? second : null
  return id !== null && VIDEO_ID.test(id) ? `https://www.youtube.com/watch?v=${id}` : undefined
}

const PATHS = new Set(['shorts', 'embed', 'live', 'v'])
