import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { languages } from '../../locales/texts.ts'
import { readText, toFormValues } from '../../html/form.ts'
import { safeReturnPath, seeOther } from '../../html/links.ts'
import { LANGUAGE_COOKIE } from '../../http/errors/text-language.ts'
import type { Services } from '../../services.ts'

const YEAR_S = 31_536_000

/** The choice of the language of the pages, which the footer of each page offers. */
export const languageForm: FastifyPluginAsyncTypebox<Services> = async (app, { urls }) => {
  app.post('/language', async (request, reply) => {
    const values = toFormValues(request.body)
    const language = languages.find((one) => one === readText(values, 'language'))
    const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: urls.root.startsWith('https:'), maxAge: YEAR_S } as const
    if (language) void reply.setCookie(LANGUAGE_COOKIE, language, options)
    return seeOther(reply, urls, safeReturnPath(values['return_to']))
  })
}
