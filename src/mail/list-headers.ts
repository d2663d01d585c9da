import type { Urls } from '../http/request/urls.ts'

/**
 * What makes a mail one of a list that can be left by one click (RFC 2369, RFC 2919, RFC 8058).
 * @param list a label of a domain name, the same for all mails that a program should treat as one list
 */
export function listHeaders(urls: Urls, list: { readonly label: string; readonly name: string }, token: string) {
  return {
    'List-Id': `${list.name} <${list.label}.${listDomain(urls)}>`,
    'List-Unsubscribe': `<${unsubscribeUrl(urls, token)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Mail programs show what answers the same mail as one conversation: a mail that nobody ever got stands for the issue, or the question. */
export function threadHeaders(urls: Urls, id: number, of: 'issue' | 'question' = 'issue') {
  const root = `<${of}-${id}@${new URL(urls.root).hostname}>`
  return { 'In-Reply-To': root, References: root }
}

export const unsubscribeUrl = (urls: Urls, token: string) => urls.at(`/unsubscribe?token=${token}`)

/** An IP address is no domain name; RFC 2919 keeps `localhost` for such lists. */
function listDomain({ root }: Urls): string {
  const { hostname } = new URL(root)
  return /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname
}
