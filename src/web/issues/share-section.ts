import { textsIn } from '../../locales/texts.ts'
import type { Links } from '../../html/links.ts'
import { qrCode } from '../../html/qr-code.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { IssueView } from './issue-view.ts'

/** The short link as text, on paper as a QR code, too, and a button that the script shows. Only the link of a public issue opens for others. */
export function shareSection({ issue, isPublic, language }: IssueView, { relative }: Links): SafeHtml | string {
  if (!isPublic) return ''
  const texts = textsIn(language)
  const { shortened_url: url, summary } = issue
  return html`${qrCode(url, texts('issue.qrCode', { url }))}<p class="share">${texts('issue.shortLink')} <a href="${relative(url)}">${url}</a>
    <button class="second" type="button" hidden data-copies="${url}" data-title="${summary}" data-done="${texts('issue.linkCopied')}">${texts('issue.share')}</button></p>`
}
