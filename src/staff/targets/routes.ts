import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import type { Capability } from '../../http/identity/roles.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { addCalendar, changeCalendar, deleteCalendar, findCalendar, listCalendars } from './calendars.ts'
import { addRule, changeRule, deleteRule, findRule, listRules } from './rules.ts'
import {
  Calendar,
  CalendarChange,
  CalendarList,
  CalendarParams,
  CALENDARS_MAX,
  NewCalendar,
  RULES_MAX,
  TargetRule,
  TargetRuleChange,
  TargetRuleList,
  TargetRuleParams,
} from './schema.ts'

const tags = ['Organisations']
const FOLLOWS = 'The targets of open issues follow within two minutes, except those that staff have set.'
const READ = 'For members.'
const MANAGE = 'Needs the capability `manage_content`.'

export const targetRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  app.get(
    '/organizations/:id/calendars',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listCalendars',
        summary: 'List the calendars of an organisation',
        description: `Working hours and holidays, in the order of their creation. ${READ}`,
        tags,
        params: OrganizationParams,
        response: { 200: CalendarList, ...failsWith(404) },
      },
    },
    async (request) => {
      const { organization_id } = await authorize(request, 'read_issues')
      return { errors: {}, metadata: {}, calendars: await listCalendars(db, organization_id) }
    },
  )

  app.post(
    '/organizations/:id/calendars',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createCalendar',
        summary: 'Add a calendar',
        description: `At most ${CALENDARS_MAX}, each with at least one working hour a week. ${MANAGE}`,
        tags,
        params: OrganizationParams,
        body: NewCalendar,
        response: { 201: Calendar, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { organization_id } = await authorize(request, 'manage_content')
      const { id } =
        storedResult<{ id: number }>(request) ??
        (await idempotent(request, db, async (tx) => ({ id: await addCalendar(tx, organization_id, request.body) })))
      return reply.code(201).send(await findCalendar(db, organization_id, id))
    },
  )

  app.put(
    '/organizations/:id/calendars/:calendar_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'updateCalendar',
        summary: 'Change a calendar',
        description: `Changes only the fields that are present. ${FOLLOWS} ${MANAGE}`,
        tags,
        params: CalendarParams,
        body: CalendarChange,
        response: { 200: Calendar, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { organization_id, now } = await authorize(request, 'manage_content')
      const { calendar_id: id } = request.params
      await db.transaction((tx) => changeCalendar(tx, { organization_id, id, now }, request.body))
      return findCalendar(db, organization_id, id)
    },
  )

  app.delete(
    '/organizations/:id/calendars/:calendar_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteCalendar',
        summary: 'Delete a calendar',
        description: `Not while a target uses it. ${MANAGE}`,
        tags,
        params: CalendarParams,
        response: { 204: { type: 'null', description: 'The calendar is deleted.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { organization_id } = await authorize(request, 'manage_content')
      await db.transaction((tx) => deleteCalendar(tx, organization_id, request.params.calendar_id))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/organizations/:id/targets',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listTargets',
        summary: 'List the targets of an organisation',
        description: `The times within which its issues should be acknowledged and closed, by request type. ${READ}`,
        tags,
        params: OrganizationParams,
        response: { 200: TargetRuleList, ...failsWith(404) },
      },
    },
    async (request) => {
      const { organization_id } = await authorize(request, 'read_issues')
      return { errors: {}, metadata: {}, targets: await listRules(db, organization_id) }
    },
  )

  app.post(
    '/organizations/:id/targets',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createTarget',
        summary: 'Add a target',
        description: `One for each request type, and one for all others: at most ${RULES_MAX}. ${FOLLOWS} ${MANAGE}`,
        tags,
        params: OrganizationParams,
        body: TargetRuleChange,
        response: { 201: TargetRule, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const change = await authorize(request, 'manage_content')
      const { id } =
        storedResult<{ id: number }>(request) ??
        (await idempotent(request, db, async (tx) => ({ id: await addRule(tx, change, request.body) })))
      return reply.code(201).send(await findRule(db, change.organization_id, id))
    },
  )

  app.put(
    '/organizations/:id/targets/:target_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'updateTarget',
        summary: 'Change a target',
        description: `Changes only the fields that are present. ${FOLLOWS} ${MANAGE}`,
        tags,
        params: TargetRuleParams,
        body: TargetRuleChange,
        response: { 200: TargetRule, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const change = await authorize(request, 'manage_content')
      await db.transaction((tx) => changeRule(tx, change, request.params.target_id, request.body))
      return findRule(db, change.organization_id, request.params.target_id)
    },
  )

  app.delete(
    '/organizations/:id/targets/:target_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteTarget',
        summary: 'Delete a target',
        description: `${FOLLOWS} ${MANAGE}`,
        tags,
        params: TargetRuleParams,
        response: { 204: { type: 'null', description: 'The target is deleted.' }, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const change = await authorize(request, 'manage_content')
      await db.transaction((tx) => deleteRule(tx, change, request.params.target_id))
      return reply.code(204).send(null)
    },
  )

  /** @throws Problem 404 for an unknown organisation, 403 that names the missing capability */
  async function authorize(request: FastifyRequest, capability: Capability) {
    const { id } = request.params as { readonly id: number }
    await requireOrganizationCapability(db, id, requireViewer(request), capability)
    return { organization_id: id, now: clock() }
  }
}
