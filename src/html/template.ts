/** The template tag of all pages, feeds and mails. It escapes every value except `SafeHtml`. No other file imports the library. */
export { html, type SafeHtml } from '@remix-run/html-template'
