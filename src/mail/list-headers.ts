import type { Urls } from '../http/request/urls.ts'

/**
 * Returns the headers of a mailing list with one-click unsubscription (RFC 2369, RFC 2919, RFC 8058).
 * @param list its label is one label of a domain name, equal for all mails of one list
 */
export function mailingListHeaders(urls: Urls, list: { readonly label: string; readonly name: string }, token: string) {
  return {
    'List-Id': `${list.name} <${list.label}.${listDomain(urls)}>`,
    'List-Unsubscribe': `<${unsubscribeUrl(urls, token)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** The root of the thread of an issue or question is a Message-ID that was never sent. */
export function threadHeaders(urls: Urls, id: number, subject: 'issue' | 'question' = 'issue') {
  const root = `<${subject}-${id}@${new URL(urls.root).hostname}>`
  return { 'In-Reply-To': root, References: root }
}

export const unsubscribeUrl = (urls: Urls, token: string) => urls.at(`/unsubscribe?token=${token}`)

/** RFC 2919 requires a domain name and reserves `localhost` for hosts without one, such as IP addresses. */
function listDomain({ root }: Urls): string {
  const { hostname } = new URL(root)
  return /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname
}
