// Called by pages.sh: pages.mjs FOLDER NAME... draws FOLDER/NAME.png of FOLDER/NAME.html. A name that ends with -light or
// -dark is that look of the page without the ending.
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const {CHROMIUM, MODULES} = process.env;
const puppeteer = createRequire(path.join(MODULES, 'package.json'))('puppeteer-core');
const [folder, ...names] = process.argv.slice(2);
const width = 960, highest = 1000;

// Chromium's own sandbox does not start as root; the pages are ours.
const browser = await puppeteer.launch({
  executablePath: CHROMIUM, args: process.getuid() === 0 ? ['--no-sandbox'] : []});
for (const name of names) {
  const look = name.match(/-(light|dark)$/)?.[1];
  const page = await browser.newPage();
  await page.setViewport({width, height: 600});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: look ?? 'light'}]);
  const file = path.join(folder, `${look ? name.slice(0, -look.length - 1) : name}.html`);
  await page.goto(pathToFileURL(file).href);
  const height = Math.min(highest, await page.evaluate(() => document.documentElement.scrollHeight));
  await page.setViewport({width, height});
  await page.screenshot({path: path.join(folder, `${name}.png`)});
}
await browser.close();
