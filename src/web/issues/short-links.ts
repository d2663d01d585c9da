import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { idMax } from '../../http/schema/fields.ts'
import { isReadableIssue } from '../../issue-lifecycle/access.ts'
import type { Services } from '../../services.ts'

/** Redirects `/i/<id in base 36>`. Upper case is accepted, because people type these links. */
export const shortLinks: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get('/i/:code', { schema: { params: Type.Object({ code: Type.String() }) } }, async (request, reply) => {
    const { code } = request.params
    const id = /^[1-9a-z][0-9a-z]{0,5}$/i.test(code) ? parseInt(code, 36) : 0
    const isKnown = id > 0 && id <= idMax && (await isReadableIssue(db, id, request.viewer))
    if (!isKnown) throw problems.notFound('the_issue')
    return reply.redirect(urls.at(`/issues/${id}`), 302)
  })
}
