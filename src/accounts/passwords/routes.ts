import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { ipAddressKey } from '../../http/auth/login.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { toMailbox } from '../../http/schema/mailbox.ts'
import { problems } from '../../errors/problems.ts'
import type { Services } from '../../services.ts'
import { requestReset, resetPassword } from './queries.ts'
import { RESET_LINK_INVALID, PASSWORDS_DIFFER, RESET_REQUESTED } from './rules.ts'
import { ForgottenPassword, PasswordReset, ResetRequested } from './schema.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'

export const passwordRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, trustedDevices }) => {
  tagRoutes(app, 'Users')
  app.post(
    '/passwords/forgot',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'forgetPassword',
        summary: 'Request a password reset link',
        description:
          'The answer does not reveal whether the address belongs to an account. Only confirmed addresses get the mail, a few times an hour. An address that was confirmed less than 72 hours ago gets none if an older one exists or was removed within seven days. The link is valid for one hour and works once.',
        body: ForgottenPassword,
        response: { 202: ResetRequested, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      await requestReset(db, toMailbox(request.body.email))
      return reply.code(202).send({ message: RESET_REQUESTED })
    },
  )

  app.post(
    '/passwords/reset',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'resetPassword',
        summary: 'Reset the password with the token of a mail',
        description: 'Ends all tokens and sessions of the account and all its other reset links.',
        body: PasswordReset,
        response: { 204: { type: 'null', description: 'The new password holds from now on.' }, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { token, password, password_confirmation } = request.body
      if (password_confirmation !== password) throw problems.invalid({ password_confirmation: PASSWORDS_DIFFER })
      const reset = await resetPassword(db, token, password)
      if (!reset) throw problems.invalid({ token: RESET_LINK_INVALID })
      await trustedDevices.trust(reset.userId, ipAddressKey(request))
      return reply.code(204).send(null)
    },
  )
}
