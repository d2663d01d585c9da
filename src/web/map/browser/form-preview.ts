/* Shows the preview of a form again after each change. Without it, a button does. */

const WAIT_MS = 400
const form = document.querySelector<HTMLFormElement>('form[data-preview]')
let timer: ReturnType<typeof setTimeout> | undefined
let last = 0

async function refresh(path: string, form: HTMLFormElement): Promise<void> {
  const number = ++last
  const fields = [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
  if (!response.ok || number !== last) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const preview = page.getElementById('preview')
  if (preview) document.getElementById('preview')?.replaceChildren(...preview.childNodes)
}

form?.addEventListener('input', () => {
  clearTimeout(timer)
  // A preview that could not be loaded stays as it was; the button shows it.
  timer = setTimeout(() => void refresh(form.dataset['preview'] ?? '', form).catch(() => undefined), WAIT_MS)
})
