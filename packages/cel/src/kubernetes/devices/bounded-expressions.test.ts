import { expect, test } from "vitest"
import { DeviceSelectors } from "./device-selectors.ts"

const selectors = new DeviceSelectors()
const overLimit = "operation cancelled: actual cost limit exceeded"

/** `first` doubled by `step`, in which X is what it was before, and what comes of it. */
function doubled(times: number, { first, step, result }: { readonly first: string; readonly step: string; readonly result: string }) {
  let expression = result.replaceAll("X", `v${times}`)
  for (let at = times; at > 0; at--) expression = `cel.bind(v${at}, ${step.replaceAll("X", `v${at - 1}`)}, ${expression})`
  return `cel.bind(v0, ${first}, ${expression})`
}

const nested = { first: "[dyn(1)]", step: "[dyn(X), dyn(X)]" }
const text = { first: '"a"', step: "X + X" }

test.each<[string, string]>([
  ["a list that is joined with itself", doubled(34, { first: "[1, 2, 3, 4]", step: "X + X", result: "X.size() > 0" })],
  ["distinct items of a long list", "lists.range(900000).distinct().size() > 0"],
  ["a nested list that is written out", doubled(60, { ...nested, result: '"%s".format([X]).size() > 0' })],
  ["a nested list that is flattened", doubled(60, { ...nested, result: "X.flatten(100).size() > 0" })],
  ["a nested list that is compared with another", doubled(60, { ...nested, result: `${doubled(60, { ...nested, result: "X" })} == X` })],
  ["a nested list in the words of an error", doubled(60, { ...nested, result: '[dyn("a"), dyn(X)].join().size() > 0' })],
  ["a text whose parts are replaced by a longer one", doubled(14, { ...text, result: 'X.replace("a", X).size() > 0' })],
  ["a text that is longer than any may be", doubled(17, { ...text, result: 'X.replace("", X).size() > 0' })],
  ["a long text between many others", doubled(14, { ...text, result: 'X.split("").join(X).size() > 0' })],
  ["a long text many times", doubled(16, { ...text, result: 'lists.range(20000).map(x, X).join("").size() > 0' })],
  ["two long lists as sets", "sets.contains(lists.range(400000), lists.range(400000).reverse())"],
])("%s is over the cost limit before the work is done", (_what, expression) => {
  const selector = selectors.of(expression)
  expect(selector.error).toBeUndefined()
  expect(milliseconds(() => expect(() => selector.matches({ driver: "gpu.example.com" })).toThrow(overLimit))).toBeLessThan(250)
})

function milliseconds(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** The macro uses what stands before it twice. */
test.each([
  ["a value", "optional.of(1)"],
  ["an undeclared name", "optional.of(nothing)"],
  ["a literal that is none", "optional.of(duration('later'))"],
])("a chain of 200 macros on %s is compiled in linear time", (_what, first) => {
  const chain = `${first}${".optMap(x, x)".repeat(200)}.hasValue()`
  expect(milliseconds(() => selectors.of(chain))).toBeLessThan(250)
})

test("the query of a URL is read in linear time", () => {
  const selector = selectors.of(`url('https://a/?${"a=b&".repeat(9_999)}').getQuery()['a'].size() == 9999`)
  expect(milliseconds(() => expect(selector.matches({ driver: "gpu.example.com" })).toBe(true))).toBeLessThan(250)
})

test("lists of usual sizes are joined at cel-go's cost", () => {
  expect(selectors.of("(lists.range(20000) + lists.range(20000)).size() == 40000").matches({ driver: "gpu.example.com" })).toBe(true)
})
