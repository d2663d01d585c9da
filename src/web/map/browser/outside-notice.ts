/* Says at once that a point is outside of the place of a report. The server decides it, with the exact boundary. */

const PAUSE_MS = 400
let timer: ReturnType<typeof setTimeout> | undefined
let loading: AbortController | undefined

/** Shows the notice of the next step, which says where the point is, or removes it. */
export function showOutsideNotice(form: HTMLFormElement, point: { readonly lat: number; readonly lng: number } | undefined): void {
  clearTimeout(timer)
  loading?.abort()
  const notice = document.querySelector('[data-outside]') as HTMLElement
  notice.replaceChildren()
  if (!point) return
  const url = new URL(form.action)
  for (const name of ['lat', 'lng'] as const) url.searchParams.set(name, point[name].toFixed(6))
  const request = new AbortController()
  loading = request
  timer = setTimeout(() => void load(url, notice, request.signal), PAUSE_MS)
}

async function load(url: URL, notice: HTMLElement, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const outside = page.getElementById('outside')
    if (outside) notice.replaceChildren(outside)
  } catch {
    // The next step says it, too.
  }
}
