import type { Language } from '../../errors/texts/languages.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'

const linkTexts: Readonly<Record<Language, { readonly text: string; readonly label: (picture: string) => string }>> = {
  en: { text: 'Redact', label: (picture) => `Redact: ${picture}` },
  es: { text: 'Tapar', label: (picture) => `Tapar: ${picture}` },
  fr: { text: 'Masquer', label: (picture) => `Masquer : ${picture}` },
}

interface RedactLink {
  /** Its URL; the page has the same name. */
  readonly picture: string
  /** The alternative text of the picture. */
  readonly alt: string
  /** The page to return to: that of a moderation item, or of the issue. */
  readonly from: { readonly item: number } | { readonly issue: number }
  readonly language: Language
}

/** The link to the page where a moderator covers parts of a picture. */
export function redactLink({ picture, alt, from, language }: RedactLink, { to }: Links): SafeHtml {
  const { text, label } = linkTexts[language]
  const href = to(`/moderation/pictures/${picture.slice(picture.lastIndexOf('/') + 1)}`, { ...from })
  return html`<p class="quiet"><a href="${href}" aria-label="${label(alt)}">${text}</a></p>`
}
