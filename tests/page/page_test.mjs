// The pages of a class and of reports in a browser. run.sh says where everything is.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';

const {CHROMIUM, MODULES, PAGES} = process.env;
const require = createRequire(path.join(MODULES, 'package.json'));
const puppeteer = require('puppeteer-core');
const axe = require('axe-core').source;

const opens_within_ms = 1000;  // what a class of 1,000 may take to open
const window_size = {width: 1100, height: 1000};

let browser;
before(async () => {
  browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    // Chromium's own sandbox does not start as root; the pages are ours.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
});
after(() => browser?.close());

/// Opens a page; `requests` are all that it made.
async function open(file, {scheme = 'light', script = true, width = window_size.width} = {}) {
  const page = await browser.newPage();
  const requests = [], errors = [];
  page.on('request', one => requests.push(one.url()));
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => errors.push(message.text()));
  await page.setJavaScriptEnabled(script);
  await page.setViewport({...window_size, width});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.goto(pathToFileURL(path.join(PAGES, file)).href, {waitUntil: 'load'});
  return {page, requests, errors};
}

/// Lays out what is far below the window, too, as scrolling there does, and opens what can be opened.
const lay_out = page => page.evaluate(() => {
  for (const one of document.querySelectorAll('.long')) one.style.contentVisibility = 'visible';
  for (const one of document.querySelectorAll('details')) one.open = true;
});

/// Looks with axe-core. It comes in past the page's policy, as a debugger may.
async function faults(page) {
  await lay_out(page);
  await page.evaluate(axe);
  const {violations, passes} = await page.evaluate(() => axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  assert.ok(passes.length > 10, 'axe-core looked at nothing');
  return violations.map(one => `${one.id}: ${one.nodes[0].html} (${one.nodes.length})`);
}

const shown = page => page.$$eval('#students tbody tr',
  rows => rows.filter(row => !row.hidden).map(row => row.cells[0].textContent));
const column = (page, at) => page.$$eval('#students tbody tr',
  (rows, at) => rows.map(row => row.cells[at].textContent), at);
const status = page => page.$eval('#shown', one => one.textContent);

const class_pages = ['small/index.html', 'small/leaderboard.html', 'small/pages/scan/s0004.html',
  'small/pages/scan/s0005.html', 'small/pages/scan/s0000.html'];
const report_pages = ['report', 'causes', 'compile_error', 'gpu'].map(name => `reports/${name}.html`);
const narrow = 360, wide = 1280;

/// What is wider than the window: it would have to be scrolled sideways, which is for tables and code in their own frames.
const too_wide = page => page.evaluate(() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return [...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > room + 1)
    .map(one => `${one.tagName}.${one.className} ends at ${Math.round(one.getBoundingClientRect().right)}`).slice(0, 5);
});

for (const scheme of ['light', 'dark'])
  for (const width of [narrow, wide])
    for (const file of [...class_pages, ...report_pages])
      test(`${file} is accessible in ${scheme}, ${width} pixels wide`, async () => {
        const {page, errors} = await open(file, {scheme, width});
        assert.deepEqual(await too_wide(page), []);
        assert.deepEqual(await faults(page), []);
        assert.deepEqual(await too_wide(page), []);
        assert.deepEqual(errors, []);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const [red] = ground.match(/\d+/g).map(Number);
        assert.ok(scheme === 'dark' ? red < 64 : red > 192, `the ground is ${ground}`);
        await page.close();
      });

test('control: a page that is too wide is seen', async () => {
  const {page} = await open(report_pages[0], {width: narrow});
  await page.$eval('h1', one => { one.textContent = 'x'; one.style.width = '900px'; });
  assert.match((await too_wide(page))[0], /^H1. ends at 9/);
  await page.close();
});

for (const file of [...class_pages, ...report_pages])
  test(`${file} is accessible on paper, and all of it is there`, async () => {
    const {page} = await open(file, {scheme: 'dark'});
    await page.emulateMediaType('print');
    const hidden = await page.$$eval('details > :not(summary)', all =>
      all.filter(one => !one.checkVisibility()).map(one => one.outerHTML.slice(0, 80)));
    assert.deepEqual(hidden, []);
    const colours = await page.evaluate(() => {
      const {backgroundColor, color} = getComputedStyle(document.body);
      return [backgroundColor, color];
    });
    assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    assert.deepEqual(await faults(page), []);
    assert.ok((await page.pdf({format: 'A4'})).length > 10000);
    await page.close();
  });

test('a report is read with a keyboard: what is closed opens, and links lead to cards and lines', async () => {
  const {page} = await open('reports/causes.html');
  await page.focus('summary');
  await page.keyboard.press('Enter');
  assert.ok(await page.$eval('summary', one => one.parentElement.open));
  const seen = await page.$eval('summary', one => getComputedStyle(one).outlineStyle);
  assert.notEqual(seen, 'none', 'the focus is not seen');
  await page.focus('a[href="#file1-15"]');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.querySelector(':target').tagName), 'LI');
  await page.focus('.note a');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.querySelector(':target').tagName), 'ARTICLE');
  await page.close();
});

test('a line of a closed file opens it', async () => {
  const {page} = await open('reports/causes.html');
  await page.$eval('.source', one => { one.closest('details').open = false; });
  await page.click('a[href="#file1-15"]');
  await page.waitForFunction(() => document.querySelector('.source').closest('details').open);
  await page.close();
});

test('a report asks for nothing and runs nothing', async () => {
  for (const file of report_pages) {
    const {page, requests, errors} = await open(file);
    assert.equal(requests.length, 1, requests.join());
    assert.deepEqual(errors, []);
    assert.equal(await page.$('script'), null);
    await page.close();
  }
});

test('carets are below what they mean', async () => {
  const {page} = await open('reports/causes.html', {width: wide});
  const places = await page.$eval('.excerpt', one => {
    const range = document.createRange();
    const left = (node, from) => { range.setStart(node, from); range.setEnd(node, from + 1); return range.getBoundingClientRect().left; };
    const caret = one.querySelector('.bad').firstChild;
    return [left(one.querySelector('mark').firstChild, 0), left(caret, caret.data.indexOf('^'))];
  });
  assert.ok(Math.abs(places[0] - places[1]) < 2, places.join());
  await page.close();
});

test('control: axe-core sees a fault that is planted', async () => {
  const {page} = await open('small/index.html');
  await page.evaluate(() => document.querySelector('input').closest('label').replaceWith(
    document.querySelector('input')));
  assert.notDeepEqual(await faults(page), []);
  await page.close();
});

test('filters by text, verdict, assignment and section', async () => {
  const {page} = await open('small/index.html');
  assert.equal(await status(page), '30 of 30 shown');
  await page.type('input[name=text]', 'RACE inclusive');
  assert.deepEqual(await shown(page), ['s0004', 's0014', 's0024']);
  assert.equal(await status(page), '3 of 30 shown');
  await page.click('button[type=reset]');
  await page.waitForFunction(() => document.getElementById('shown').textContent === '30 of 30 shown');
  await page.select('select[name=verdict]', 'missing');
  assert.deepEqual(await shown(page), ['s0001', 's0011', 's0021']);
  await page.select('select[name=verdict]', 'not graded');
  assert.deepEqual(await shown(page), ['s0000', 's0010', 's0020']);
  await page.select('select[name=section]', 'B');
  assert.deepEqual(await shown(page), []);
  await page.click('button[type=reset]');
  await page.waitForFunction(() => document.getElementById('shown').textContent === '30 of 30 shown');
  await page.select('select[name=assignment]', 'scan');
  assert.equal((await shown(page)).length, 30);
  await page.close();
});

test('sorts by numbers and by text, up and down, those without a value last', async () => {
  const {page} = await open('small/index.html');
  await lay_out(page);
  const click = name => page.click(`th[data-column="${name}"] button`);
  const sorted = () => page.$$eval('th[aria-sort]', all => all.map(one => [one.dataset.column, one.ariaSort]));
  await click('seconds');
  assert.deepEqual(await sorted(), [['seconds', 'ascending']]);
  const up = await column(page, 11);
  const values = up.filter(Boolean).map(Number);
  assert.deepEqual(values, [...values].sort((a, b) => a - b));
  assert.ok(values.some(one => one >= 9) && values.some(one => one < 9));
  assert.deepEqual(up.slice(values.length), Array(6).fill(''));
  await click('seconds');
  assert.deepEqual(await sorted(), [['seconds', 'descending']]);
  const down = await column(page, 11);
  assert.deepEqual(down.filter(Boolean).map(Number), values.toReversed());
  assert.equal(down.at(-1), '');
  await click('name');
  assert.equal((await column(page, 1))[2], 'Student, Number 2');  // and not Number 10
  assert.deepEqual(await sorted(), [['name', 'ascending']]);
  await page.close();
});

test('a keyboard is enough, and shows where it is', async () => {
  const {page} = await open('small/index.html');
  await page.focus('input[name=text]');
  await page.keyboard.type('deadlock');
  assert.equal(await status(page), '0 of 30 shown');
  const seen = [];
  for (let i = 0; i < 12; ++i) {
    await page.keyboard.press('Tab');
    seen.push(await page.evaluate(() => {
      const one = document.activeElement;
      const {outlineStyle, outlineWidth} = getComputedStyle(one);
      return [one.name || one.textContent.trim().slice(0, 12) || one.tagName, outlineStyle, outlineWidth];
    }));
    if (seen.at(-1)[0] === 'show all') await page.keyboard.press('Enter');
    if (seen.at(-1)[0] === 'percent') await page.keyboard.press('Space');
  }
  for (const [name, style, width] of seen)
    assert.ok(style !== 'none' && parseFloat(width) >= 2, `the focus is not seen on ${name}`);
  const names = seen.map(([name]) => name);
  for (const name of ['verdict', 'assignment', 'section', 'show all', 'student', 'percent'])
    assert.ok(names.includes(name), `${name} is not reached: ${names}`);
  assert.equal(await status(page), '30 of 30 shown');
  assert.equal(await page.$eval('th[data-column=percent]', one => one.ariaSort), 'ascending');
  await page.close();
});

test('paper has the tables and not the form', async () => {
  const {page} = await open('small/index.html', {scheme: 'dark'});
  await page.emulateMediaType('print');
  assert.equal(await page.$eval('#filter', one => getComputedStyle(one).display), 'none');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.$eval('#students', one => getComputedStyle(one).display), 'table');
  assert.equal(await page.$eval('#students td', one => getComputedStyle(one).color), 'rgb(0, 0, 0)');
  await page.close();
});

test('without JavaScript the table is whole and offers nothing that does not work', async () => {
  const {page} = await open('small/index.html', {script: false});
  assert.equal((await shown(page)).length, 30);
  assert.equal(await page.$eval('#filter', one => getComputedStyle(one).display), 'none');
  assert.equal(await page.$('th button'), null);
  await page.close();
});

test('no request leaves the page, and none could', async () => {
  const {page, requests} = await open('small/index.html');
  await page.click('a[href="pages/scan/s0004.html"]');
  await page.waitForFunction(() => document.title.startsWith('s0004'));
  await page.click('nav a');
  await page.waitForFunction(() => document.title.startsWith('The class'));
  assert.equal(requests.length, 3, requests.join());
  assert.ok(requests.every(one => one.startsWith('file:')), requests.join());
  // What could get through as markup is refused.
  const refused = await page.evaluate(async () => {
    const all = [];
    document.addEventListener('securitypolicyviolation', event => all.push(event.effectiveDirective));
    const part = document.createElement('div');
    part.innerHTML = '<img src="http://127.0.0.1:9/x"><p style="color:red" onclick="window.bad=1">x</p>';
    document.body.append(part);
    part.querySelector('p').click();
    const script = document.createElement('script');
    script.textContent = 'window.bad=1';
    document.body.append(script);
    await new Promise(done => setTimeout(done, 100));
    return ['bad' in window, ...all.sort()];
  });
  assert.deepEqual(refused, [false, 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-attr']);
  await page.close();
});

test(`1,000 students open within ${opens_within_ms} ms`, async context => {
  // The fastest of three: other work on the machine may slow one.
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const {page, errors} = await open('large/index.html');
    assert.equal(await status(page), '1000 of 1000 shown');
    assert.deepEqual(errors, []);
    times.push(await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd));
    await page.close();
  }
  context.diagnostic(`${times.map(Math.round).join(', ')} ms`);
  assert.ok(Math.min(...times) < opens_within_ms, times.join());
});
