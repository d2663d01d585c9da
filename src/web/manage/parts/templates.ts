import { employeeOutcomes, statusName } from '../../../issue-lifecycle/status.ts'
import { languages, textsIn } from '../../../locales/texts.ts'
import {
  answeredStatuses,
  type Template,
  TemplateChange,
  addTemplate,
  changeTemplate,
  deleteTemplate,
  listTemplates,
} from '../../../staff/templates.ts'
import { type FormField, type Part, ofContent, typeChoices } from './part.ts'

interface TemplateRow extends Template {
  readonly retired: boolean
}

const rows = ofContent<Template>({ list: listTemplates, add: addTemplate, change: changeTemplate, remove: deleteTemplate })

export const templates: Part<TemplateRow> = {
  ...rows,
  ...{ name: 'templates', path: 'templates', schema: TemplateChange },
  list: async (context) => (await rows.list(context)).map((row) => ({ ...row, retired: row.retired_at !== null })),
  describe: ({ title, outcome, retired }, { texts }) => ({
    title,
    ...(outcome === null ? {} : { details: texts(`issueForm.outcomes.${outcome}`) }),
    isRetired: retired,
  }),
  fields: async (context, item) => {
    const { texts, organization } = context
    const own = organization.language
    const ordered = [own, ...languages.filter((other) => other !== own)]
    return [
      {
        path: 'title',
        kind: 'line',
        label: texts('manage.templates.title'),
        hint: texts('manage.templates.titleHint'),
        required: true,
        maxlength: 100,
      },
      ...ordered.map((one): FormField => ({
        ...{ path: `texts.${one}`, kind: 'text', required: one === own },
        label: texts('manage.inLanguage', { text: texts('manage.templates.text'), language: textsIn(one)('language.name') }),
      })),
      {
        ...{ path: 'request_type_ids', kind: 'ids', label: texts('manage.parts.request-types.title') },
        ...{ hint: texts('manage.templates.allHint'), choices: await typeChoices(context, item?.request_type_ids) },
      },
      {
        ...{ path: 'statuses', kind: 'checks', label: texts('manage.templates.statuses'), hint: texts('manage.templates.allHint') },
        choices: answeredStatuses.map((key) => ({ key, name: statusName(key, texts.language) })),
      },
      {
        ...{ path: 'outcome', kind: 'select', label: texts('manage.templates.outcome'), isNullable: true },
        choices: employeeOutcomes.map((key) => ({ key, name: texts(`issueForm.outcomes.${key}`) })),
      },
      ...(item ? [{ path: 'retired', kind: 'check', label: texts('manage.templates.retired') } satisfies FormField] : []),
    ]
  },
  reorder: async (tx, context, ids) => {
    const stored = await rows.list(context)
    for (const [position, id] of ids.entries())
      if (stored.find((row) => row.id === id)?.position !== position) await rows.save(tx, context, id, { position })
  },
}
