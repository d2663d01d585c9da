/* The forecast of the form, which the server writes: the same text as without scripts. */

const PAUSE_MS = 600
const TIME_MAX_MS = 10_000

interface ForecastOptions {
  readonly path: string
  readonly failed: string
  readonly hasArea: () => boolean
}

/** Returns a function that loads the forecast after a pause. A newer call ends an older one. */
export function createForecast(form: HTMLFormElement, { path, failed, hasArea }: ForecastOptions): () => void {
  const output = form.querySelector('[data-forecast]') as HTMLElement
  let timer: ReturnType<typeof setTimeout> | undefined
  let loading: AbortController | undefined

  async function load(): Promise<void> {
    loading = new AbortController()
    const { signal } = loading
    try {
      const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      const response = await fetch(path, {
        method: 'POST',
        body: new URLSearchParams(entries.filter(([name]) => name !== 'form_key')),
        headers: { accept: 'text/html' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_MAX_MS)]),
      })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const found = page.querySelector('[data-forecast]')
      if (!found) throw new Error(`The answer has the status ${response.status}.`)
      showErrors(page)
      output.replaceChildren(...found.childNodes)
    } catch {
      if (!signal.aborted) output.textContent = failed
    }
    output.removeAttribute('aria-busy')
  }

  /** An area that is not valid has its error where a saved form would show it. */
  function showErrors(page: Document): void {
    for (const old of document.querySelectorAll('.map-panel > .error-summary')) old.remove()
    const summary = page.querySelector('.map-panel > .error-summary')
    const error = page.getElementById('field-area-error')
    if (!summary) return
    if (error) summary.append(Object.assign(document.createElement('p'), { textContent: error.textContent }))
    form.before(summary)
  }

  return () => {
    clearTimeout(timer)
    loading?.abort()
    if (!hasArea()) return output.replaceChildren()
    output.setAttribute('aria-busy', 'true')
    timer = setTimeout(() => void load(), PAUSE_MS)
  }
}
