import { checkFileFields } from '../check-files.ts'
import { loadValue, saveValue } from '../device-store.ts'

/* The text of a comment waits on the device until it is sent, because the session can end while it is written. */

interface CommentDraft {
  /** Another account at the same device does not get the text. */
  readonly commenter: string | undefined
  readonly path: string
  readonly text: string
  readonly isSent: boolean
}

async function keepComment(form: HTMLFormElement, field: HTMLTextAreaElement): Promise<void> {
  const { commenter } = form.dataset
  const path = new URL(form.action).pathname
  const save = (isSent: boolean) =>
    saveValue<CommentDraft>('comments', field.value === '' ? undefined : { commenter, path, text: field.value, isSent })
  field.addEventListener('input', () => void save(false))
  form.addEventListener('submit', () => void save(true))
  const draft = await loadValue<CommentDraft>('comments')
  if (draft?.commenter !== commenter || draft?.path !== path) return
  // A published comment and one that waits for a review lead to this address; a login leads to another one.
  if (draft.isSent && location.hash.startsWith('#comment-')) await saveValue('comments', undefined)
  else if (field.value === '') {
    field.value = draft.text
    await save(false)
  }
}

const form = document.querySelector<HTMLFormElement>('form[data-commenter]')
const field = form?.elements.namedItem('comment')
for (const one of document.forms) checkFileFields(one)
if (form && field instanceof HTMLTextAreaElement) void keepComment(form, field)
