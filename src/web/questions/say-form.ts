import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'

import { hiddenField } from '../../html/fields.ts'
import { createForm, type FormState, normalizeLineEndings, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { type Links, requirePageLogin } from '../../html/links.ts'
import { loginLinks, richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import type { Urls } from '../../http/request/urls.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import type { Texts } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'

/** Returns the options of a route that takes the form. @param path the page of the form, to which the login returns */
export const sayRoute = <Schema extends FastifySchema>(app: FastifyInstance, urls: Urls, path: string, schema: Schema) => ({
  attachValidation: true,
  config: { errorShape: 'nested' as const },
  onRequest: requirePageLogin(urls, `${path}#say`),
  validatorCompiler: withInputTransform(app, 'body', normalizeLineEndings),
  schema,
})

/** Returns the form that comes back with its errors. @throws every error that is not about its fields */
export async function readRejected(request: FastifyRequest, db: Services['db'], error: unknown) {
  const errors = translateErrors(request, validationErrorsFrom(error))
  await releaseIdempotencyKey(request, db)
  return { values: normalizeLineEndings(request.body), errors }
}

type SayForm = Readonly<Record<'path' | 'action' | 'title', string>> & {
  readonly name: 'question' | 'answer'
  readonly maxlength: number
}

/** A question or an answer that a user writes. Others get links to the login and the registration, which return to the path. */
export function sayForm(
  { name, path, action, title, maxlength }: SayForm,
  viewer: Viewer | null,
  rejected: FormState | undefined,
  { to }: Links,
  texts: Texts,
): SafeHtml {
  if (!viewer) return html`<p id="say">${richText(texts, `say.${name}.logIn`, loginLinks(to, `${path}#say`))}</p>`
  const form = createForm(texts.language, rejected)
  const field = form.textarea(name, texts(`say.${name}.label`), { hint: texts(`say.${name}.hint`), maxlength, required: true })
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${title}</h2>
    ${form.errorSummary()}
    <form method="post" action="${to(action)}#say">
      ${hiddenField('form_key', newSecret())}
      ${field}
      <p><button>${texts(`say.${name}.button`)}</button></p>
    </form>
  </section>`
}
