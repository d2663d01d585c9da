import { checkboxField, inputField, selectField, type SummaryField } from '../../html/fields.ts'
import { type FormValues, readText, toFormValues, type FormState } from '../../html/form.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { organizationIdsWith } from '../../http/identity/capabilities.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { languages, type Texts, textsIn } from '../../locales/texts.ts'
import { channels, NAME_MAX, PHONE_MAX } from '../../reporting/report-schema.ts'

const fieldNames = ['channel', 'name', 'email', 'phone', 'language', 'consent'] as const
type FieldName = (typeof fieldNames)[number]
const fullName = (name: FieldName) => `on_behalf[${name}]`

export const mayReportForCaller = (viewer: Viewer | null): boolean =>
  viewer !== null && (viewer.isAdmin || organizationIdsWith(viewer, 'report_for_caller').length > 0)

export const callerFields = (texts: Texts): readonly SummaryField[] =>
  fieldNames.map((name) => [fullName(name), texts(`caller.${name}`)])

/** Returns whether a form has data of a caller. Without any, the employee reports for themselves. */
export const isForCaller = (values: FormValues): boolean =>
  fieldNames.some((name) => name !== 'language' && readText(toFormValues(values['on_behalf']), name) !== '')

interface CallerSection extends Required<FormState> {
  readonly texts: Texts
}

/** The fields of a report that an employee enters for another person. The style sheet shows them once a channel is chosen. */
export function callerSection({ values, errors, texts }: CallerSection): SafeHtml {
  const given = toFormValues(values['on_behalf'])
  const field = (name: FieldName) => ({
    ...{ name: fullName(name), label: texts(`caller.${name}`), value: readText(given, name), error: errors[fullName(name)] },
    ...{ isConditional: true, language: texts.language },
  })
  const own = { key: '', name: texts('caller.none') }
  return html`<fieldset class="caller"><legend>${texts('caller.title')}</legend>
    ${selectField({ ...field('channel'), choices: [own, ...channels.map((key) => ({ key, name: texts(`caller.channels.${key}`) }))], hasDefault: true })}
    <div class="caller-data">
      ${inputField({ ...field('name'), hint: texts('caller.hint'), maxlength: NAME_MAX, autocomplete: 'off' })}
      ${inputField({ ...field('email'), hint: texts('caller.emailHint'), type: 'email', maxlength: NAME_MAX, autocomplete: 'off' })}
      ${inputField({ ...field('phone'), maxlength: PHONE_MAX, autocomplete: 'off' })}
      ${selectField({ ...field('language'), value: readText(given, 'language') || texts.language, choices: languages.map((key) => ({ key, name: textsIn(key)('language.name') })), hasDefault: true })}
      ${checkboxField({ ...field('consent'), checked: readText(given, 'consent') === 'true' })}
    </div>
  </fieldset>`
}

/** The list of staff says the number to tell the caller. */
export const callerReportPath = (id: number) => `/work?done=reported&count=${id}`
