const unescape = (text: string) =>
  text.replaceAll(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  )

const attribute = (tag: string, name: string) => unescape(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')

/** Returns the fields that a browser sends for the first form of the main part of a page, without lists. */
export function formFields(page: string): Record<string, string> {
  const form = /<main[^]*?<form[^>]*>([^]*?)<\/form>/.exec(page)?.[1] ?? ''
  const inputs = [...form.matchAll(/<input[^>]*>/g)].flatMap(([tag]) =>
    attribute(tag, 'type') === 'checkbox' && !tag.includes(' checked') ? [] : [[attribute(tag, 'name'), attribute(tag, 'value')]],
  )
  const texts = [...form.matchAll(/<textarea([^>]*)>\n?([^]*?)<\/textarea>/g)].map(([, tag = '', text = '']) => [
    attribute(tag, 'name'),
    unescape(text),
  ])
  const selects = [...form.matchAll(/<select([^>]*)>([^]*?)<\/select>/g)].map(([, tag = '', options = '']) => [
    attribute(tag, 'name'),
    attribute(/<option[^>]* selected[^>]*>/.exec(options)?.[0] ?? /<option[^>]*>/.exec(options)?.[0] ?? '', 'value'),
  ])
  return Object.fromEntries([...inputs, ...texts, ...selects]) as Record<string, string>
}
