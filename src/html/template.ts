/** The template tag of every page, feed and mail: it escapes whatever is filled in, but for `SafeHtml`. The only file that names the library. */
export { html, type SafeHtml } from '@remix-run/html-template'
