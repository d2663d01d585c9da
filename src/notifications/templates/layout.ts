import { type Texts, type Language, textsIn } from '../../locales/texts.ts'
import type { Database } from '../../database/database.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { OutgoingMail } from '../../mail/mailer.ts'
import { html, type SafeHtml } from '../../html/template.ts'

export type ComposedMail = Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'headers'>

export interface ComposeContext {
  readonly db: Database
  readonly urls: Urls
  readonly signingKey: string
  readonly now: Date
}

export interface AccountMailContent {
  readonly emailAddress: string
  readonly url: string
  readonly unsubscribeLink: string
  /** The address is empty if none was changed. It is masked in mails to a removed address without a link. */
  readonly changedEmailAddress: string
  readonly mayRevert: boolean
  readonly mayResetPassword: boolean
  readonly isRemoved: boolean
  /** The reason of the moderator whose decision the mail is about. */
  readonly reason?: string | undefined
}

export type ComposeAccountMail = (texts: Texts, content: AccountMailContent) => MailText

export interface MailText {
  readonly subject: string
  readonly heading?: string
  readonly summaryLines?: readonly string[]
  readonly quote?: { readonly text: string; readonly shortenedHint?: string }
  readonly links?: readonly Link[]
  /** A picture above the sections, for the HTML only. */
  readonly banner?: Image
  /** Pictures of the service, for the HTML only: the text has links where they matter. */
  readonly images?: readonly Image[]
  readonly intro: readonly string[]
  readonly sections?: readonly Section[]
  readonly button: string
  readonly url: string
  readonly closing: readonly string[]
  readonly settingsLink?: Link
  readonly unsubscribe?: Link
}

export interface Section {
  readonly title: string
  /** The image of a row is a square next to its text, for the HTML only. */
  readonly rows: readonly (Link & { readonly lines: readonly string[]; readonly image?: Image })[]
}

export interface Image {
  readonly url: string
  readonly alt: string
}

export interface Link {
  readonly text: string
  readonly url: string
}

/** The parts of which a mail may have none. */
const NO_PARTS = { summaryLines: [], sections: [], links: [], images: [] }
type WholeMail = MailText & Required<Pick<MailText, keyof typeof NO_PARTS>>

/** Returns the same content as text and as HTML. @param root PUBLIC_URL */
export function composeMail(language: Language, text: MailText, root: string): { subject: string; text: string; html: string } {
  const mail = { ...NO_PARTS, ...text }
  const texts = textsIn(language)
  const colon = texts('mails.colon')
  const asLines = (link: Link) => `${link.text}${colon}\n${link.url}`
  const paragraphs = [
    ...(mail.heading === undefined ? [] : [mail.heading]),
    ...(mail.summaryLines.length === 0 ? [] : [mail.summaryLines.map(wrapText).join('\n')]),
    ...mail.intro,
    ...mail.sections.flatMap(({ title, rows }) => [title, ...rows.map(rowText)]),
    ...(mail.quote === undefined ? [] : [quoteText(mail.quote.text)]),
    ...(mail.quote?.shortenedHint === undefined ? [] : [mail.quote.shortenedHint]),
    ...[...mail.links, { text: mail.button, url: mail.url }].map(asLines),
    ...mail.closing,
  ]
  const footer = [
    `Fixpoint${colon} ${root}`,
    wrapText(texts('mails.footer')),
    ...[mail.settingsLink, mail.unsubscribe].flatMap((link) => (link ? asLines(link) : [])),
  ].join('\n')
  return {
    subject: mail.subject,
    text: `${[...paragraphs.map(wrapText), `-- \n${footer}`].join('\n\n')}\n`,
    html: String(renderHtml(language, mail, root)),
  }
}

/** ASCII lines of at most 76 characters need no transfer encoding. URLs are not broken. */
const wrapText = (text: string) => text.replaceAll(/(?![^\n]{1,76}$)([^\n]{1,76}) /gm, '$1\n')

const rowText = ({ text, lines, url }: Section['rows'][number]) => [`* ${text}`, ...lines].map(wrapText).concat(url).join('\n')

/** Marks every line of a quotation, so that users cannot imitate the text of the service. */
const quoteText = (text: string) =>
  text
    .replaceAll(/(?![^\n]{1,72}$)([^\n]{1,72}) /gm, '$1\n')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Styles are in the head and on the elements, because some mail programs remove the head. */
function renderHtml(language: Language, mail: WholeMail, root: string): SafeHtml {
  const texts = textsIn(language)
  const lines = (paragraphs: readonly string[]) => paragraphs.map((text) => html`<p style="margin:0 0 16px">${text}</p>`)
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${mail.subject}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background: #11171c !important; }
  .card { background: #1a2229 !important; color: #e8edf0 !important; border-color: #2e3942 !important; }
  .button { background: #6fc9dd !important; color: #06232b !important; }
  .quiet { color: #a3b0ba !important; }
  .link { color: #6fc9dd !important; }
  .row { border-color: #2e3942 !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:24px 12px;background:#f6f7f5">
<div class="card" style="max-width:560px;margin:0 auto;padding:28px;border:1px solid #d9dfe0;border-radius:12px;background:#ffffff;color:#17212b;font:16px/1.55 system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.25">${mail.heading ?? mail.subject}</h1>
${mail.summaryLines.length === 0 ? '' : html`<p style="margin:0 0 16px">${mail.summaryLines.map((line, index) => (index === 0 ? html`<b>${line}</b>` : html`<br>${line}`))}</p>`}
${lines(mail.intro)}
${mail.banner === undefined ? '' : renderImage(mail.banner)}${mail.sections.map(renderSection)}
${mail.quote === undefined ? '' : html`<blockquote class="quiet" style="margin:0 0 16px;padding:0 0 0 14px;border-left:3px solid #d9dfe0;color:#53606d;white-space:pre-wrap">${mail.quote.text}</blockquote>`}
${mail.quote?.shortenedHint === undefined ? '' : lines([mail.quote.shortenedHint])}
${mail.images.map(renderImage)}${mail.links.map((link) => html`<p style="margin:0 0 16px"><a class="link" href="${link.url}" style="color:#0b6176">${link.text}</a></p>`)}
<p style="margin:24px 0"><a class="button" href="${mail.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#0b6176;color:#ffffff;font-weight:600;text-decoration:none">${mail.button}</a></p>
${lines(mail.closing)}
<p class="quiet" style="margin:0;color:#53606d;font-size:14px">${mail.url}</p>
</div>
<p class="quiet" style="max-width:560px;margin:16px auto 0;color:#53606d;font:13px/1.5 system-ui,Helvetica,Arial,sans-serif">Fixpoint${texts('mails.colon')} ${root}<br>${texts('mails.footer')}${[mail.settingsLink, mail.unsubscribe].map((link) => (link === undefined ? '' : html`<br><a class="quiet" href="${link.url}" style="color:#53606d">${link.text}</a>`))}</p>
</body>
</html>
`
}

const renderImage = ({ url, alt }: Image): SafeHtml =>
  html`<p style="margin:0 0 16px"><img src="${url}" alt="${alt}" width="560" style="display:block;width:100%;max-width:560px;height:auto;border-radius:8px"></p>
`

const renderThumbnail = ({ url, alt }: Image): SafeHtml =>
  html`<td class="row" style="width:80px;padding:8px 0 8px 12px;border-top:1px solid #d9dfe0;vertical-align:top"><img src="${url}" alt="${alt}" width="80" height="80" style="display:block;border-radius:6px"></td>`

const renderSection = ({ title, rows }: Section): SafeHtml => html`<h2 style="margin:24px 0 8px;font-size:17px">${title}</h2>
<table style="width:100%;border-collapse:collapse">
${rows.map(
  ({
    text,
    lines,
    url,
    image,
  }) => html`<tr><td class="row" style="padding:8px 0;border-top:1px solid #d9dfe0;vertical-align:top"${image ? '' : html` colspan="2"`}><a class="link" href="${url}" style="color:#0b6176">${text}</a>${lines.map((line) => html`<br><span class="quiet" style="color:#53606d">${line}</span>`)}</td>${image ? renderThumbnail(image) : ''}</tr>
`,
)}</table>`
