import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { VerifiedAccount } from '../http/identity/viewer-queries.ts'
import { requireLogin, requireLoginOr422, requireViewer } from '../http/auth/authentication.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { ipAddressKey } from '../http/auth/login.ts'
import { storedResult, idempotent } from '../http/idempotency/idempotency.ts'
import { type ValidationErrors, Problem, problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import { schemaErrors } from '../http/validation/validation.ts'
import type { Services } from '../services.ts'
import { eraseAccount, requestLink } from './erasure.ts'
import {
  Erasure,
  ERASURE_REQUESTED,
  ErasureRequested,
  EXPORT_REQUESTED,
  ExportRequested,
  ProfileChange,
  Registration,
} from './schema.ts'
import { requirePassword } from './current-password.ts'
import { isTooShortForStaff, STAFF_PASSWORD_SHORT } from './passwords/rules.ts'
import { findUser, toOwnUser, toUser } from '../users/queries.ts'
import { changeProfile, validateAccount, register, type Registered } from './registration.ts'
import { OwnUser, User } from '../users/profile-schema.ts'
import { findSettings } from '../users/settings-queries.ts'

export const accountRoutes: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { db, urls, files, trustedDevices, registrations },
) => {
  app.post(
    '/users',
    {
      config: { errorShape: 'nested', files: ['uploaded_data'], reportsInvalidCharacters: true },
      attachValidation: true,
      schema: {
        operationId: 'createUser',
        summary: 'Register an account',
        description:
          'The account can log in, report and follow immediately. Its address is unconfirmed until the user opens the link in the mail.',
        tags: ['Users'],
        body: Registration,
        response: { 201: User, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      throwIfInvalid(await findErrors(request))
      const { id } = storedResult<Registered>(request) ?? {
        id: await registrations.count(request, () =>
          register({ db, files }, request.body, preferredLocale(request) ?? 'en', (work) => idempotent(request, db, work)),
        ),
      }
      request.writerId = id
      // The device on which the password was chosen is trusted, even during an attack on the account.
      await trustedDevices.trust(id, ipAddressKey(request))
      const user = await findUser(db, id)
      if (!user) throw problems.internal()
      void reply.code(201).header('location', urls.api(`/users/${id}`))
      return toUser(user, urls)
    },
  )

  app.put(
    '/profile',
    {
      config: { errorShape: 'nested', files: ['uploaded_data'], reportsInvalidCharacters: true, bodyIsOptional: true },
      onRequest: requireLoginOr422,
      attachValidation: true,
      schema: {
        operationId: 'updateProfile',
        summary: 'Change the current user',
        description:
          'Changes only the fields that are present. A new password requires `current_password`, has at least eight characters if you belong to an organization, and ends all other tokens and sessions. A new e-mail address is added as unconfirmed.',
        tags: ['Users'],
        body: ProfileChange,
        response: { 200: OwnUser, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id } = requireViewer(request)
      const verified = await verify(request, reply, id)
      await changeProfile({ db, files }, { userId: id, tokenHash: request.tokenHash, ...verified }, request.body)
      const [user, settings] = [await findUser(db, id), await findSettings(db, id)]
      if (!user || !settings) throw problems.notFound('the_user')
      return toOwnUser(user, settings, urls)
    },
  )

  app.delete(
    '/profile',
    {
      config: { bodyIsOptional: true },
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteProfile',
        summary: 'Delete the account of the current user',
        description:
          'With `current_password`, the account is deleted at once, with its addresses, tokens, drafts, watch areas, votes, contact data and private answers; the confirmed addresses get a receipt. Without it, they get a link that deletes the account and is valid for a day. The only owner of an organization cannot delete the account.',
        tags: ['Users'],
        body: Erasure,
        response: {
          202: ErasureRequested,
          204: { type: 'null', description: 'The account is deleted.' },
          ...failsWith(400, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const { id: userId } = requireViewer(request)
      const { current_password, content = 'keep' } = request.body
      if (current_password === undefined) {
        await requestLink(db, userId, 'user.erasure_requested')
        return reply.code(202).send({ message: ERASURE_REQUESTED })
      }
      await requirePassword(userId, current_password, reply)
      await eraseAccount({ db, files }, { userId, content })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/profile/export',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'exportProfile',
        summary: 'Request a copy of your data',
        description:
          'A job writes a zip of `data.json` and your pictures. The confirmed addresses get a mail with a link to it, which is valid for seven days. At most three times a day.',
        tags: ['Users'],
        response: { 202: ExportRequested, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      await requestLink(db, requireViewer(request).id, 'user.export_requested')
      return reply.code(202).send({ message: EXPORT_REQUESTED })
    },
  )

  async function findErrors(request: FastifyRequest): Promise<ValidationErrors> {
    return {
      ...(await validateAccount(db, fieldsWithValidCharacters(request))).errors,
      ...schemaErrors(request),
      ...request.invalidCharacters,
    }
  }

  async function verify(request: FastifyRequest, reply: FastifyReply, id: number): Promise<{ verified?: VerifiedAccount }> {
    const { password, current_password } = fieldsWithValidCharacters(request)
    const { isAdmin, organizationIds } = requireViewer(request)
    const isStaff = isAdmin || organizationIds.length > 0
    const errors = {
      ...(await findErrors(request)),
      ...(isStaff && typeof password === 'string' && isTooShortForStaff(password) ? { password: [STAFF_PASSWORD_SHORT] } : {}),
    }
    if (password === undefined) return throwIfInvalid(errors) ?? {}
    const currentPassword = typeof current_password === 'string' ? current_password : undefined
    const verified = await requirePassword(id, currentPassword, reply).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.body.kind !== 'errors') throw error
      throw problems.invalidErrors({ ...errors, ...error.body.fields })
    })
    return throwIfInvalid(errors) ?? { verified }
  }
}

function throwIfInvalid(errors: ValidationErrors): undefined {
  if (Object.keys(errors).length > 0) throw problems.invalidErrors(errors)
}

/** Returns the fields of a body without those that the database cannot process. */
function fieldsWithValidCharacters({ body, invalidCharacters }: FastifyRequest): Readonly<Record<string, unknown>> {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : []
  return Object.fromEntries(fields.filter(([field]) => !Object.hasOwn(invalidCharacters, field)))
}
