import { text, type Text } from '../../locales/texts.ts'

/** Returns why a `media_url` is refused, or undefined for https addresses of the hosts, one in each line. Nothing is ever fetched from them. */
export function findMediaUrlError(value: string, hosts: readonly string[]): Text | undefined {
  if (hosts.length === 0) return text('media_not_fetched')
  const isListed = (url: URL | null) =>
    url?.protocol === 'https:' && url.username === '' && url.password === '' && hosts.includes(url.host)
  return value.split('\n').every((line) => isListed(URL.parse(line)))
    ? undefined
    : text('media_host_not_listed', { hosts: hosts.join(', ') })
}
