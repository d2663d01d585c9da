import type { Email } from '../../accounts/emails/schema.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { PlaceRow } from '../../places/queries.ts'
import type { TokenRow } from '../../accounts/tokens/queries.ts'
import type { Settings } from '../../users/settings-queries.ts'
import { checkboxField, errorSummary, type FieldErrors, hiddenField, inputField, selectField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { formatDate } from '../../html/format.ts'

const successTexts = {
  saved: 'Saved.',
  password: 'Your new password is set. All other sessions and all tokens have ended; you stay logged in here.',
  mailed: 'A mail is on its way. Follow the link in it to confirm that the address is yours.',
  removed: 'Deleted.',
} as const
export type SuccessKey = keyof typeof successTexts

export const isSuccessKey = (text: unknown): text is SuccessKey => typeof text === 'string' && Object.hasOwn(successTexts, text)

export interface AccountPage {
  readonly settings: Settings
  readonly emails: readonly Email[]
  readonly tokens: readonly TokenRow[]
  readonly places: readonly PlaceRow[]
  readonly values: FormValues
  readonly errors: FieldErrors
  readonly done: SuccessKey | undefined
}

const FIELD_NAMES = [
  'name',
  'locale',
  'place_url_name',
  'password',
  'password_confirmation',
  'current_password',
  'email',
  'uploaded_data',
]

export function accountPage(links: Links, { settings, emails, tokens, places, values, errors, done }: AccountPage): HtmlPage {
  return {
    title: 'Your account',
    description: 'Your name, language, home place, password, e-mail addresses and tokens.',
    body: html`<div class="narrow">
      <h1>Your account</h1>
      ${done ? html`<p class="done" role="status">${successTexts[done]}</p>` : ''}
      ${errorSummary(errors, FIELD_NAMES)}
      ${settingsForm(links, settings, places, values, errors)}
      ${imageForm(links, settings, errors)}
      ${passwordForm(links, errors)}
      ${emailSection(links, emails, values, errors)}
      ${mailSection(links, settings)}
      ${watchSection(links)}
      ${tokenSection(links, tokens)}
    </div>`,
  }
}

function settingsForm(
  { to }: Links,
  settings: Settings,
  places: readonly PlaceRow[],
  values: FormValues,
  errors: FieldErrors,
): SafeHtml {
  const isSubmitted = values['name'] !== undefined
  const value = (field: 'name' | 'locale' | 'place_url_name') => (isSubmitted ? readText(values, field) : (settings[field] ?? ''))
  const offered = places.map(({ url_name, name }) => ({ key: url_name, name }))
  const home = settings.place_url_name
  // Keeps a home place that is not in the list.
  const choices = home === null || offered.some(({ key }) => key === home) ? offered : [{ key: home, name: home }, ...offered]
  return html`<form method="post" action="${to('/account')}">
    ${inputField({
      name: 'name',
      label: 'Name',
      hint: 'It is public and appears with your reports.',
      value: value('name'),
      autocomplete: 'name',
      maxlength: 40,
      required: true,
      error: errors['name'],
    })}
    ${inputField({
      name: 'locale',
      label: 'Language of mails',
      hint: 'A language tag such as en or pt-BR.',
      value: value('locale'),
      maxlength: 15,
      required: true,
      error: errors['locale'],
    })}
    ${selectField({
      name: 'place_url_name',
      label: 'Home place',
      choices,
      value: value('place_url_name'),
      error: errors['place_url_name'],
    })}
    ${checkboxField({
      name: 'share_location',
      label: 'Let others find me near my last public report',
      hint: 'Accurate to about a kilometre. Anonymous reports are not used.',
      checked: isSubmitted ? readText(values, 'share_location') === 'true' : settings.share_location,
    })}
    <p><button>Save</button></p>
  </form>`
}

function imageForm({ to }: Links, { avatar_square }: Settings, errors: FieldErrors): SafeHtml {
  return html`<section>
    <h2>Picture</h2>
    ${
      avatar_square
        ? html`<div class="rows"><img src="${to(`/files/${avatar_square}`)}" width="100" height="100" alt="Your picture">
            ${button(to('/account/picture/delete'), 'Delete', 'your picture')}</div>`
        : ''
    }
    <form method="post" enctype="multipart/form-data" action="${to('/account/picture')}">
      ${inputField({
        name: 'uploaded_data',
        label: avatar_square ? 'Another picture' : 'Choose a picture',
        hint: 'It is public. PNG, JPEG or GIF, up to 20 MB.',
        type: 'file',
        required: true,
        error: errors['uploaded_data'],
      })}
      <p><button>Save the picture</button></p>
    </form>
  </section>`
}

function passwordForm({ to }: Links, errors: FieldErrors): SafeHtml {
  const field = (name: string, label: string, autocomplete: string) =>
    inputField({ name, label, type: 'password', autocomplete, required: true, error: errors[name] })
  return html`<section>
    <h2>Password</h2>
    <p class="quiet">A new password ends all other sessions and all tokens.</p>
    <form method="post" action="${to('/account/password')}">
      ${field('current_password', 'Current password', 'current-password')}
      ${field('password', 'New password', 'new-password')}
      ${field('password_confirmation', 'Repeat the new password', 'new-password')}
      <p><button>Change the password</button></p>
    </form>
  </section>`
}

const button = (action: string, text: string, about: string) =>
  html`<form method="post" action="${action}"><button aria-label="${text}: ${about}">${text}</button></form>`

function emailSection({ to }: Links, emails: readonly Email[], values: FormValues, errors: FieldErrors): SafeHtml {
  const rows = emails.map(
    ({ id, email, confirmed }) => html`<li>
      <span>${email} <span class="quiet">${confirmed ? 'confirmed' : 'not confirmed yet'}</span></span>
      <span class="actions">
        ${confirmed ? '' : button(to(`/account/emails/${id}/confirmation`), 'Send the mail again', email)}
        ${emails.length > 1 ? button(to(`/account/emails/${id}/delete`), 'Delete', email) : ''}
      </span>
    </li>`,
  )
  return html`<section>
    <h2>E-mail addresses</h2>
    <p class="quiet">You can log in with each of them. Only confirmed addresses get mails; mails about issues and questions go to the first one.</p>
    <ul class="rows">${rows}</ul>
    <form method="post" action="${to('/account/emails')}">
      ${inputField({
        name: 'email',
        label: 'Another address',
        type: 'email',
        value: readText(values, 'email'),
        autocomplete: 'email',
        required: true,
        error: errors['email'],
      })}
      <p><button>Add the address</button></p>
    </form>
  </section>`
}

function mailSection({ to }: Links, { issue_mails }: Settings): SafeHtml {
  return html`<section>
    <h2>Mails about issues and questions</h2>
    <p class="quiet">${
      issue_mails
        ? 'You get mails about issues that you report, follow or are assigned, and about your questions.'
        : 'You get no mails about issues or questions.'
    }</p>
    <form method="post" action="${to('/account/mails')}">
      ${hiddenField('issue_mails', String(!issue_mails))}
      <p><button>${issue_mails ? 'Turn them off' : 'Turn them on'}</button></p>
    </form>
  </section>`
}

const watchSection = ({ to }: Links) => html`<section>
    <h2>Watch areas</h2>
    <p class="quiet">Mails of what happens in a city or around a point.</p>
    <p><a href="${to('/account/watch-areas')}">Your watch areas</a></p>
  </section>`

function tokenSection({ to }: Links, tokens: readonly TokenRow[]): SafeHtml {
  const rows = tokens.map(({ id, name, created_at, expires_at }) => {
    const title = name ?? `Token ${id}`
    return html`<li>
      <span>${title} <span class="quiet">created ${formatDate(created_at)}${expires_at ? html`, ends ${formatDate(expires_at)}` : ''}</span></span>
      <span class="actions">${button(to(`/account/tokens/${id}/delete`), 'Delete', title)}</span>
    </li>`
  })
  return html`<section>
    <h2>Access tokens</h2>
    ${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="quiet">There are no tokens yet.</p>`}
    <p class="quiet">A program requests a token with your password: see <a href="${to('/docs')}">the API reference</a>.</p>
  </section>`
}
