import type { FastifyReply } from 'fastify'

import { listClaims } from '../../accounts/mailed-account.ts'
import type { Queryable } from '../../database/database.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { createForm, type FormValues, readText } from '../../html/form.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { VerifiedAccount } from '../../http/identity/viewer-queries.ts'
import type { Texts } from '../../locales/texts.ts'

/* The link of a mail may give an address to a new account. An account that has entered the address before, without confirming it, keeps it by its password. */

/** Longer passwords cannot exist and are not hashed. */
const PASSWORD_MAX = 500

/** Returns the account whose password the form has. A form with a wrong password, or without the question, is refused. */
export async function checkClaim(
  reply: FastifyReply,
  db: Queryable,
  { email, values }: { readonly email: string; readonly values: FormValues },
): Promise<{ readonly verified?: VerifiedAccount | undefined; readonly isRefused: boolean }> {
  const password = readText(values, 'password')
  if (password === '') {
    const isAsked = values['password'] !== undefined || (await listClaims(db, email)).length === 0
    return { isRefused: !isAsked }
  }
  const verified = password.length <= PASSWORD_MAX ? await reply.checkCredentials({ kind: 'basic', email, password }) : undefined
  return { verified, isRefused: !verified }
}

/** Returns the question, if an account claims the address; else ''. */
export const findClaimQuestion = async (db: Queryable, email: string, texts: Texts): Promise<SafeHtml | ''> =>
  (await listClaims(db, email)).length > 0 ? claimQuestion(texts) : ''

export function claimQuestion(texts: Texts, errors: FieldErrors = {}): SafeHtml {
  const options = { hint: texts('openDraft.claimedHint'), type: 'password', autocomplete: 'current-password' } as const
  const field = createForm(texts.language, { errors }).input('password', texts('openDraft.claimedPassword'), options)
  return html`<p class="note">${texts('openDraft.claimed')}</p>${field}`
}
