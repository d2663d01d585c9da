/** Reports the syntax that one of `selectors` matches (https://eslint.org/docs/latest/extend/selectors). */
const forbid = (message, ...selectors) => ({
  create: (context) => Object.fromEntries(selectors.map((selector) => [selector, (node) => context.report({ node, message })])),
})

const part = '/^(query|params|headers|body)$/'
const requestPart = `[object.name='request'][property.name=${part}]`

/** The rules of .oxlintrc.json that oxlint does not have. */
export default {
  meta: { name: 'fixpoint' },
  rules: {
    'no-import-expression': forbid('Import at the top of the file, where imports are checked.', 'ImportExpression'),
    'no-request-assignment': forbid(
      'A request stays as it came: a validator compiler gives values to Fastify (src/http/validation/compilers.ts).',
      `AssignmentExpression > MemberExpression.left${requestPart}`,
      `AssignmentExpression > MemberExpression.left > MemberExpression.object${requestPart}`,
      `UnaryExpression[operator='delete'] Identifier[name=${part}]`,
    ),
    'no-skipped-tests': forbid(
      'Do not skip or focus tests.',
      'CallExpression > MemberExpression[object.name=/^(test|describe|it)$/][property.name=/^(only|skip|todo|fails)$/]',
    ),
  },
}
