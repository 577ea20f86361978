import { expect, test } from "vitest"
import { HtmlRewriter } from "./rewrite-page.ts"

const rows: readonly (readonly [string, string, string])[] = [
  ["links and images", '<a href="/x">a</a><img src=/i.png>', '<a href="P/x">a</a><img src=P/i.png>'],
  ["any case, quotes and spaces", "<A HREF = '/x' class=\"/y\">", "<A HREF = 'P/x' class=\"/y\">"],
  ["all attributes of an element", '<img src="/a" longdesc="/b" alt="/c">', '<img src="P/a" longdesc="P/b" alt="/c">'],
  ["a > in a value", '<a title=">" href="/x">', '<a title=">" href="P/x">'],
  ["comments stay", '<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="P/y">'],
  [
    "scripts stay, but for their source",
    '<script src="/s">"<a href=\'/x\'>"</script><a href="/y">',
    '<script src="P/s">"<a href=\'/x\'>"</script><a href="P/y">',
  ],
  [
    "an end tag of another element does not end a script",
    '<script></scripts><a href="/x"></script>',
    '<script></scripts><a href="/x"></script>',
  ],
  ["elements without URLs stay", '<p href="/x" src="/y">1 < 2 && 3 > 2</p>', '<p href="/x" src="/y">1 < 2 && 3 > 2</p>'],
  ["a tag that never ends", '<a href="/x', '<a href="/x'],
  ["a comment that never ends", '<!-- <a href="/x">', '<!-- <a href="/x">'],
  ["declarations and bytes above ASCII", '<!doctype html><a href="/x">\u00e4\u00ff</a>', '<!doctype html><a href="P/x">\u00e4\u00ff</a>'],
  ["a name of an object's prototype", '<constructor href="/x">', '<constructor href="/x">'],
]

test.each(rows)("%s", (_, page, wanted) => {
  for (const size of [page.length + 1, 7, 3, 1]) {
    const rewriter = new HtmlRewriter((url) => `P${url}`)
    let found = ""
    for (let at = 0; at < page.length; at += size) found += rewriter.push(page.slice(at, at + size))
    expect(found + rewriter.end(), `in pieces of ${size}`).toBe(wanted)
  }
})

test("what is kept is bounded: a tag without an end goes on", () => {
  const rewriter = new HtmlRewriter((url) => `P${url}`)
  let given = 0
  for (let turn = 0; turn < 100; turn++) given += rewriter.push(`${turn === 0 ? "<a " : ""}${"x ".repeat(2000)}`).length
  expect(given).toBeGreaterThan(380_000)
})

test("a page of open tags takes linear time", () => {
  const rewriter = new HtmlRewriter((url) => url)
  const page = `<a href="x" ${"'".repeat(1)}`.repeat(100_000) + "</".repeat(100_000) + "<!--".repeat(100_000)
  const started = performance.now()
  expect((rewriter.push(page) + rewriter.end()).length).toBe(page.length)
  expect(performance.now() - started).toBeLessThan(5000)
})
