import Type from 'typebox'

import { changeForwarding } from '../../../imports/organizations/forwarding-rows.ts'
import { endpointFormats, findForwarding, sharedData } from '../../../organizations/forwarding-settings.ts'
import type { FormField, Part, PartContext } from './part.ts'

const TEXT_MAX = 200
const EMPTY = { format: 'json', send_reports: true, service_codes: {}, updated_at: undefined }

/** Service codes are by the id of the request type, because titles may contain the separator of paths. */
type ForwardingForm = Readonly<Record<string, unknown>> & { readonly service_codes?: Readonly<Record<string, string | undefined>> }

/** The form of `forwarding` in PUT /organizations/:id. Without an endpoint there are no settings. */
export const forwarding: Part<{ readonly id: number; readonly forwarding: ForwardingForm; readonly revision: string | undefined }> =
  {
    name: 'forwarding',
    path: 'forwarding',
    capability: 'manage_organization',
    schema: Type.Object({ forwarding: Type.Unknown() }),
    isSingle: true,
    list: async (context) => {
      const { id } = context.organization
      const { updated_at, ...stored } = (await findForwarding(context.db, id)) ?? EMPTY
      const byTitle = new Map(Object.entries(stored.service_codes))
      const codes = (await listTypes(context)).map((type) => [type.id, byTitle.get(type.title)] as const)
      const forwarding = { ...stored, service_codes: Object.fromEntries(codes.filter(([, code]) => code)) }
      return [{ id, forwarding, revision: updated_at?.toISOString() }]
    },
    describe: (_, { organization }) => ({ title: organization.name }),
    fields: async (context, item) => {
      const { texts } = context
      const { service_codes = {}, api_key_set } = item?.forwarding ?? {}
      const types = (await listTypes(context)).filter(({ id, active }) => active || id in service_codes)
      const line = (name: 'endpoint' | 'jurisdiction_id' | 'default_service_code', maxlength = TEXT_MAX): FormField => ({
        ...{ path: `forwarding.${name}`, kind: 'line', maxlength, label: texts(`manage.forwarding.${name}`) },
        hint: texts(`manage.forwarding.hints.${name}`),
      })
      const check = (name: 'send_reports' | 'send_updates' | 'receive_updates' | 'extended_statuses'): FormField => ({
        ...{ path: `forwarding.${name}`, kind: 'check', label: texts(`manage.forwarding.${name}`) },
      })
      return [
        line('endpoint', 500),
        line('jurisdiction_id'),
        {
          ...{ path: 'forwarding.api_key', kind: 'secret', label: texts('manage.forwarding.api_key'), maxlength: 500 },
          hint: texts(`manage.forwarding.hints.${api_key_set ? 'keySet' : 'keyNotSet'}`),
        },
        {
          ...{ path: 'forwarding.format', kind: 'select', label: texts('manage.forwarding.format') },
          choices: endpointFormats.map((key) => ({ key, name: key.toUpperCase() })),
        },
        ...types.map(({ id, title }): FormField => ({
          ...{ path: `forwarding.service_codes.${id}`, kind: 'line', maxlength: TEXT_MAX },
          label: texts('manage.forwarding.codeOf', { title }),
        })),
        line('default_service_code'),
        ...[check('send_reports'), check('send_updates'), check('extended_statuses'), check('receive_updates')],
        {
          ...{ path: 'forwarding.receiver', kind: 'email', label: texts('manage.forwarding.receiver') },
          hint: texts('manage.forwarding.hints.receiver'),
        },
        {
          ...{ path: 'forwarding.share', kind: 'checks', label: texts('manage.forwarding.share') },
          choices: sharedData.map((key) => ({ key, name: texts(`manage.forwarding.shared.${key}`) })),
        },
      ]
    },
    save: async (tx, context, _, body) => {
      const { service_codes = {}, ...settings } = (body as { readonly forwarding: ForwardingForm }).forwarding
      const codes = (await listTypes(context)).map(({ id, title }) => [title, service_codes[id]] as const)
      const document = { ...settings, service_codes: Object.fromEntries(codes.filter(([, code]) => code)) }
      await changeForwarding(tx, context.organization.id, settings['endpoint'] === undefined ? null : document)
    },
  }

const listTypes = ({ db, organization }: PartContext) =>
  db.prisma.requestType.findMany({
    where: { organization_id: organization.id },
    select: { id: true, title: true, active: true },
    orderBy: [{ position: 'asc' }, { title: 'asc' }, { id: 'asc' }],
  })
