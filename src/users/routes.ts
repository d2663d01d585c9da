import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { findPoint } from '../geo/area-query.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { findUser, listUsersNear, toOwnUser, toUser } from './queries.ts'
import { IdParams, ListUsersQuery, Profile, User, UserList } from './profile-schema.ts'
import { findSettings } from './settings-queries.ts'

export const userRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  app.get(
    '/users',
    {
      schema: {
        operationId: 'listUsers',
        summary: 'List users closest to a point',
        description: 'Lists only users who share their location: the location of their last public report, rounded to 0.01 degree.',
        tags: ['Users'],
        querystring: ListUsersQuery,
        response: { 200: UserList, ...failsWith(400, 422) },
      },
    },
    async (request) => {
      const point = await findPoint(request.query, areas)
      if (!point) throw problems.pointMissing()
      const page = toPage(request.query)
      const { entries, users } = await listUsersNear(db.reader, point, page)
      const metadata = toMetadata(urls, '/users', queryParameters(request), page, entries)
      return { metadata, users: users.map((user) => toUser(user, urls)), errors: {} }
    },
  )

  app.get(
    '/users/:id',
    {
      schema: {
        operationId: 'getUser',
        summary: 'Get a user',
        description: 'Returns the public profile: name, title, points and counts of public contributions.',
        tags: ['Users'],
        params: IdParams,
        response: { 200: User, ...failsWith(404) },
      },
    },
    async (request) => {
      const user = orNotFound(await findUser(db.reader, request.params.id), 'the_user')
      return toUser(user, urls)
    },
  )

  app.get(
    '/profile',
    {
      schema: {
        operationId: 'getProfile',
        summary: 'Get the current user',
        description: 'For an anonymous caller, returns an object whose only field is `id`, which is null.',
        tags: ['Users'],
        response: { 200: Profile, ...failsWith() },
      },
    },
    async (request) => {
      const { viewer } = request
      const [user, settings] = viewer ? [await findUser(db, viewer.id), await findSettings(db, viewer.id)] : []
      return user && settings ? toOwnUser(user, settings, urls) : { id: null }
    },
  )
}
