import { expect, test } from "vitest"
import { terminalSvg } from "./terminal-svg.ts"

const shown = (svg: string) => [...svg.matchAll(/<text [^>]*>(.*)<\/text>/g)].map(([, line = ""]) => line.replace(/<\/?tspan[^>]*>/g, ""))

test("commands follow a prompt and outputs keep their columns", () => {
  const svg = terminalSvg("a tour", 80, [
    { command: "kubectl get pods", output: "NAME   READY\nweb    1/1\n\n" },
    { command: "true", output: "" },
  ])
  expect(shown(svg)).toEqual(["$ kubectl get pods", "NAME   READY", "web    1/1", "$ true"])
})

test("a line longer than the terminal goes on in the next one, and none is lost", () => {
  const output = `first\n\n${"x".repeat(25)}`
  expect(shown(terminalSvg("t", 10, [{ command: "c", output }]))).toEqual(["$ c", "first", "x".repeat(10), "x".repeat(10), "x".repeat(5)])
})

test("text that means something in XML stays text", () => {
  const svg = terminalSvg('"a" & b', 80, [{ command: "echo '<none>' && true", output: "<none> & more" }])
  expect(shown(svg)).toEqual(["$ echo '&lt;none&gt;' &amp;&amp; true", "&lt;none&gt; &amp; more"])
  expect(svg).toContain('aria-label="&quot;a&quot; &amp; b"')
})
