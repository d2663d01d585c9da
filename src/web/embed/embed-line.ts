import { html } from '../../html/template.ts'

/** Returns the line of HTML with which another site shows `/embed` in a frame. */
export const embedLine = (url: string, title: string): string =>
  String(html`<iframe src="${url}" title="${title}" width="100%" height="640" style="border: 0" loading="lazy"></iframe>`)
