import type { Texts } from '../../locales/texts.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'

export type SettingsSection = 'profile' | 'language' | 'emails' | 'mails' | 'password' | 'tokens' | 'data'
type AccountSection = 'reports' | 'following' | 'watch-areas' | 'invitations' | 'webhooks' | SettingsSection

const activities = ['reports', 'following', 'watch-areas', 'invitations'] as const satisfies readonly AccountSection[]
export const settingsSections = [
  'profile',
  'language',
  'emails',
  'mails',
  'password',
  'tokens',
  'data',
] as const satisfies readonly AccountSection[]

export const accountSectionPath = (section: AccountSection) => (section === 'profile' ? '/account' : `/account/${section}`)

/** The body of a page of the account: the menu of all sections, and the content of one. */
export function accountSection(section: AccountSection, content: SafeHtml, { to }: Links, texts: Texts): SafeHtml {
  const link = (one: AccountSection) =>
    html`<li><a href="${to(accountSectionPath(one))}"${one === section ? html` aria-current="page"` : ''}>${texts(`accountSections.sections.${one}`)}</a></li>`
  // On a phone, a group without the current section is one link.
  const group = (name: string, sections: readonly [AccountSection, ...AccountSection[]]) =>
    html`<div${sections.includes(section) ? '' : html` class="closed"`}><p><a href="${to(accountSectionPath(sections[0]))}">${name}</a></p><ul class="list">${sections.map(link)}</ul></div>`
  return html`<div class="account">
    <nav class="sections" aria-label="${texts('accountSections.account')}">
      ${group(texts('accountSections.activity'), activities)}${group(texts('accountSections.settings'), [...settingsSections, 'webhooks'])}
    </nav>
    <div class="section-content">
      <h1>${texts(`accountSections.sections.${section}`)}</h1>
      ${content}
    </div>
  </div>`
}
