import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** Start files pass the environment to the configuration; all other files get the parsed configuration. */
const startFiles = ['src/server.ts', 'jobs/worker.ts', 'src/cli/*.ts', 'prisma/seed.ts']
const mayReadEnvironment = [...startFiles, 'src/config.ts', '*.config.ts', 'test/**/*.ts']

const environment = [
  { name: 'node:process', importNames: ['env'], message: 'src/config.ts parses the environment; take the config.' },
  { name: 'process', message: "Import 'node:process', or use the global." },
]

const importExpression = { selector: 'ImportExpression', message: 'Import at the top of the file, where imports are checked.' }

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
/** Fastify or a plugin offers no other way in these files; each gives the reason. */
const mayRewrite = ['src/http/uploads/multipart.ts', 'src/http/validation/bodies.ts', 'src/http/caching/conditional.ts']

const tests = { regex: '^(?:\\.\\./)+test/', message: 'The service must not import from test.' }

export default defineConfig(
  globalIgnores(['node_modules', 'data', 'prisma/generated', 'coverage']),
  // Exceptions from rules are made in this file, not in comments.
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
      // Fastify's plugins and handlers are async by contract.
      '@typescript-eslint/require-await': 'off',
      // Services are plain objects whose functions do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      // French texts have no-break spaces.
      'no-irregular-whitespace': ['error', { skipTemplates: true }],
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
      // Bodies of responses and the patterns of expect have the type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression > MemberExpression[object.name=/^(test|describe|it)$/][property.name=/^(only|skip|todo|fails)$/]',
          message: 'Do not skip or focus tests.',
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
    files: ['src/http/openapi/*.js'],
    languageOptions: {
      globals: {
        document: 'readonly',
        matchMedia: 'readonly',
        MutationObserver: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
  {
    // import() would bypass the check of imports; start files may load late what only they need.
    files: ['src/**/*.ts', 'jobs/**/*.ts'],
    ignores: startFiles,
    rules: { 'no-restricted-syntax': ['error', importExpression, ...rewriting] },
  },
  {
    // MapLibre is loaded only where a browser can draw a map.
    files: ['src/web/map/browser/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: mayRewrite,
    rules: { 'no-restricted-syntax': ['error', importExpression] },
  },
)
