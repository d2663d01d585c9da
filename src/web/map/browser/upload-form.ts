interface Answer {
  /** The address after redirects. */
  readonly url: URL
  readonly page: Document
  readonly status: number
}

/** Sends a form with its files. `fetch` has no progress of uploads. @throws if there is no answer */
export function sendForm(form: HTMLFormElement, onProgress: (percent: number) => void): Promise<Answer> {
  const request = new XMLHttpRequest()
  request.open('POST', form.action)
  request.setRequestHeader('accept', 'text/html')
  request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) onProgress(Math.round((100 * loaded) / total))
  })
  return new Promise((resolve, reject) => {
    request.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(request.responseText, 'text/html')
      if (page.querySelector('main')) resolve({ url: new URL(request.responseURL), page, status: request.status })
      else reject(new Error(`status ${request.status} without a page`))
    })
    request.addEventListener('error', () => reject(new Error('no connection')))
    request.send(new FormData(form))
  })
}
