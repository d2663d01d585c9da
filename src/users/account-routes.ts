import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { needsLoginAsFault, requireViewer } from '../http/access.ts'
import { languageOf } from '../http/locale.ts'
import { earlier, once } from '../http/once.ts'
import { problems } from '../http/problems.ts'
import { failsWith } from '../http/schema.ts'
import type { Services } from '../services.ts'
import { ProfileChange, Registration } from './account-schema.ts'
import { requirePassword } from './current-password.ts'
import { toOwnUser, toUser } from './present.ts'
import { findUser } from './queries.ts'
import { changeProfile, register, type Registered } from './registration.ts'
import { OwnUser, User } from './schema.ts'
import { findSettings } from './settings-queries.ts'

/** What people do with their own account. */
export const accountRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, files, wakeEffects }) => {
  app.post(
    '/users',
    {
      config: { faults: 'nested', files: ['uploaded_data'] },
      schema: {
        operationId: 'createUser',
        summary: 'Register an account',
        description:
          'The account logs in, reports and follows at once; its address stays unconfirmed until the link in the mail is followed.',
        tags: ['Users'],
        body: Registration,
        response: { 201: User, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id } = earlier<Registered>(request) ?? {
        id: await register({ db, files, wakeEffects }, request.body, languageOf(request) ?? 'en', (work) =>
          once(request, db, work),
        ),
      }
      const user = await findUser(db, id)
      if (!user) throw problems.internal()
      void reply.code(201).header('location', urls.api(`/users/${id}`))
      return toUser(user, urls)
    },
  )

  app.put(
    '/profile',
    {
      config: { faults: 'nested', files: ['uploaded_data'] },
      onRequest: needsLoginAsFault,
      schema: {
        operationId: 'updateProfile',
        summary: 'Change the current user',
        description:
          'Only the given fields change. A new password needs `current_password` and ends all other tokens and sessions; a new e-mail is added unconfirmed.',
        tags: ['Users'],
        body: ProfileChange,
        response: { 200: OwnUser, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id } = requireViewer(request)
      const { password, current_password } = request.body
      const verified = password === undefined ? {} : { verified: await requirePassword(db, id, current_password, reply) }
      await changeProfile({ db, files, wakeEffects }, { userId: id, tokenHash: request.tokenHash, ...verified }, request.body)
      const [user, settings] = [await findUser(db, id), await findSettings(db, id)]
      if (!user || !settings) throw problems.notFound('The user')
      return toOwnUser(user, settings, urls)
    },
  )
}
