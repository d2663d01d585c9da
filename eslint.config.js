import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** These are handed the environment or are at the edge of the program; everything else gets the parsed configuration. */
const startFiles = ['src/server.ts', 'jobs/worker.ts', 'src/cli/*.ts', 'prisma/seed.ts']
const mayReadEnvironment = [...startFiles, 'src/config.ts', '*.config.ts', 'test/**/*.ts']

const environment = [
  { name: 'node:process', importNames: ['env'], message: 'src/config.ts parses the environment; take the config.' },
  { name: 'process', message: "Import 'node:process', or use the global." },
]

const importExpression = { selector: 'ImportExpression', message: 'Import at the top of the file, where the arrows are checked.' }

const part = '/^(query|params|headers|body)$/'
const message = 'A request stays as it came: a validator compiler gives values to Fastify (src/http/validation/compilers.ts).'
const rewriting = [
  { selector: `AssignmentExpression > MemberExpression.left[object.name='request'][property.name=${part}]`, message },
  {
    selector: `AssignmentExpression > MemberExpression.left > MemberExpression.object[object.name='request'][property.name=${part}]`,
    message,
  },
  { selector: `UnaryExpression[operator='delete'] Identifier[name=${part}]`, message },
]
/** Where Fastify or a plugin of it cannot be told in another way; each file says why. */
const mayRewrite = ['src/http/uploads/multipart.ts', 'src/http/validation/bodies.ts', 'src/http/caching/conditional.ts']

const tests = { regex: '^(?:\\.\\./)+test/', message: 'What the service is made of needs no tests.' }

export default defineConfig(
  globalIgnores(['node_modules', 'data', 'prisma/generated', 'coverage']),
  // A rule that is in the way is changed here, for everybody to see.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-deprecated': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Fastify's plugins and handlers are async by contract, whether they wait for something or not.
      '@typescript-eslint/require-await': 'off',
      // Services are plain objects whose functions know no `this`; they are handed on one by one.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: environment[0]?.message }],
    },
  },
  {
    files: ['src/**/*.ts', 'jobs/**/*.ts', 'prisma/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: environment, patterns: [tests] }] },
  },
  {
    files: mayReadEnvironment,
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: startFiles,
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Bodies of answers are what the server sent, and expect's patterns are of any type by design.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression > MemberExpression[object.name=/^(test|describe|it)$/][property.name=/^(only|skip|todo|fails)$/]',
          message: 'A promise is kept or not made: no test is left out.',
        },
      ],
    },
  },
  {
    // Scripts of pages run in browsers.
    files: ['src/html/files/*.js'],
    languageOptions: { globals: { document: 'readonly', navigator: 'readonly', addEventListener: 'readonly' } },
  },
  {
    // An import() would go round the arrows; a start file may put off what only it needs.
    files: ['src/**/*.ts', 'jobs/**/*.ts'],
    ignores: startFiles,
    rules: { 'no-restricted-syntax': ['error', importExpression, ...rewriting] },
  },
  {
    files: mayRewrite,
    rules: { 'no-restricted-syntax': ['error', importExpression] },
  },
)
