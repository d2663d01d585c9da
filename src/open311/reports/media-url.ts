import { text, type Text } from '../../errors/texts/text.ts'

/** Returns why a `media_url` is refused, or undefined for an https address of one of the hosts. Nothing is ever fetched from it. */
export function findMediaUrlError(value: string, hosts: readonly string[]): Text | undefined {
  if (hosts.length === 0) return text('media_not_fetched')
  const url = URL.parse(value)
  const isListed = url?.protocol === 'https:' && url.username === '' && url.password === '' && hosts.includes(url.host)
  return isListed ? undefined : text('media_host_not_listed', { hosts: hosts.join(', ') })
}
