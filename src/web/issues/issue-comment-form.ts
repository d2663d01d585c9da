import { html, type SafeHtml } from '../../html/template.ts'
import { Upload } from '../../http/request/upload.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { fieldTexts } from '../../html/field-texts.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField, textareaField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import { issueFormTexts, type IssueFormTexts } from './issue-form-texts.ts'
import { reportNoticeTexts } from './report-notice-texts.ts'
import type { IssueView } from './issue-view.ts'
import type { Links } from '../../html/links.ts'

export interface CommentForm {
  /** Idempotency key: the same form sent twice makes one comment. */
  readonly formKey: string
  readonly values: FormValues
  readonly errors: FieldErrors
  readonly transition: TransitionName | undefined
}

const FIELD_NAMES = ['comment', 'image', 'youtube_url']

/** Comment form with a button for each allowed transition. Enter submits the first button, which only comments. */
export function commentForm(
  { viewer, row, issue, transitions, language }: IssueView,
  { formKey, values, errors, transition }: CommentForm,
  { to }: Links,
): SafeHtml {
  const texts = issueFormTexts[language]
  const own = reportNoticeTexts[language]
  const action = (step: string) => `${to(`/issues/${row.id}/${step}`)}#say`
  const saysFixed = row.actor_role === 'resident' && !issue.current_user_relationship.reporter && transitions.includes('close')
  const nameOf = (one: TransitionName) => (saysFixed && one === 'close' ? texts.sayFixed : texts.submitWith[one])
  const isImageLost = Object.keys(errors).length > 0 && values['image'] instanceof Upload
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">${texts.writeComment}</h2>
    <p class="quiet">${own.otherProblem} <a href="${to('/report')}#17/${row.lat}/${row.lng}">${own.reportIt}</a>.</p>
    ${errorSummary(errors, FIELD_NAMES, language)}
    ${transition && !transitions.includes(transition) ? statusChangedNotice(texts) : ''}
    <form method="post" enctype="multipart/form-data" action="${action('comments')}" data-commenter="${String(viewer?.id)}">
      ${hiddenField('form_key', formKey)}
      ${textareaField({
        name: 'comment',
        label: texts.comment,
        hint: texts.commentHint,
        language,
        value: readText(values, 'comment'),
        required: true,
        error: errors['comment'],
      })}
      ${inputField({
        name: 'image',
        label: texts.picture,
        language,
        type: 'file',
        hint: fieldTexts[language].pictureHint,
        error: errors['image'] ?? (isImageLost ? fieldTexts[language].choosePictureAgain : undefined),
      })}
      ${inputField({
        name: 'youtube_url',
        label: texts.video,
        language,
        value: readText(values, 'youtube_url'),
        inputmode: 'text',
        autocomplete: 'off',
        maxlength: 500,
        error: errors['youtube_url'],
      })}
      <p class="buttons">
        <button>${texts.submit}</button>
        ${transitions.map((one) => html`<button class="second" formaction="${action(one)}">${nameOf(one)}</button> `)}
      </p>
      ${saysFixed ? html`<p class="quiet">${texts.sayFixedHint}</p>` : ''}
      ${row.status === 'Archived' ? html`<p class="quiet">${texts.archivedHint}</p>` : ''}
    </form>
  </section>`
}

const statusChangedNotice = ({ statusChanged, statusChangedHint }: IssueFormTexts) =>
  html`<p class="waiting"><b>${statusChanged}</b> ${statusChangedHint}</p>`
