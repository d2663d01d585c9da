import type { Texts } from '../../locales/texts.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'

interface RedactLink {
  /** Its URL; the page has the same name. */
  readonly picture: string
  /** The alternative text of the picture. */
  readonly alt: string
  /** The page to return to: that of a moderation item, or of the issue. */
  readonly from: { readonly item: number } | { readonly issue: number }
  readonly texts: Texts
}

/** The link to the page where a moderator covers parts of a picture. */
export function redactLink({ picture, alt, from, texts }: RedactLink, { to }: Links): SafeHtml {
  const href = to(`/moderation/pictures/${picture.slice(picture.lastIndexOf('/') + 1)}`, { ...from })
  return html`<p class="quiet"><a href="${href}" aria-label="${texts('redactLink.label', { picture: alt })}">${texts('redactLink.text')}</a></p>`
}
