// A plugin of Swagger UI for /docs: a filter by words, the colour scheme of the visitor, and landmarks and names for screen readers.

/** Keeps the operations whose tag, method, path and summary contain every word of the phrase. */
function findOperations(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/)
  return tags
    .map((group, tag) =>
      group.update('operations', (operations) =>
        operations.filter((entry) => {
          const text = [tag, entry.get('method'), entry.get('path'), entry.getIn(['operation', 'summary'])].join(' ').toLowerCase()
          return words.every((word) => text.includes(word))
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0)
}

function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', apply)
  apply()
}

const names = [
  ['.operation-filter-input', () => document.getElementById('swagger-ui').dataset.filter],
  ['[data-param-name] :is(input, select, textarea)', (control) => control.closest('[data-param-name]').dataset.paramName],
  ['.body-param__text', () => 'Request body'],
  ['.examples-select-element', () => 'Example'],
  ['.close-modal', () => 'Close'],
  ['.responses-table[role="region"]', (table) => `Responses of ${table.id.replace('_responses', '')}`],
]

/** Names the controls to which Swagger UI gives no name, and lets the keyboard scroll the examples. */
function nameControls(root) {
  for (const [selector, name] of names) {
    for (const control of root.querySelectorAll(`:is(${selector}):not([aria-label], [type="checkbox"])`)) {
      if (control.labels?.length) continue
      control.setAttribute('aria-label', name(control))
    }
  }
  // The accessible name must contain the visible text.
  for (const button of root.querySelectorAll('.auth-btn-wrapper [aria-label]')) button.removeAttribute('aria-label')
  for (const example of root.querySelectorAll('pre:not([tabindex])')) example.tabIndex = 0
}

function watchControls() {
  const root = document.getElementById('swagger-ui')
  new MutationObserver(() => nameControls(root)).observe(root, { childList: true, subtree: true })
}

globalThis.referencePlugin = ({ React }) => {
  const element = React.createElement
  return {
    afterLoad() {
      followColorScheme()
      watchControls()
    },
    fn: { opsFilter: findOperations },
    components: {
      // A link inside a button cannot be reached; opening an operation puts its address into the address bar.
      DeepLink: ({ text }) => element('span', null, text),
      // The document names one server.
      ServersContainer: () => null,
    },
    wrapComponents: {
      FilterContainer: (Original) => (props) => element('div', { role: 'search' }, element(Original, props)),
      InfoContainer: (Original) => (props) => element('section', { 'aria-label': 'About the API' }, element(Original, props)),
      // The heading gives the dialog its level.
      AuthorizeBtnContainer: (Original) => (props) =>
        element(
          'section',
          { 'aria-label': 'Credentials' },
          element('h2', { className: 'visually-hidden' }, 'Credentials'),
          element(Original, props),
        ),
    },
  }
}
