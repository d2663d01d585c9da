import { setTakesOther } from '../../../imports/organizations/edit-type.ts'
import { languages, textsIn } from '../../../locales/texts.ts'
import { changeSettings } from '../../../organizations/settings.ts'
import { OrganizationChange } from '../../../organizations/schema.ts'
import type { FormField, Part, PartContext } from './part.ts'

const NAME_MAX = 200

/** The form of PUT /organizations/:id without the area. */
export const settings: Part<{ readonly id: number }> = {
  name: 'settings',
  path: 'settings',
  capability: 'manage_organization',
  schema: OrganizationChange,
  isSingle: true,
  list: async ({ db, organization: { id } }) => {
    const { request_types, ...stored } = await db.prisma.organization.findUniqueOrThrow({
      where: { id },
      select: {
        ...{ id: true, name: true, translations: true, hold_everything: true, guest_reports: true },
        ...{ shows_people: true, shows_targets: true, inbox_email: true },
        request_types: { where: { is_other: true, active: true }, select: { id: true } },
      },
    })
    return [{ ...stored, takes_other: request_types.length > 0 }]
  },
  describe: (_, { organization }) => ({ title: organization.name }),
  fields: ({ texts, organization }) =>
    Promise.resolve([
      { path: 'name', kind: 'line', label: texts('manage.settings.name'), required: true, maxlength: NAME_MAX },
      ...translationFields('name', texts('manage.settings.name'), organization.language, texts),
      {
        path: 'inbox_email',
        kind: 'email',
        label: texts('manage.settings.inbox'),
        hint: texts('manage.settings.inboxHint'),
        isNullable: true,
      },
      ...(['shows_people', 'shows_targets', 'hold_everything', 'guest_reports', 'takes_other'] as const).map((path): FormField => ({
        ...{ path, kind: 'check', label: texts(`manage.settings.${path}`), hint: texts(`manage.settings.hints.${path}`) },
      })),
    ]),
  save: async (tx, { organization: { id } }, _, body) => {
    const { takes_other, ...input } = body as { readonly takes_other: boolean }
    await changeSettings(tx, id, input)
    await setTakesOther(tx, id, takes_other)
  },
}

/** Returns a field for the translation of a text into each language but its own. */
export const translationFields = (
  key: string,
  label: string,
  own: string,
  texts: PartContext['texts'],
  kind: FormField['kind'] = 'line',
): FormField[] =>
  languages
    .filter((language) => language !== own)
    .map((language) => ({
      ...{ path: `translations.${language}.${key}`, kind, maxlength: NAME_MAX },
      label: texts('manage.inLanguage', { text: label, language: textsIn(language)('language.name') }),
    }))
