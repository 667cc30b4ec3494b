// The site of the documentation: README.md and the pages of docs and install. make site copies them
// beside a copy of this folder in bin/pages, and builds them there. Whatever is wrong ends it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const repository = 'https://github.com/argocd-kserve-plugin/argocd-kserve-plugin'

// The shelves, in the order of reading. Each page of docs is on one of them, or a line that leads to another page.
const shelves = {
  Start: ['README', 'docs/getting-started', 'docs/faq', 'docs/adopt', 'docs/troubleshooting'],
  'Argo CD': ['install/README', 'docs/argocd', 'docs/health', 'docs/live', 'docs/upgrading', 'docs/versions'],
  Manifests: ['docs/ci', 'docs/plan', 'docs/kustomize', 'docs/helm', 'docs/llm', 'docs/settings', 'docs/comments', 'docs/reports'],
  'Other platforms': ['docs/openshift-ai', 'docs/flux', 'docs/hosts'],
  Rules: pagesOf('docs/rules'),
  Evidence: ['docs/security', ...pagesOf('docs/evidence')],
}
const pages = Object.values(shelves).flat()
const rewrites = Object.fromEntries(pages.map(page => [`${page}.md`, `${address(page)}index.md`]))
const sources = Object.fromEntries(Object.entries(rewrites).map(([source, rewritten]) => [rewritten, source]))

// pagesOf returns the pages of a folder, its README first, without the lines that lead to KS8xx.
function pagesOf(folder) {
  return readdirSync(path.join(root, folder))
    .filter(name => name.endsWith('.md') && !/^KS8\d/.test(name))
    .map(name => `${folder}/${name.slice(0, -3)}`)
    .sort((a, b) => b.endsWith('/README') - a.endsWith('/README') || a.localeCompare(b))
}

// address returns where a page is on the site: a folder of its own.
function address(page) {
  return page.replace(/^docs\//, '').replace(/(^|\/)README$/, '').replace(/.$/, '$&/')
}

function title(page) {
  return /^# (.*)$/m.exec(readFileSync(path.join(root, `${page}.md`), 'utf8'))[1].replaceAll('`', '')
}

// link turns the target of a link in a file into an address on the site, or in the repository if the site lacks it.
function link(file, target) {
  if (target.startsWith('#') || /^\w+:/.test(target)) return target
  const [name, hash] = target.split('#')
  const found = path.join(path.dirname(file), name)
  const page = found.replace(/\.md$/, '')
  const suffix = hash ? `#${hash}` : ''
  if (pages.includes(page)) return `/${address(page)}${suffix}`
  if (pages.includes(`${page}/README`)) return `/${address(`${page}/README`)}${suffix}`
  if (!existsSync(path.join(root, found))) throw new Error(`${file}: there is no ${target}`)
  return `${repository}/${statSync(path.join(root, found)).isDirectory() ? 'tree' : 'blob'}/main/${found}${suffix}`
}

// asOnGitHub lets markdown-it resolve the links of a page, and Vue leave {{ }} in code alone.
function asOnGitHub(md) {
  md.core.ruler.push('as-on-github', state => {
    const file = sources[state.env.relativePath] ?? state.env.relativePath // search has the name of the file
    for (const token of state.tokens.flatMap(block => block.children ?? [])) {
      if (token.type === 'link_open') token.attrSet('href', link(file, token.attrGet('href')))
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
    }
  })
}

const unlisted = readdirSync(path.join(root, 'docs'))
  .filter(name => name.endsWith('.md') && !pages.includes(`docs/${name.slice(0, -3)}`))
  .filter(name => readFileSync(path.join(root, 'docs', name), 'utf8').split('\n').length > 10)
if (unlisted.length) throw new Error(`no shelf in ${import.meta.url} has ${unlisted}`)

export default defineConfig({
  title: 'argocd-kserve-plugin',
  description: 'Repairs KServe manifests between Git and the cluster, in Argo CD, on a laptop and in CI.',
  base: '/argocd-kserve-plugin/',
  srcExclude: readdirSync(path.join(root, 'docs'), { recursive: true }).map(name => `docs/${name}`)
    .filter(name => name.endsWith('.md') && !pages.includes(name.slice(0, -3))),
  outDir: path.join(root, 'bin/site'),
  rewrites,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    linkify: false, // as GitHub, which leaves names such as serving.kserve.io alone
    anchor: { slugify: text => text.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-') }, // as GitHub
    config: asOnGitHub,
  },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // What was measured has every message too, and helps nobody who looks for one.
        _render: (text, env, md) => env.relativePath.startsWith('docs/evidence/') ? '' : md.render(text, env),
        miniSearch: {
          // A name such as SERVING_READINESS_PROBE is one word.
          options: { tokenize: text => text.split(/[^\p{L}\p{N}_]+/u) },
          // Pages of single rules, and of messages, before the list of rules and others that mention them.
          searchOptions: { boostDocument: id => /\/(troubleshooting|rules\/KS)/.test(id) ? 2 : 1 },
        },
      },
    },
    sidebar: Object.entries(shelves).map(([text, names]) => ({
      text,
      collapsed: names.length > 9,
      items: names.map(name => ({ text: name === 'README' ? 'Overview' : title(name), link: `/${address(name)}` })),
    })),
    outline: [2, 3],
    docFooter: { prev: false, next: false }, // each page ends with the one to read next
    socialLinks: [{ icon: 'github', link: repository }],
  },
})
