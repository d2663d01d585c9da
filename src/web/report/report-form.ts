import type { DuplicateMatch } from '../../duplicates/queries.ts'
import type { Point } from '../../geo/point.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { RequestType, RequestTypeQuestion } from '../../request-types/schema.ts'
import { issueCard } from '../issues/cards.ts'
import {
  checkboxField,
  choicesField,
  errorSummary,
  type FieldErrors,
  hiddenField,
  inputField,
  selectField,
  textareaField,
} from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import { answerValues, hasUploadedFile, timeZones, estimateTimeZone, chosenTimeZone } from './report-input.ts'

export interface ReportForm {
  readonly action: string
  /** Idempotency key: the same form sent twice makes one report. */
  readonly formKey: string
  readonly point: Point
  readonly type: RequestType
  readonly duplicates: readonly DuplicateMatch[]
  readonly values: FormValues
  readonly errors: FieldErrors
}

export function reportForm({ action, formKey, point, type, duplicates, values, errors }: ReportForm, urls: Urls): SafeHtml {
  const fieldNames = ['address', ...type.questions.map(({ primary_key }) => primary_key)]
  return html`${errorSummary(errors, fieldNames)}
    ${duplicates.length > 0 ? duplicateSection(duplicates, urls) : ''}
    <form method="post" enctype="multipart/form-data" action="${action}" data-once>
      ${hiddenField('form_key', formKey)}
      ${hiddenField('lat', String(point.lat))}
      ${hiddenField('lng', String(point.lng))}
      ${hiddenField('request_type_id', String(type.id ?? 'other'))}
      ${type.questions.map((question) => questionField(question, point, values, errors))}
      ${inputField({
        name: 'address',
        label: 'Address or description of the place',
        hint: 'A street and number, a crossing, or something next to it.',
        value: readText(values, 'address'),
        autocomplete: 'off',
        maxlength: 500,
        required: true,
        error: errors['address'],
      })}
      ${checkboxField({
        name: 'anonymize_reporter',
        label: 'Report without my name',
        hint:
          type.organization === null ? 'No one sees who reported it.' : `Only staff of ${type.organization} see who reported it.`,
        checked: readText(values, 'anonymize_reporter') === 'true',
      })}
      <p><button>Send the report</button></p>
    </form>`
}

function duplicateSection(duplicates: readonly DuplicateMatch[], urls: Urls): SafeHtml {
  const cards = duplicates.map(({ issue, reason }) => html`${issueCard(issue, urls)}<li class="quiet reason">${reason}</li>`)
  return html`<section aria-labelledby="duplicates">
    <h2 id="duplicates">Is it one of these?</h2>
    <p>It may have been reported already. If so, you need not report it again.</p>
    <ul class="cards">${cards}</ul>
    <h2>If not, describe it</h2>
  </section>`
}

const YES_NO = [
  { key: 'true', name: 'Yes' },
  { key: 'false', name: 'No' },
]

function questionField(question: RequestTypeQuestion, point: Point, values: FormValues, errors: FieldErrors): SafeHtml {
  const { primary_key, question_type, response_required: required, answer_kept_private, select_values } = question
  const answers = answerValues(values, question)
  const field = {
    name: `answers[${primary_key}]`,
    label: question.question,
    hint: answer_kept_private ? 'Only the organisation sees your answer.' : undefined,
    value: answers[0],
    required,
    error: errors[primary_key],
  }
  switch (question_type) {
    case 'note':
      return html`<p class="note">${question.question}</p>`
    case 'text':
      return inputField({ ...field, maxlength: 255 })
    case 'textarea':
      return textareaField(field)
    case 'number':
      return inputField({ ...field, type: 'number', inputmode: 'decimal' })
    case 'select':
      return selectField({ ...field, choices: select_values ?? [] })
    case 'multivaluelist':
      return choicesField({ ...field, name: `${field.name}[]`, type: 'checkbox', choices: select_values ?? [], values: answers })
    case 'boolean':
      return choicesField({ ...field, type: 'radio', choices: YES_NO, values: answers })
    case 'file':
      return inputField({
        ...field,
        type: 'file',
        error:
          field.error ??
          (hasUploadedFile(values, question) ? 'choose the picture again: it was not saved with the form' : undefined),
        hint: field.hint ?? 'PNG, JPEG or GIF, up to 20 MB. The location in its metadata is removed.',
      })
    case 'datetime':
      return html`<div class="pair">
        ${inputField({ ...field, type: 'datetime-local' })}
        ${selectField({
          name: `zone[${primary_key}]`,
          label: 'In which time zone?',
          choices: timeZones.map((zone) => ({ key: zone, name: `UTC${zone}` })),
          value: chosenTimeZone(values, question) || estimateTimeZone(point),
          required: true,
          dateTimeField: field.name,
        })}
      </div>`
  }
}
