// The site in bin/site, in headless Chromium at the width of a desk and of a phone. make site-test runs it.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import puppeteer from 'puppeteer-core'

const root = fileURLToPath(new URL('../site', import.meta.url))
const base = '/argocd-kserve-plugin/'
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const browsers = ['/usr/bin/chromium', '/usr/bin/google-chrome']
const widths = [1280, 390]
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

// The pages whose colours are looked at: of each kind of content one.
const coloured = ['', 'rules/KS101/', 'troubleshooting/', 'settings/', 'ci/']

// What people search, and where they have to land: one of these is the first result.
const searches = {
  'required key SERVING_READINESS_PROBE missing value': ['troubleshooting/', 'rules/KS101/'],
  'SERVING_READINESS_PROBE': ['troubleshooting/', 'rules/KS101/'],
  'spec.containers[0].readinessProbe: may not specify more than 1 handler type': ['troubleshooting/', 'rules/KS106/'],
  'ReconcileSingleNodeWorkloadError': ['troubleshooting/', 'rules/KS110/', 'rules/KS511/'],
  'AmbiguousSelector pods by selector are controlled by multiple HPAs': ['troubleshooting/', 'rules/KS201/'],
  'spec.selector: field is immutable': ['troubleshooting/', 'rules/KS503/', 'rules/KS712/', 'rules/KS716/'],
  'field not declared in schema': ['troubleshooting/', 'rules/KS606/'],
  'could not find plugin supporting the given repository': ['troubleshooting/'],
  'gave up: it takes more memory than the setting max-memory allows': ['troubleshooting/'],
  'is remote; nothing is fetched, so copy it into the repository': ['troubleshooting/', 'kustomize/'],
  'no runtime found to support predictor with model type': ['rules/KS506/'],
  'runtime error: invalid memory address or nil pointer dereference': ['troubleshooting/', 'rules/KS209/'],
  'CrashLoopBackOff': ['troubleshooting/'],
  'KS101': ['rules/KS101/'],
}

let server, browser, origin

before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://site')
    const name = decodeURIComponent(pathname).replace(base, '').replace(/(^|\/)$/, '$1index.html')
    try {
      const content = readFileSync(path.join(root, name))
      response.writeHead(200, { 'content-type': types[path.extname(name)] ?? 'application/octet-stream' }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${server.address().port}`
  browser = await puppeteer.launch({ executablePath: browsers.find(existsSync), args: ['--no-sandbox'] })
})

after(async () => {
  await browser?.close()
  server?.close()
})

// opened returns a page of the browser, and what goes wrong in it.
async function opened(t) {
  const page = await browser.newPage()
  page.setDefaultTimeout(0)
  t.after(() => page.close())
  const faults = []
  page.on('pageerror', error => faults.push(`${page.url()}: ${error}`))
  page.on('response', response => response.ok() || faults.push(`${page.url()}: ${response.status()} ${response.url()}`))
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`${page.url()} asks ${request.url()}`)
  })
  await page.setViewport({ width: widths[0], height: 900 })
  return { page, faults }
}

// The addresses of rules in a report of check.
const sarif = new URL('../../internal/report/testdata/report.sarif', import.meta.url)
const reported = JSON.parse(readFileSync(sarif)).runs[0].tool.driver.rules.map(rule => rule.helpUri)

const pages = readdirSync(root, { recursive: true }).filter(name => name.endsWith('index.html')).map(name => name.slice(0, -10))

test('no page scrolls sideways, fails, asks other servers, or has a link that leads nowhere', async t => {
  const { page, faults } = await opened(t)
  const ids = {}
  const links = reported.map(address => ['a report', address.replace('https://argocd-kserve-plugin.github.io', origin)])
  for (const name of pages) {
    await page.goto(origin + base + name)
    ids[base + name] = await page.$$eval('[id]', all => all.map(element => element.id))
    links.push(...await page.$$eval('a[href]', (all, from) => all.map(({ href }) => [from, href]), name))
    for (const width of widths) {
      await page.setViewport({ width, height: 900 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) faults.push(`${name} takes ${wide} pixels, and there are ${width}`)
    }
  }
  const inside = links.filter(([, href]) => href.startsWith(origin))
  for (const [from, href] of inside) {
    const { pathname, hash } = new URL(href)
    if (!ids[pathname]) faults.push(`${from}: there is no ${href}`)
    else if (hash && !ids[pathname].includes(decodeURIComponent(hash.slice(1)))) faults.push(`${from}: no heading is ${href}`)
  }
  assert.deepEqual(faults, [])
  assert.ok(inside.length > 1000, `there are only ${inside.length} links`)
})

for (const scheme of ['light', 'dark']) {
  test(`people can read the ${scheme} colours`, async t => {
    const { page, faults } = await opened(t)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const name of coloured) {
      await page.goto(origin + base + name)
      const [red] = await page.$eval('body', body => getComputedStyle(body).backgroundColor.match(/\d+/g).map(Number))
      if ((red < 128) !== (scheme === 'dark')) faults.push(`${name} is not ${scheme}`)
      await page.addScriptTag({ path: axe })
      const { violations, passes } = await page.evaluate(() => axe.run({ runOnly: ['color-contrast'] }))
      if (!passes.length) faults.push(`${name}: no text was looked at`)
      for (const { any, html } of violations.flatMap(({ nodes }) => nodes)) faults.push(`${name}: ${html}: ${any[0].message}`)
    }
    assert.deepEqual(faults, [])
  })
}

test('who searches a message finds it', async t => {
  const { page, faults } = await opened(t)
  for (const [message, wanted] of Object.entries(searches)) {
    await page.goto(origin + base)
    await page.evaluate(() => sessionStorage.clear()) // it has the message before
    await page.click('#local-search button')
    const input = await page.waitForSelector('.search-input')
    await input.evaluate((element, text) => {
      element.value = text
      element.dispatchEvent(new Event('input'))
    }, message)
    await page.waitForSelector('.VPLocalSearchBox .result')
    const found = await page.$$eval('.VPLocalSearchBox .result', all => all.map(({ pathname, hash }) => pathname + hash))
    const first = found[0].replace(base, '').replace(/#.*/, '')
    if (found.some(name => name.includes('/evidence/'))) faults.push(`${message}: finds what was measured`)
    if (!wanted.includes(first)) faults.push(`${message}: ${first} comes first, not ${wanted}`)
  }
  assert.deepEqual(faults, [])
})
