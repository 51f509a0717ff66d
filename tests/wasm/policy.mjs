// What a page's Content-Security-Policy and Trusted Types keep from running, whoever got it into the page.
import assert from "node:assert/strict";
import { createServer } from "node:http";

// A server that is asked for nothing: `url`, `asked` and `close()`.
export async function listen() {
  const asked = [];
  const server = createServer((request, answer) => { asked.push(request.url); answer.end(); });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

// Before a page is opened: its violations are kept.
export const watch = (browser) => browser.send("Page.addScriptToEvaluateOnNewDocument", { source: `window.violations = [];
  addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective + " " + event.blockedURI + " " + event.sample));` });

export const violations = (browser) => browser.evaluate("window.violations");

// Elements and attributes that neither page has.
export const strange = (browser, allowed = "") => browser.evaluate(`[...document.querySelectorAll("img, iframe, base, form, object, embed, math, link, [onerror], [onload], [onfocus], [onclick], a[href^='javascript']")]
  .filter((each) => !${JSON.stringify(allowed)} || !each.matches(${JSON.stringify(allowed)})).map((each) => each.outerHTML)`);

// Each of these would run, or ask the server, on a page without a policy. How many were blocked.
export async function attack(browser, server) {
  const before = (await violations(browser)).length;
  const attempt = (code) => browser.send("Runtime.evaluate", { expression: `(async () => { ${code} })()`, awaitPromise: true, returnByValue: true, allowUnsafeEvalBlockedByCSP: false });
  const there = server.url;
  await attempt("const s = document.createElement('script'); s.text = 'ran = 20'; document.body.append(s);");
  await attempt("document.body.append(document.createRange().createContextualFragment('<script>ran = 21</script>'));");
  await attempt("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=ran=22><svg onload=ran=23>');");
  await attempt("document.body.setAttribute('onclick', 'ran = 24'); document.body.click();");
  await attempt("new Function('ran = 25')();");
  await attempt("setTimeout('ran = 26', 0);");
  await attempt("location.href = 'javascript:ran=27';");
  await attempt("new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage = () => { ran = 28; };");
  await attempt(`await fetch("${there}/f");`);
  await attempt(`new Image().src = "${there}/g";`);
  await attempt(`navigator.sendBeacon("${there}/h");`);
  await attempt(`new WebSocket("${there.replace("http", "ws")}/i");`);
  await attempt(`const f = document.createElement("iframe"); f.src = "${there}/j"; document.body.append(f);`);
  await attempt(`const l = document.createElement("link"); l.rel = "stylesheet"; l.href = "${there}/k"; document.head.append(l);`);
  await attempt(`document.body.style.backgroundImage = "url(${there}/l)";`);
  await attempt(`const b = document.createElement("form"); b.action = "${there}/m"; document.body.append(b); b.submit();`);
  await new Promise((done) => setTimeout(done, 500));
  assert.equal(await browser.evaluate("typeof ran"), "undefined", "the policy lets something run");
  assert.deepEqual(server.asked, []);
  const all = (await violations(browser)).slice(before);
  assert.ok(all.length >= 12, `${all.length} attempts were blocked: ${JSON.stringify(all, null, 1)}`);
  return all.length;
}
