import { html, type SafeHtml } from '../../html/template.ts'
import { Upload } from '../../http/request/upload.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField, textareaField } from '../../html/fields.ts'
import { readText, type FormValues } from '../../html/form-input.ts'
import type { IssueView } from './issue-view.ts'
import type { Links } from '../../html/links.ts'

export interface CommentForm {
  /** Idempotency key: the same form sent twice makes one comment. */
  readonly formKey: string
  readonly values: FormValues
  readonly errors: FieldErrors
  readonly transition: TransitionName | undefined
}

const submitTexts: Readonly<Record<TransitionName, string>> = {
  open: 'Comment and reopen',
  close: 'Comment and close',
  acknowledge: 'Comment and acknowledge',
}
const FIELD_NAMES = ['comment', 'image', 'youtube_url']

/** Comment form with a button for each allowed transition. Enter submits the first button, which only comments. */
export function commentForm(
  { row, transitions }: IssueView,
  { formKey, values, errors, transition }: CommentForm,
  { to }: Links,
): SafeHtml {
  const action = (step: string) => `${to(`/issues/${row.id}/${step}`)}#say`
  const isImageLost = Object.keys(errors).length > 0 && values['image'] instanceof Upload
  return html`<section class="narrow" id="say" aria-labelledby="say-name">
    <h2 id="say-name">Write a comment</h2>
    ${errorSummary(errors, FIELD_NAMES)}
    ${transition && !transitions.includes(transition) ? statusChangedNotice : ''}
    <form method="post" enctype="multipart/form-data" action="${action('comments')}">
      ${hiddenField('form_key', formKey)}
      ${textareaField({
        name: 'comment',
        label: 'Your comment',
        hint: 'Your comment and your name are public.',
        value: readText(values, 'comment'),
        required: true,
        error: errors['comment'],
      })}
      ${inputField({
        name: 'image',
        label: 'Picture',
        type: 'file',
        hint: 'PNG, JPEG or GIF, up to 20 MB. The location in its metadata is removed.',
        error: errors['image'] ?? (isImageLost ? 'choose the picture again: it was not saved with the form' : undefined),
      })}
      ${inputField({
        name: 'youtube_url',
        label: 'Link to a video on YouTube',
        value: readText(values, 'youtube_url'),
        inputmode: 'text',
        autocomplete: 'off',
        maxlength: 500,
        error: errors['youtube_url'],
      })}
      <p class="buttons">
        <button>Comment</button>
        ${transitions.map((one) => html`<button class="second" formaction="${action(one)}">${submitTexts[one]}</button> `)}
      </p>
      ${row.status === 'Archived' ? html`<p class="quiet">It is archived: its status stays as it is, but you can still comment.</p>` : ''}
    </form>
  </section>`
}

const statusChangedNotice = html`<p class="waiting"><b>The status of the issue has changed in the meantime.</b> Your text is still here: send it as a
  comment, or with one of the actions below.</p>`
